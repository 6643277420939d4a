//! Memory: what a note is, whose it is, and what a write would retire.
//!
//! The rules (`note`, `subject`, `supersede`, `contradiction`) are pure; `store` touches SQLite.
//! [`Memory`] is the guard's window on any store: read-only, each look-up may answer "cannot tell".

#![forbid(unsafe_code)]

pub mod contradiction;
pub mod note;
pub mod store;
pub mod subject;
pub mod supersede;

use crate::decision::Doubt;
use crate::request::Caller;

/// Whose format a store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Cortex's `cortex.db` or `.cortex.db`.
    Cortex,
    /// Our own `memory.db`.
    Native,
}

impl Family {
    /// The program's name that the format belongs to.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cortex => "cortex",
            Self::Native => "ringfence",
        }
    }
}

/// Read-only look-ups in one store. An error is "cannot tell", and "cannot tell" is allow.
pub trait Memory {
    /// Whose format it has.
    fn family(&self) -> Family;

    /// The store's file, absolute.
    fn path(&self) -> &str;

    /// What belongs to the caller's own conversation.
    fn circle(&self, caller: &Caller) -> Result<Circle, Doubt>;

    /// A session by its id.
    fn session(&self, id: &str) -> Result<Option<Session>, Doubt>;

    /// A note by its id, whatever its status.
    fn note(&self, id: &str) -> Result<Option<Note>, Doubt>;

    /// What `edit-memory ID` and `delete-memory ID` address: in Cortex an item by its id or a note's
    /// id, in ours a note.
    fn item(&self, id: &str) -> Result<Option<Item>, Doubt>;

    /// What a restore of a memory that is not there any more would bring back; `None` when the store
    /// keeps no such thing.
    fn former(&self, _id: &str) -> Result<Option<Item>, Doubt> {
        Ok(None)
    }

    /// The active notes whose subject is exactly `subject` (already normalised), any kind, any scope.
    fn active_on(&self, subject: &str) -> Result<Vec<Note>, Doubt>;

    /// The active notes that `note-resolve --subject` and `cortex_resolve` find their note among,
    /// newest first: in Cortex's store those whose subject equals `raw` but for ASCII case, in ours
    /// those whose subject is `raw` normalised.
    fn active_like(&self, raw: &str) -> Result<Vec<Note>, Doubt>;
}

/// What belongs to the caller: the sessions of its tree and how sure we are of the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circle {
    /// The ids of the tree: the primary, its children, marked child sessions.
    pub sessions: Vec<String>,
    /// The session that a write of this caller would be stamped with.
    pub writer: String,
    /// The scope of such a write; `None` = not known, then implicit targets are not judged.
    pub scope: Option<String>,
    /// When set, the primary's row was rotated in mid-sitting or has ended: then a session counts as
    /// foreign only if it ended before this time (RFC 3339, compared as text).
    pub ended_before: Option<String>,
    /// Whether the store does not know the caller at all: then only memories that the call names are
    /// judged, by `ended_before` alone.
    pub stranger: bool,
}

/// A row of `sessions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// Its parent, for a subagent's row.
    pub parent: Option<String>,
    /// The branch or project it worked on; compared as text.
    pub scope: Option<String>,
    /// When it ended, RFC 3339.
    pub ended_at: Option<String>,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its id.
    pub id: String,
    /// The session that wrote it.
    pub session: String,
    /// The subagent that wrote it, where the store knows.
    pub agent: Option<String>,
    /// insight, decision, intent, blocker, focus; not checked in foreign stores.
    pub kind: String,
    /// Normalised subject.
    pub subject: Option<String>,
    /// The text.
    pub content: String,
    /// active, superseded, resolved.
    pub status: String,
    /// Marked as contradicted by another note.
    pub contested: bool,
    /// The scope: Cortex's is its session's, ours its own.
    pub scope: Option<String>,
    /// When it was written, RFC 3339.
    pub created_at: String,
}

/// What an edit or delete addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The id as the store has it.
    pub id: String,
    /// Its owner; `None` = the store records none.
    pub session: Option<String>,
    /// The subagent that wrote it, where the store knows.
    pub agent: Option<String>,
    /// `decision`, `note:decision`, `episode:…`, `command_run`, …
    pub kind: String,
    /// Its subject.
    pub subject: Option<String>,
    /// Its scope.
    pub scope: Option<String>,
}
