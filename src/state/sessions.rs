//! Host sessions: when each was first seen, where, and whose child it is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{State, file_name};
use crate::sys::file;

/// The largest record that is believed.
const LIMIT: u64 = 65_536;

/// The longest chain of children that is followed.
const MAX_CHAIN: usize = 16;

/// What is known of one host session: `sessions/<id>.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRecord {
    /// The host's session id.
    pub session: String,
    /// When the first SessionStart of it was seen, RFC 3339 with milliseconds.
    pub first_seen: String,
    /// Whether another SessionStart came later: it was resumed or compacted.
    pub restarted: bool,
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

/// Which session a client process runs: `sessions/pid-<n>.client`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ClientRecord {
    pub(super) start: u64,
    pub(super) session: String,
}

impl State {
    fn sessions_dir(&self) -> PathBuf {
        self.dir().join("sessions")
    }

    fn record_path(&self, id: &str) -> PathBuf {
        self.sessions_dir().join(format!("{}.json", file_name(id)))
    }

    fn marker_path(&self, id: &str) -> PathBuf {
        self.sessions_dir().join(format!("{}.child", file_name(id)))
    }

    /// The record of a session, if one was kept.
    pub fn session(&self, id: &str) -> Option<SessionRecord> {
        if id.is_empty() {
            return None;
        }
        read(&self.record_path(id))
    }

    /// The session whose child `id` is; reads one small file.
    pub fn parent_of(&self, id: &str) -> Option<String> {
        if id.is_empty() {
            return None;
        }
        let bytes = file::read_bounded(&self.marker_path(id), 4096).ok()?;
        let parent = String::from_utf8(bytes).ok()?.trim().to_owned();
        (!parent.is_empty()).then_some(parent)
    }

    /// The session at the top of the chain of children that `id` is in.
    pub fn root_of(&self, id: &str) -> String {
        let mut root = id.to_owned();
        for _ in 0..MAX_CHAIN {
            match self.parent_of(&root) {
                Some(parent) if parent != root => root = parent,
                _ => break,
            }
        }
        root
    }

    /// The sessions that are marked as children of `id`, at any depth.
    pub fn children_of(&self, id: &str) -> Vec<String> {
        let marked: Vec<(String, String)> = file::names(&self.sessions_dir())
            .iter()
            .filter_map(|name| name.strip_suffix(".child"))
            .filter_map(|name| {
                Some((
                    read::<SessionRecord>(&self.sessions_dir().join(format!("{name}.json")))?
                        .session,
                    self.parent_of(name)?,
                ))
            })
            .collect();
        let mut found = vec![id.to_owned()];
        let mut at = 0;
        while let Some(parent) = found.get(at).cloned() {
            for (child, of) in &marked {
                if *of == parent && !found.contains(child) {
                    found.push(child.clone());
                }
            }
            at += 1;
        }
        found.split_off(1)
    }

    /// All records, in no order.
    pub fn sessions(&self) -> Vec<SessionRecord> {
        file::names(&self.sessions_dir())
            .iter()
            .filter(|name| name.ends_with(".json"))
            .filter_map(|name| read(&self.sessions_dir().join(name)))
            .collect()
    }

    /// Records a session's start; the first time it was seen is kept over resume and compaction.
    ///
    /// # Errors
    /// As the system says.
    pub fn record_session(&self, mut record: SessionRecord) -> std::io::Result<()> {
        file::private_dir(&self.sessions_dir())?;
        if let Some(known) = self.session(&record.session) {
            record.first_seen = known.first_seen;
            record.restarted |= known.restarted;
            record.child_of = record.child_of.or(known.child_of);
        }
        if let Some(parent) = &record.child_of {
            file::write_record(&self.marker_path(&record.session), parent.as_bytes())?;
        }
        let text = serde_json::to_vec(&record)?;
        file::write_record(&self.record_path(&record.session), &text)
    }

    /// Takes the mark of a child from a session: a person goes on with it.
    ///
    /// # Errors
    /// As the system says.
    pub fn unmark(&self, id: &str) -> std::io::Result<()> {
        let marker = self.marker_path(id);
        if file::exists(&marker) {
            file::remove(&marker)?;
        }
        let Some(record) = self.session(id).filter(|record| record.child_of.is_some()) else {
            return Ok(());
        };
        let text = serde_json::to_vec(&SessionRecord { child_of: None, ..record })?;
        file::write_record(&self.record_path(id), &text)
    }

    /// Records that the client process (`pid`, `start`) runs `session`.
    ///
    /// # Errors
    /// As the system says.
    pub fn record_client(&self, pid: u32, start: u64, session: &str) -> std::io::Result<()> {
        file::private_dir(&self.sessions_dir())?;
        let record = ClientRecord { start, session: session.to_owned() };
        file::write_record(&self.client_path(pid), &serde_json::to_vec(&record)?)
    }

    /// The session that a client process runs, when it is one.
    pub fn client_session(&self, pid: u32, start: u64) -> Option<String> {
        let record: ClientRecord = read(&self.client_path(pid))?;
        (record.start == start).then_some(record.session)
    }

    fn client_path(&self, pid: u32) -> PathBuf {
        self.sessions_dir().join(format!("pid-{pid}.client"))
    }
}

fn read<T: for<'de> Deserialize<'de>>(path: &std::path::Path) -> Option<T> {
    serde_json::from_slice(&file::read_bounded(path, LIMIT).ok()?).ok()
}
