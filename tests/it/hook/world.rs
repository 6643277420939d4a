//! A home whose native store holds one foreign note, so that a call can be refused.

use crate::support::{Home, Output};

pub(super) struct World {
    pub(super) home: Home,
    /// The note of another session.
    pub(super) id: String,
}

impl World {
    pub(super) fn new() -> Self {
        let home = Home::new();
        let note = home.run(&["note", "insight", "Tables are sorted.", "--session", "monday"], b"");
        assert_eq!(note.code, Some(0), "{note:?}");
        Self { id: note.stdout.trim().to_owned(), home }
    }

    /// A payload of a subagent of another session; ID and HOME are filled in.
    pub(super) fn payload(&self, tool: &str, input: &str) -> String {
        format!(
            r#"{{"session_id":"tuesday","cwd":"HOME","agent_id":"a","tool_name":"{tool}","tool_input":{input},"tool_use_id":"t-1"}}"#
        )
        .replace("ID", &self.id)
        .replace("HOME", self.home.path().to_str().unwrap())
    }

    /// Whether the call is refused; any other end than a refusal or silence is a failure.
    pub(super) fn refused(&self, payload: &[u8]) -> bool {
        let Output { code, stdout, stderr } = self.home.run(&["hook", "pre-tool-use"], payload);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
        let refused = stdout.contains(r#""permissionDecision":"deny""#);
        assert!(refused || stdout.is_empty(), "{stdout}");
        refused
    }

    pub(super) fn log(&self) -> String {
        let path = self.home.path().join(".local/state/ringfence/log.jsonl");
        std::fs::read_to_string(path).unwrap_or_default()
    }
}
