//! What goes wrong in the hook itself is silence and status 0.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::support::{BINARY, Home, Output};

const CALL: &str = r#"{"session_id":"s","agent_id":"a","cwd":"/","tool_name":"Bash","tool_input":{"command":"cortex delete-memory x --yes"}}"#;

#[test]
fn a_panic_an_abort_a_fault_an_overflow_and_a_hang_all_end_in_silence() {
    for what in ["panic", "abort", "fault", "overflow", "hang"] {
        let home = Home::new();
        let output = home.run(&["hook", &format!("self-test-{what}")], b"");
        assert_eq!(
            output,
            Output { code: Some(0), stdout: String::new(), stderr: String::new() },
            "{what}"
        );
        let log = home.path().join(".local/state/ringfence/log.jsonl");
        let log = std::fs::read_to_string(log).unwrap_or_default();
        assert_eq!(log.contains(r#""code":"crashed","detail":"src/"#), what == "panic", "{log}");
    }
}

#[test]
fn an_input_that_is_never_closed_ends_with_the_alarm() {
    let home = Home::new();
    let mut child = Command::new(BINARY)
        .args(["hook", "pre-tool-use"])
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(open);
}

#[test]
fn closed_descriptors_are_no_error() {
    let home = Home::new();
    for script in [
        "exec \"$0\" hook pre-tool-use <&-",
        "exec \"$0\" hook pre-tool-use >&-",
        "exec \"$0\" hook pre-tool-use 2>&- >&- <&-",
    ] {
        let mut child = Command::new("sh")
            .args(["-c", script, BINARY])
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        drop(child.stdin.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{script}");
    }
}

#[test]
fn a_state_directory_that_cannot_be_written_is_no_error() {
    let silent = Output { code: Some(0), stdout: String::new(), stderr: String::new() };
    let start = r#"{"session_id":"s","cwd":"/","source":"startup"}"#;
    // A file in its place.
    let home = Home::new();
    home.file(".local/state/ringfence", "");
    assert_eq!(home.run(&["hook", "pre-tool-use"], CALL.as_bytes()), silent);
    assert_eq!(home.run(&["hook", "session-start"], start.as_bytes()), silent);
    // No home at all.
    let mut child = Command::new(BINARY)
        .args(["hook", "pre-tool-use"])
        .env_clear()
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // Read-only, as far as this user is held by it.
    let home = Home::new();
    let dir = home.dir(".local/state/ringfence");
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(home.run(&["hook", "session-start"], start.as_bytes()), silent);
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_link_planted_in_place_of_the_log_is_not_written_through() {
    let home = Home::new();
    let victim = home.file("victim", "untouched");
    let state = home.dir(".local/state/ringfence");
    for name in ["log.jsonl", "calls.jsonl"] {
        symlink(&victim, state.join(name)).unwrap();
    }
    home.run(&["hook", "pre-tool-use"], b"{\"agent_id\":\"a\"");
    home.run(&["hook", "subagent-start"], br#"{"session_id":"s","agent_id":"a","cwd":"/"}"#);
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "untouched");
}

#[test]
fn files_of_the_state_directory_are_private() {
    let home = Home::new();
    home.run(&["hook", "session-start"], br#"{"session_id":"s","cwd":"/","source":"startup"}"#);
    home.run(&["hook", "subagent-start"], br#"{"session_id":"s","agent_id":"a","cwd":"/"}"#);
    home.run(&["hook", "pre-tool-use"], b"{\"agent_id\":\"a\"");
    let state = home.path().join(".local/state/ringfence");
    let mut seen = 0;
    let mut open = vec![state];
    while let Some(dir) = open.pop() {
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn no_variable_of_a_project_moves_the_state() {
    let home = Home::new()
        .env("RINGFENCE_STATE", "/nowhere")
        .env("RINGFENCE_CONFIG", "/nowhere")
        .env("RINGFENCE_STORE", "/nowhere");
    home.run(&["hook", "pre-tool-use"], b"{\"agent_id\":\"a\"");
    assert!(home.path().join(".local/state/ringfence/log.jsonl").exists());
}
