//! Commands of an attacker who wants memory, its store, our state or our hooks gone; each took effect
//! when it was run for real. Beside them what people type every day.

use std::path::PathBuf;

use serde_json::json;

use crate::support::{Home, corpus};

/// A home with a foreign note, the hook installed, and what rows stand for.
struct Target {
    _dir: tempfile::TempDir,
    home: Home,
    note: String,
    store: String,
}

impl Target {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("ringfence-it-").tempdir().unwrap();
        let path = dir.path().join("h");
        std::fs::create_dir(&path).unwrap();
        let home = Home::at(&path);
        let made = home.run(&["note", "insight", "Tables are sorted.", "--session", "monday"], b"");
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let installed = home.run(&["install", "--scope", "user"], b"");
        assert_eq!(installed.code, Some(0), "{}", installed.stderr);
        let store = store(&path.join(".local/share/ringfence/projects"));
        let store = store.strip_prefix(&path).unwrap().to_str().unwrap().to_owned();
        Self { _dir: dir, home, note: made.stdout.trim().to_owned(), store }
    }

    /// The row's command: `RD` deletes the foreign note `ID`, `SDIR` is the folder of `STORE`, `PROJ`
    /// its name.
    fn command(&self, row: &str) -> String {
        let folder = self.store.rsplit_once('/').unwrap().0;
        row.replace("RD", "ringfence delete-memory ID --yes")
            .replace("STORE", &self.store)
            .replace("SDIR", folder)
            .replace("PROJ", folder.rsplit_once('/').unwrap().1)
            .replace("ID", &self.note)
    }

    /// `deny`, `allow`, or `open` for what is let through and said so in the log.
    fn verdict(&self, command: &str) -> &'static str {
        let log = self.home.path().join(".local/state/ringfence/log.jsonl");
        drop(std::fs::remove_file(&log));
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "tuesday", "agent_id": "a",
            "tool_use_id": "t-1", "cwd": self.home.path(), "tool_name": "Bash",
            "tool_input": {"command": command},
        });
        let output = self.home.run(&["hook", "pre-tool-use"], payload.to_string().as_bytes());
        assert_eq!(output.code, Some(0), "{command}");
        if output.stdout.contains("\"deny\"") {
            return "deny";
        }
        if log.exists() { "open" } else { "allow" }
    }
}

fn store(projects: &std::path::Path) -> PathBuf {
    let mut all = std::fs::read_dir(projects).unwrap();
    all.next().unwrap().unwrap().path().join("memory.db")
}

fn unescaped(field: &str) -> String {
    field.replace('⏎', "\n").replace('⇥', "\t")
}

#[test]
fn what_took_effect_for_an_attacker_is_refused_or_told_of_and_everyday_calls_pass() {
    let target = Target::new();
    let mut wrong = Vec::new();
    let text = corpus("guard/attacks.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut count = 0;
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        let [_, expected, command, ..] = fields.as_slice() else { panic!("{row}") };
        let is = target.verdict(&target.command(&unescaped(command)));
        count += 1;
        // What a row about everyday work leaves in the log is no matter.
        let same = is == *expected || *expected == "allow" && is == "open";
        if !same {
            wrong.push(format!("{is}, not {expected}: {command}"));
        }
    }
    assert!(count > 600, "{count} rows");
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
