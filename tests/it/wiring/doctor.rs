//! Tests of doctor, status and off.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use super::{bare_home, copy_binary};
use crate::support::{BINARY, Home, Output};

fn shown(home: &Home, output: &Output) -> String {
    let text = format!("exit {}\n{}--\n{}", output.code.unwrap(), output.stdout, output.stderr);
    let text = text.replace(home.path().to_str().unwrap(), "~").replace(BINARY, "RINGFENCE");
    let took = regex::Regex::new(r"\d+ ms").unwrap();
    took.replace_all(&text, "N ms").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// What doctor says of a file, as `health name` for everything that is not well.
fn complaints(home: &Home) -> (Option<i32>, Vec<String>) {
    let output = home.run(&["doctor", "--json"], b"");
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["version"], 1);
    let rows = document["rows"].as_array().unwrap();
    let unwell = rows.iter().filter(|row| row["health"] != "pass");
    let said = unwell
        // Neither depends on the settings: tests have no client and no calls behind them.
        .filter(|row| row["name"] != "client" && row["name"] != "last call")
        .map(|row| {
            assert!(row["fix"].is_string(), "{row}");
            format!("{} {}", row["health"].as_str().unwrap(), row["name"].as_str().unwrap())
        })
        .collect();
    (output.code, said)
}

