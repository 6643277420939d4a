//! Our state directory: what the hook leaves for later (sessions, calls, grants, the log).
//!
//! The hook only appends or renames here. Files are 0600 in 0700 directories; ids that come from
//! a payload never become file names as they are.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The state directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    dir: PathBuf,
}

/// What is known of one host session: `sessions/<id>.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRecord {
    /// The host's session id.
    pub session: String,
    /// When the first SessionStart of it was seen, RFC 3339 with milliseconds.
    pub first_seen: String,
    /// When SessionEnd was seen last; empty while it runs.
    pub ended: String,
    /// The directory at the start.
    pub cwd: String,
    /// The host's project directory.
    pub project: String,
    /// The branch scope of `cwd` at the start, `None` = not known.
    pub scope: Option<String>,
    /// The session whose subagent's tool call started this client.
    pub child_of: Option<String>,
}

/// One memory call, or one subagent start or stop: a line of `calls.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallRecord {
    /// RFC 3339 with milliseconds.
    pub at: String,
    /// `call`, `subagent-start`, `subagent-stop`.
    pub event: String,
    /// The host's session id.
    pub session: String,
    /// The host's id of the call.
    pub call: String,
    /// The subagent's id, `None` for the parent.
    pub agent: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The directory of the call.
    pub cwd: String,
    /// The branch scope of `cwd`, `None` = not known.
    pub scope: Option<String>,
    /// For a shell call: sha256 of the text, so that a CLI can find its own record.
    pub digest: String,
}

impl State {
    /// The state directory at `dir`; it need not exist.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The record of a session, if one was kept.
    pub fn session(&self, id: &str) -> Option<SessionRecord> {
        let _ = id;
        None
    }

    /// The sessions that are marked as children of `id`, at any depth.
    pub fn children_of(&self, id: &str) -> Vec<String> {
        let _ = id;
        Vec::new()
    }

    /// The newest call records, newest first, from at most the last MiB of the spool.
    pub fn recent_calls(&self) -> Vec<CallRecord> {
        Vec::new()
    }
}
