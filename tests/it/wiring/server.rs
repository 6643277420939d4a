//! Tests of the `mcp` arm: where the server is registered, how it goes, when it is refused.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::bare_home;
use crate::support::{BINARY, Home};

const WITH: [&str; 3] = ["install", "--with", "guard,mcp"];

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A user's file as the client keeps it, with what it must not lose.
const USER: &str = "{\n  \"firstStartTime\": \"2026-12-01T04:11:27.432Z\",\n  \"numStartups\": 1e1,\n  \
                    \"mcpServers\": {\n    \"other\": {\n      \"type\": \"stdio\",\n      \
                    \"command\": \"x\",\n      \"args\": [],\n      \"env\": {}\n    }\n  },\n  \
                    \"projects\": {}\n}";

#[test]
fn the_server_is_registered_and_taken_back_to_the_byte() {
    for (before, settings) in
        [(None, None), (Some(USER), Some("{\"model\": \"opus\"}\n")), (Some("{}"), None)]
    {
        let home = bare_home();
        if let Some(text) = before {
            home.file(".claude.json", text);
        }
        if let Some(text) = settings {
            home.file(".claude/settings.json", text);
        }
        let done = home.run(&WITH, b"");
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let server = &json_of(&home.path().join(".claude.json"))["mcpServers"]["ringfence"];
        assert_eq!(server["type"], json!("stdio"));
        assert_eq!(server["command"], json!(BINARY));
        assert_eq!(server["args"][0], json!("mcp"));
        assert!(home.path().join(".claude/settings.json").exists());
        // Again: nothing to do.
        let text = fs::read(home.path().join(".claude.json")).unwrap();
        assert!(home.run(&WITH, b"").stdout.contains("unchanged"));
        assert_eq!(fs::read(home.path().join(".claude.json")).unwrap(), text);
        let status = home.run(&["status"], b"").stdout;
        assert!(status.contains("server    ") && status.contains(".claude.json"), "{status}");
        let gone = home.run(&["uninstall"], b"");
        assert_eq!(gone.code, Some(0), "{}", gone.stderr);
        for (name, before) in [(".claude.json", before), (".claude/settings.json", settings)] {
            let after = fs::read_to_string(home.path().join(name)).ok();
            assert_eq!(after.as_deref(), before, "{name}");
        }
    }
}

#[test]
fn what_the_client_wrote_since_stays() {
    let home = bare_home();
    home.file(".claude.json", USER);
    home.run(&WITH, b"");
    let path = home.path().join(".claude.json");
    let mut text = json_of(&path);
    text["numStartups"] = json!(11);
    text["mcpServers"]["later"] = json!({ "command": "y" });
    fs::write(&path, serde_json::to_string_pretty(&text).unwrap()).unwrap();
    assert_eq!(home.run(&["uninstall"], b"").code, Some(0));
    text["mcpServers"].as_object_mut().unwrap().remove("ringfence");
    assert_eq!(json_of(&path), text);
}

#[test]
fn a_project_has_a_file_of_its_own_and_a_moved_client_another() {
    let home = bare_home();
    let project = home.dir("project");
    home.dir("project/.git");
    let args = ["install", "--with", "guard,mcp", "--scope", "project"];
    let done = home.run_in(&project, &args, b"");
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("the client asks each user once"), "{}", done.stderr);
    let server = &json_of(&project.join(".mcp.json"))["mcpServers"]["ringfence"];
    // What many share names no place of one user.
    assert_eq!(server["args"], json!(["mcp"]));
    assert_eq!(home.run_in(&project, &["uninstall", "--scope", "project"], b"").code, Some(0));
    assert!(!project.join(".mcp.json").exists());

    let moved = home.dir("moved");
    let home = home.env("CLAUDE_CONFIG_DIR", moved.to_str().unwrap());
    assert_eq!(home.run(&WITH, b"").code, Some(0));
    assert!(moved.join(".claude.json").exists() && !home.path().join(".claude.json").exists());
}

