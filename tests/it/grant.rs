//! Grants, from a client's shell and from outside.

use std::process::{Command, Stdio};

use crate::support::{BINARY, Home, Output};

/// A home with one foreign note and a stand-in client whose child processes are "in a session".
struct World {
    home: Home,
    id: String,
}

impl World {
    fn new() -> Self {
        let home = Home::new();
        let note = home.run(&["note", "insight", "Tables are sorted.", "--session", "monday"], b"");
        assert_eq!(note.code, Some(0), "{note:?}");
        std::os::unix::fs::symlink("/bin/bash", home.path().join("client")).unwrap();
        Self { id: note.stdout.trim().to_owned(), home }
    }

    /// Runs shell text below the stand-in client, after a SessionStart of `tuesday`.
    fn in_client(&self, text: &str) -> Output {
        let code = format!(
            "{}\n{text}\ntrue",
            self.hook(
                "session-start",
                r#"{"session_id":"tuesday","cwd":"HOME","source":"startup"}"#
            )
        );
        let output = Command::new(self.home.path().join("client"))
            .args(["-c", &code])
            .current_dir(self.home.path())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("CLAUDECODE", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Shell text that runs a hook with a payload.
    fn hook(&self, event: &str, payload: &str) -> String {
        let payload = payload.replace("HOME", self.home.path().to_str().unwrap());
        format!("printf '%s' '{payload}' | '{BINARY}' hook {event}")
    }

    fn call(&self, agent: &str, command: &str) -> String {
        self.call_as("t-1", agent, command)
    }

    fn call_as(&self, call: &str, agent: &str, command: &str) -> String {
        self.hook(
            "pre-tool-use",
            &format!(
                r#"{{"session_id":"tuesday",{agent}"cwd":"HOME","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"{call}"}}"#
            ),
        )
    }

    /// The answer to a subagent's attempt to delete the note.
    fn attempt(&self) -> String {
        self.attempt_as("t-1")
    }

    /// The same as a call of its own.
    fn attempt_as(&self, call: &str) -> String {
        let command = format!("ringfence delete-memory {} --yes", self.id);
        self.in_client(&self.call_as(call, r#""agent_id":"a","#, &command)).stdout
    }
}

#[test]
fn the_parent_grants_and_the_subagent_goes_through_once() {
    let world = World::new();
    assert!(world.attempt().contains("ringfence grant"), "the refusal says how");
    let grant = format!("ringfence grant {}", world.id);
    let typed = format!("{}\n'{BINARY}' grant {}", world.call("", &grant), world.id);
    let granted = world.in_client(&typed);
    assert!(granted.stdout.contains("granted once"), "{granted:?}");
    assert!(
        granted.stdout.contains("delete")
            && granted.stdout.contains("written by monday: Tables are sorted.")
    );
    assert_eq!(world.attempt(), "", "the first attempt goes through");
    assert!(world.attempt_as("t-2").contains("deny"), "the second does not");
}

#[test]
fn a_grant_needs_the_hooks_word_that_the_parent_typed_it() {
    for (agent, typed, expected) in [
        ("", None, "no record of this command"),
        (r#""agent_id":"a","#, Some("ringfence grant ID"), "a subagent cannot grant itself"),
        ("", Some("ringfence grant another"), "no record of this command"),
        ("", Some("echo ringfence grant ID"), "no record of this command"),
    ] {
        let world = World::new();
        let seen = typed.map(|text| world.call(agent, &text.replace("ID", &world.id)));
        let text =
            format!("{}\n'{BINARY}' grant {} --action delete", seen.unwrap_or_default(), world.id);
        let output = world.in_client(&text);
        assert!(output.stderr.contains(expected), "{typed:?}: {output:?}");
        assert!(world.attempt().contains("deny"));
    }
    let world = World::new();
    let outside = world.home.run(&["grant", &world.id, "--action", "delete"], b"");
    assert_eq!(outside.code, Some(1));
    insta::assert_snapshot!(outside.stderr.replace(&world.id, "ID"), @r"
    error: a grant needs a terminal of its own, or the parent's own shell call

    hint: open a terminal and type: ringfence grant ID
    ");
}

#[test]
fn a_record_that_is_too_old_is_no_word() {
    let world = World::new();
    let old = format!(
        r#"{{"at":"2020-01-01T00:00:00.000Z","event":"call","session":"tuesday","call":"t","tool":"Bash","grants":["{}"]}}"#,
        world.id
    );
    world.home.file(".local/state/ringfence/calls.jsonl", &format!("{old}\n"));
    let output = world.in_client(&format!("'{BINARY}' grant {} --action delete", world.id));
    assert!(output.stderr.contains("no record of this command"), "{output:?}");
}