/// A home with the hook installed, its settings changed by `edit`.
fn installed(edit: impl Fn(&str) -> String) -> Home {
    let home = bare_home();
    assert_eq!(home.run(&["install"], b"").code, Some(0));
    let path = home.path().join(".claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    let edited = edit(&text);
    fs::write(&path, edited).unwrap();
    home
}

#[test]
fn doctor_is_content_after_an_install() {
    let home = installed(str::to_owned);
    assert_snapshot!(shown(&home, &home.run(&["doctor"], b"")), @r#"
    exit 0
    pass  settings    ~/.claude/settings.json is loaded by the client
    pass  registered  for 7 events in ~/.claude/settings.json
    pass  matcher     `*` hits every guarded tool
    pass  timeout     5 s
    pass  form        started without a shell
    pass  program     RINGFENCE, ringfence VERSION, static
    pass  switches    nothing silences hooks
    pass  canary      a subagent's delete of a foreign note was refused in N ms
    pass  canary      the parent's same call was let through, silently
    pass  canary      a subagent's harmless call was let through, silently
    warn  client      there is no `claude` on PATH
          fix: npm install -g @anthropic-ai/claude-code
    pass  state       ~/.local/state/ringfence can be written
    pass  config      none; ~/.config/ringfence/config.toml would be read
    warn  last call   registered, but no subagent was seen yet
          fix: let a subagent run once, then run `ringfence doctor` again
    pass  stores      none for this directory yet, so nothing to guard here
    the guard works; 2 of 15 rows could be better
    --
    "#);
}

#[test]
fn doctor_says_when_nothing_is_installed() {
    let home = bare_home();
    assert_eq!(complaints(&home), (Some(1), vec!["fail registered".to_owned()]));
}

#[test]
fn doctor_sees_what_keeps_the_guard_from_guarding() {
    let fails: &[(&str, &str, &str, &str)] = &[
        ("matcher", r#""matcher": "*""#, r#""matcher": "Bash""#, "fail matcher"),
        ("bad expression", r#""matcher": "*""#, r#""matcher": "Bash(""#, "fail matcher"),
        ("program gone", BINARY, "/nonexistent/ringfence", "fail program"),
        ("relative program", &format!("\"{BINARY}\""), "\"ringfence\"", "fail program"),
        (
            "not awaited",
            r#""type": "command""#,
            r#""type": "command", "async": true"#,
            "fail timeout",
        ),
        ("too short", r#""timeout": 5"#, r#""timeout": 1"#, "fail timeout"),
        (
            "condition",
            r#""type": "command""#,
            r#""type": "command", "if": "Bash(git *)""#,
            "fail matcher",
        ),
        (
            "switch",
            r#"{
  "hooks""#,
            r#"{
  "disableAllHooks": true,
  "hooks""#,
            "fail switches",
        ),
        (
            "silent variable",
            r#"{
  "hooks""#,
            r#"{
  "env": {"CLAUDE_CODE_SAFE_MODE": "1"},
  "hooks""#,
            "fail switches",
        ),
        ("comment", "{\n", "{ // mine\n", "fail settings"),
        ("wrong type", "{\n", "{ \"model\": 5,\n", "fail settings"),
        ("other arm", r#""guard""#, r#""audit""#, "fail canary"),
    ];
    let mut wrong = Vec::new();
    for (name, from, to, expected) in fails {
        let home = installed(|text| {
            assert!(text.contains(from), "{name}: {text}");
            text.replace(from, to)
        });
        let (code, said) = complaints(&home);
        if code != Some(1) || !said.contains(&(*expected).to_owned()) {
            wrong.push(format!("{name}: {code:?} {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn doctor_warns_of_what_works_but_not_for_long() {
    let warns: &[(&str, &str, &str, &str)] = &[
        ("no timeout", ",\n            \"timeout\": 5", "", "warn timeout"),
        ("blocks", r#""timeout": 5"#, r#""timeout": 5, "onFailure": "block""#, "warn timeout"),
        ("event missing", "SessionStart", "Notification", "warn registered"),
        ("unknown event", "SessionStart", "SessionBegin", "warn settings"),
    ];
    let mut wrong = Vec::new();
    for (name, from, to, expected) in warns {
        let home = installed(|text| text.replace(from, to));
        let (code, said) = complaints(&home);
        if code != Some(0) || !said.contains(&(*expected).to_owned()) {
            wrong.push(format!("{name}: {code:?} {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_switch_in_another_scope_is_seen_and_the_stronger_scope_decides() {
    let home = installed(str::to_owned);
    let project = home.dir("work");
    home.dir("work/.git");
    let health = || {
        let output = home.run_in(&project, &["doctor", "--json"], b"");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let rows = document["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == "switches").unwrap()["health"].clone()
    };
    assert_eq!(health(), "pass");
    home.file("work/.claude/settings.json", "{\"disableAllHooks\": true}");
    assert_eq!(health(), "fail");
    home.file("work/.claude/settings.local.json", "{\"disableAllHooks\": false}");
    assert_eq!(health(), "pass");
}

#[test]
fn a_trial_leaves_no_trace_in_the_owner_s_records() {
    let home = installed(str::to_owned);
    let before = tree(&home);
    home.run(&["doctor"], b"");
    assert_eq!(tree(&home), before);
}

fn tree(home: &Home) -> Vec<String> {
    let output = std::process::Command::new("find").arg(home.path()).output().unwrap();
    let mut lines: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn the_shim_is_installed_tried_and_removed() {
    let home = bare_home();
    let program = home.dir("bin").join("ringfence");
    copy_binary(&program);
    let run = |args: &[&str]| {
        let output = std::process::Command::new(&program)
            .args(args)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(home.path())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = run(&["install", "--shim"]);
    assert_eq!(code, Some(0), "{said}");
    let shim = home.path().join("bin/ringfence.sh");
    assert_eq!(fs::metadata(&shim).unwrap().permissions().mode() & 0o777, 0o755);
    let (code, said) = run(&["doctor"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("a foreign note was refused"), "{said}");
    // A second registration replaces the first; the shim goes with the last entry that names it.
    assert_eq!(run(&["install"]).0, Some(0));
    let settings = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
    assert!(!settings.contains("ringfence.sh"), "{settings}");
    assert_eq!(run(&["uninstall"]).0, Some(0));
    assert!(!shim.exists() && !home.path().join(".claude").exists());
}

#[test]
fn an_older_client_gets_the_form_it_knows() {
    let home = bare_home();
    let client = home.file("bin/claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n");
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    let home = home.env("PATH", &path);
    assert_eq!(home.run(&["install"], b"").stderr, "");
    let text = fs::read_to_string(home.path().join(".claude/settings.json")).unwrap();
    assert!(
        text.contains(&format!("\"command\": \"{BINARY} hook pre-tool-use --with guard --config ")),
        "{text}"
    );
    assert!(!text.contains("\"args\""), "{text}");
    let again = home.run(&["install"], b"");
    assert!(again.stdout.starts_with("unchanged"), "{again:?}");
    let said = home.run(&["doctor"], b"").stdout;
    assert!(said.contains("warn  client      2.1.100 starts hooks by a shell"), "{said}");
    assert!(said.contains("a foreign note was refused"), "{said}");
    home.run(&["uninstall"], b"");
    assert!(!home.path().join(".claude").exists());
}

#[test]
fn status_is_short() {
    let home = installed(str::to_owned);
    assert_snapshot!(shown(&home, &home.run(&["status"], b"")), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   ~/.claude/settings.json (PreToolUse, PostToolUseFailure, SessionStart, SessionEnd, SubagentStart, SubagentStop, ConfigChange)
    record    ~/.local/state/ringfence/wiring (record of the installation)
    guard     on
    --
    "#);
    assert_snapshot!(shown(&bare_home(), &bare_home().run(&["status"], b"")), @r#"
    exit 0
    program   RINGFENCE VERSION
    entries   none: not installed
    guard     on
    --
    "#);
}

#[test]
fn the_guard_is_switched_off_from_a_terminal_only() {
    let home = bare_home();
    assert_snapshot!(shown(&home, &home.run(&["off"], b"")), @r#"
    exit 1
    --
    error: only a person at a terminal outside any client can do this: there is no terminal
    "#);
    assert_snapshot!(shown(&home, &home.run(&["off", "--for", "soon"], b"")), @r#"
    exit 64
    --
    error: `soon` is no time

    hint: type a time such as 30s, 10m or 2h
    "#);
    assert_snapshot!(shown(&home, &home.run(&["off", "--for", "30d"], b"")), @r#"
    exit 64
    --
    error: `30d` is not between 1s and 7d
    "#);
    assert_eq!(home.run(&["off", "--end"], b"").stdout, "the guard was on\n");
}

/// The document that a command prints, without what differs from run to run.
fn document(home: &Home, args: &[&str]) -> serde_json::Value {
    let output = home.run(args, b"");
    let text = shown(home, &output);
    let stamp = regex::Regex::new(r"-\d{8}T\d{9}Z").unwrap();
    let text = stamp.replace_all(&text, "-TIME").into_owned();
    let body = text.split_once('\n').unwrap().1.split("\n--\n").next().unwrap().to_owned();
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn the_documents_are_those_in_the_examples() {
    let home = bare_home();
    home.file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    for (name, args) in [
        ("install", ["install", "--json"]),
        ("status", ["status", "--json"]),
        ("doctor", ["doctor", "--json"]),
        ("uninstall", ["uninstall", "--json"]),
    ] {
        let printed = document(&home, &args);
        let example = format!("json/{name}.json");
        if std::env::var_os("RINGFENCE_WRITE_EXAMPLES").is_some() {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/corpus")
                .join(&example);
            fs::write(path, format!("{printed:#}\n")).unwrap();
        }
        let expected: serde_json::Value =
            serde_json::from_str(&crate::support::corpus(&example)).unwrap();
        assert_eq!(printed, expected, "{name}");
    }
}
