//! What install remembers, so that uninstall can give back the very bytes: `wiring/record.json` in
//! the state directory, and beside it the original of each settings file.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::settings::Made;
use crate::sys::{file, replace};

/// The largest settings file that is edited. The client itself has no limit that anybody reached.
pub const LARGEST: u64 = 64 << 20;

/// All that install did on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The format: 1.
    pub version: u32,
    /// The settings files that hold entries of ours.
    pub files: Vec<Edit>,
    /// The directories that were made.
    pub dirs: Vec<PathBuf>,
    /// The shim, if it was installed.
    pub shim: Option<PathBuf>,
}

/// What was done to one settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edit {
    /// The file, links resolved.
    pub path: PathBuf,
    /// Whether it was there before.
    pub existed: bool,
    /// sha256 of the original, which lies beside the record.
    pub before: String,
    /// sha256 of what install wrote.
    pub after: String,
    /// The containers that were made in it.
    pub made: Vec<Made>,
}

impl Record {
    /// Reads the record; `None` if there is none or it cannot be read.
    pub fn read(dir: &Path) -> Option<Self> {
        let bytes = file::read_bounded(&dir.join("record.json"), 1 << 20).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes the record, or removes it when nothing is left to remember.
    ///
    /// # Errors
    /// As the system says.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let path = dir.join("record.json");
        if self.files.is_empty() && self.shim.is_none() {
            return replace::remove_file(&path);
        }
        let text = serde_json::to_vec_pretty(&Self { version: 1, ..self.clone() })?;
        file::write_atomic(&path, &text, 0o600)
    }

    /// What was done to the file at `path`.
    pub fn edit(&self, path: &Path) -> Option<&Edit> {
        self.files.iter().find(|edit| edit.path == path)
    }

    /// Puts an edit in the place of an older one of the same file.
    pub fn put(&mut self, edit: Edit) {
        self.files.retain(|old| old.path != edit.path);
        self.files.push(edit);
    }
}

impl Edit {
    /// The original's bytes, if they are still there and whole.
    pub fn original(&self, dir: &Path) -> Option<Vec<u8>> {
        let bytes = file::read_bounded(&original_path(dir, &self.before), LARGEST).ok()?;
        (digest(&bytes) == self.before).then_some(bytes)
    }
}

/// Keeps an original.
///
/// # Errors
/// As the system says.
pub fn keep_original(dir: &Path, bytes: &[u8]) -> io::Result<()> {
    file::write_atomic(&original_path(dir, &digest(bytes)), bytes, 0o600)
}

/// Removes the originals that no edit of the record needs.
///
/// # Errors
/// As the system says.
pub fn forget_originals(dir: &Path, record: &Record) -> io::Result<()> {
    let needed: Vec<PathBuf> =
        record.files.iter().map(|edit| original_path(dir, &edit.before)).collect();
    let originals = replace::names_in(dir).into_iter().filter(|name| name.ends_with(".before"));
    originals
        .map(|name| dir.join(name))
        .filter(|path| !needed.contains(path))
        .try_for_each(|path| replace::remove_file(&path))
}

/// Named by its content: a change of mind never overwrites what an older record needs.
fn original_path(dir: &Path, digest: &str) -> PathBuf {
    dir.join(format!("{}.before", digest.get(..32).unwrap_or(digest)))
}

/// sha256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
