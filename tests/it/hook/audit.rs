//! The audit's arm: a sentence for the person when a session starts, or nothing.

use crate::support::Home;

fn start(home: &Home, arms: &str) -> String {
    let payload = serde_json::json!({
        "session_id": "s", "cwd": home.path().join("work"), "source": "startup",
        "hook_event_name": "SessionStart",
    });
    let args = ["hook", "session-start", "--with", arms];
    let output = home.run_in(&home.path().join("work"), &args, payload.to_string().as_bytes());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    output.stdout
}

#[test]
fn only_a_warning_is_said_and_only_to_the_person() {
    let home = Home::new();
    home.dir("work/.git");
    assert_eq!(start(&home, "audit"), "");
    home.file(".claude/settings.json", r#"{"permissions": {"deny": ["Edit(~/.claude/**)"]}}"#);
    let said: serde_json::Value = serde_json::from_str(&start(&home, "guard,audit")).unwrap();
    let keys: Vec<_> = said.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["systemMessage"]);
    let message = said["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("Ringfence: The client tells the model to write its auto memory"));
    assert!(message.contains("`Edit(~/.claude/**)`") && !message.contains('\n'), "{message}");
    assert_eq!(start(&home, "guard"), "");
    // What a project puts into the environment is not asked.
    let quiet = Home::new().env("MEMORY_ENGINE_BACKEND", "file");
    quiet.dir("work/.git");
    assert_eq!(start(&quiet, "audit"), "");
}

#[test]
fn hostile_settings_end_in_silence_or_in_one_line() {
    let home = Home::new();
    home.dir("work/.git");
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let stars = format!(r#"{{"permissions": {{"deny": ["Edit(~/{})"]}}}}"#, "**/a*".repeat(2_000));
    let rule = r#"{"permissions": {"deny": ["Edit(~/.claude/**)\u001b[2J\n\u202e"]}}"#;
    let named = r#"{"permissions": {"deny": ["Edit(~/\u001b[2J\n/../.claude/**)"]}}"#;
    for settings in [
        "",
        "{",
        "[]",
        "null",
        r#"{"sandbox": []}"#,
        r#"{"sandbox": {"enabled": 1}}"#,
        r#"{"permissions": {"deny": "Write"}}"#,
        r#"{"permissions": {"deny": [1, null, {}]}}"#,
        r#"{"sandbox": {"enabled": true, "filesystem": {"allowWrite": ["", "~", "..", "\u0000"]}}}"#,
        r#"{"autoMemoryDirectory": ""}"#,
        r#"{"autoMemoryDirectory": "\u0000"}"#,
        deep.as_str(),
        stars.as_str(),
        rule,
        named,
    ] {
        home.file(".claude/settings.json", settings);
        let said = start(&home, "audit");
        assert!(said.lines().count() <= 1, "{settings:.80}: {said}");
    }
    let controls =
        r#"{"autoMemoryDirectory": "/srv/a\u001b[2J\u202eb", "permissions": {"deny": ["Write"]}}"#;
    home.file(".claude/settings.json", controls);
    let said: serde_json::Value = serde_json::from_str(&start(&home, "audit")).unwrap();
    let message = said["systemMessage"].as_str().unwrap();
    assert!(!message.contains(['\u{1b}', '\u{202e}']), "{message:?}");
}
