//! The spool of calls: who made which memory call, appended by the hook, taken in by the store.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::State;
use crate::sys::{file, spool};

/// The spool is turned over when it grows larger.
const TURN_OVER: u64 = 4 * 1024 * 1024;

/// How much of its end is read.
const TAIL: u64 = 1024 * 1024;

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
    /// The subagent's type.
    pub agent_type: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The directory of the call.
    pub cwd: String,
    /// The branch scope of `cwd`, `None` = not known.
    pub scope: Option<String>,
    /// For a shell call: the digest of its text.
    pub digest: String,
    /// For a shell call that runs `ringfence grant ID`: the ids.
    pub grants: Vec<String>,
}

impl State {
    fn calls_path(&self) -> PathBuf {
        self.dir().join("calls.jsonl")
    }

    /// Appends one record.
    ///
    /// # Errors
    /// As the system says.
    pub fn append_call(&self, record: &CallRecord) -> std::io::Result<()> {
        file::private_dir(self.dir())?;
        let path = self.calls_path();
        spool::append(&path, TURN_OVER, &serde_json::to_string(record)?, 0, |_| false)
    }

    /// The newest call records, newest first, from at most the last MiB of the spool, or of the one
    /// before while it is that short.
    pub fn recent_calls(&self) -> Vec<CallRecord> {
        let mut bytes = file::read_tail(&self.calls_path(), TAIL).unwrap_or_default();
        let left = TAIL.saturating_sub(bytes.len() as u64);
        if left > 0 {
            let mut old =
                file::read_tail(&spool::turned_over(&self.calls_path()), left).unwrap_or_default();
            old.append(&mut bytes);
            bytes = old;
        }
        let mut found: Vec<CallRecord> = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        found.reverse();
        found
    }
}
