//! Our state directory: what the hook leaves for later (sessions, calls, grants, the log).
//!
//! The hook only appends or renames here. Files are 0600 in 0700 directories; ids that come from
//! a payload never become file names as they are.

mod claims;
pub mod grants;
pub mod log;
pub mod off;
pub mod postures;
mod proposals;
mod retention;
pub mod sessions;
mod spool;
mod terminal;

use std::path::{Path, PathBuf};

use crate::sys::file;

pub use grants::Grant;
pub use log::LogLine;
pub use off::Off;
pub use postures::PostureRecord;
pub use proposals::Proposal;
pub use sessions::SessionRecord;
pub use spool::CallRecord;

/// The names of all that we put into the state directory.
pub const NAMES: &[&str] = &[
    "asked",
    "calls.jsonl",
    "calls.jsonl.1",
    "claims",
    "grants",
    "ledger.jsonl",
    "ledger.jsonl.1",
    "log.jsonl",
    "log.jsonl.1",
    "off",
    "off.d",
    "prefix",
    "probe.json",
    "proposals",
    "sandboxes",
    "scratchpad",
    "sessions",
    "snapshots",
    "tidied",
    "wiring",
];

/// The state directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    dir: PathBuf,
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

    /// Notes that the client asked about a subagent's call just now; costs one system call.
    pub fn touch_asked(&self) {
        let path = self.asked_path();
        if !file::touch(&path) && file::private_dir(&self.dir).is_ok() {
            // Doctor only warns without it.
            drop(file::create_private(&path));
        }
    }

    /// When the client last asked about a subagent's call, in milliseconds since 1970.
    pub fn asked_at(&self) -> Option<i64> {
        file::modified_ms(&self.asked_path())
    }

    fn asked_path(&self) -> PathBuf {
        self.dir.join("asked")
    }
}

/// An id as a file name: itself when it is short and plain, else a digest of it.
pub(crate) fn file_name(id: &str) -> String {
    let plain = (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if plain { id.to_owned() } else { format!("x{}", digest(id)) }
}

/// The first 32 hex digits of the SHA-256 of `text`.
pub fn digest(text: &str) -> String {
    use sha2::Digest;
    let hash = sha2::Sha256::digest(text.as_bytes());
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_from_outside_never_name_a_path() {
        assert_eq!(file_name("6b3f56a9-02e4"), "6b3f56a9-02e4");
        for id in ["", "../../x", "a/b", "a\0b", ".", "ä", &"x".repeat(65)] {
            let name = file_name(id);
            assert!(
                name.len() == 33 && name.bytes().all(|b| b.is_ascii_alphanumeric()),
                "{id}: {name}"
            );
        }
    }
}