#[test]
fn a_second_memory_server_or_another_of_its_name_is_refused_and_nothing_changes() {
    let other = r#"{"mcpServers": {"ringfence": {"command": "other"}}}"#;
    let cortex = r#"{"mcpServers": {"cortex": {"command": "node"}}}"#;
    for (name, text, said) in [
        (".claude.json", cortex, "has a memory server `cortex` already"),
        (".mcp.json", cortex, "has a memory server `cortex` already"),
        (".claude/settings.json", cortex, "has a memory server `cortex` already"),
        (".claude.json", other, "`mcpServers.ringfence` is of the wrong kind"),
        (".claude.json", "{\"mcpServers\": [],}", "is left as it is"),
    ] {
        let home = bare_home();
        home.file(name, text);
        let before = fs::read_dir(home.path().join(".claude")).map(Iterator::count).unwrap_or(0);
        let done = home.run(&WITH, b"");
        assert_eq!(done.code, Some(1), "{name} {text}");
        assert!(done.stderr.contains(said), "{}", done.stderr);
        assert_eq!(fs::read_to_string(home.path().join(name)).unwrap(), text);
        let after = fs::read_dir(home.path().join(".claude")).map(Iterator::count).unwrap_or(0);
        assert_eq!(before, after, "{name} {text}");
    }
    let home = bare_home();
    let done = home.run(&["install", "--with", "mcp", "--scope", "local"], b"");
    assert_eq!(done.code, Some(1));
}

#[test]
fn alone_it_leaves_the_hook_as_it_is_and_says_what_is_missing() {
    let home = bare_home();
    let done = home.run(&["install", "--with", "mcp"], b"");
    assert!(done.stderr.contains("without the hook"), "{}", done.stderr);
    assert!(!home.path().join(".claude/settings.json").exists());
    home.run(&["install"], b"");
    let settings = fs::read(home.path().join(".claude/settings.json")).unwrap();
    home.run(&["install", "--with", "mcp"], b"");
    assert_eq!(fs::read(home.path().join(".claude/settings.json")).unwrap(), settings);
}

#[test]
fn a_dry_run_shows_both_files_and_changes_none() {
    let home = bare_home();
    home.file(".claude.json", "{}\n");
    let done = home.run(&["install", "--with", "guard,mcp", "--dry-run"], b"");
    assert!(
        done.stdout.contains("would make") && done.stdout.contains("would edit"),
        "{}",
        done.stdout
    );
    assert_eq!(fs::read_to_string(home.path().join(".claude.json")).unwrap(), "{}\n");
    assert!(!home.path().join(".claude/settings.json").exists());
    let document = home.run(&["install", "--with", "guard,mcp", "--dry-run", "--json"], b"").stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["server"]["change"], json!("edited"));
}

/// The rows of doctor on the server.
fn rows(home: &Home) -> String {
    let text = home.run(&["doctor", "--json"], b"").stdout;
    let document: Value = serde_json::from_str(&text).unwrap();
    let rows =
        document["rows"].as_array().or_else(|| document["checks"].as_array()).unwrap().clone();
    rows.iter()
        .filter(|row| row["name"] == json!("mcp"))
        .map(|row| {
            let text =
                format!("{}: {}\n", row["health"].as_str().unwrap(), row["said"].as_str().unwrap());
            text.replace(home.path().to_str().unwrap(), "~")
        })
        .collect()
}

#[test]
fn doctor_starts_the_server_that_is_registered() {
    let home = bare_home();
    assert_eq!(rows(&home), "");
    home.run(&WITH, b"");
    assert_snapshot!(rows(&home), @r##"
    pass: the server in `~/.claude.json` started: cortex_note, cortex_resolve, cortex_recall, cortex_brief, cortex_list, cortex_history
    "##);
    // A program that is gone.
    let path = home.path().join(".claude.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(BINARY, "/nonexistent/ringfence")).unwrap();
    assert_snapshot!(rows(&home), @r##"
    fail: the server in `~/.claude.json` does not start: No such file or directory (os error 2)
    "##);
}
