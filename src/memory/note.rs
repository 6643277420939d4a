//! The kinds of notes and what each may do.

#![forbid(unsafe_code)]

/// The kinds that our own store accepts; a foreign store may hold any word.
pub const KINDS: &[&str] = &["insight", "decision", "intent", "blocker", "focus"];

/// The statuses of a note.
pub const STATUSES: &[&str] = &["active", "superseded", "resolved"];

/// The agent of a note whose writer nothing tells: the parent or any subagent of its session.
pub const UNKNOWN_AGENT: &str = "unknown";

/// The longest text of a note, in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;

/// Whether a note of this kind retires older ones on its subject.
pub fn supersedes(kind: &str) -> bool {
    matches!(kind, "decision" | "intent")
}

/// Whether a note of this kind must say what it is about.
pub fn needs_subject(kind: &str) -> bool {
    matches!(kind, "decision" | "intent" | "blocker" | "focus")
}
