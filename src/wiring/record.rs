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
        let bytes = file::read_bounded(&original_path(dir, &self.path), LARGEST).ok()?;
        (digest(&bytes) == self.before).then_some(bytes)
    }
}

/// Keeps the original of the file at `path`.
///
/// # Errors
/// As the system says.
pub fn keep_original(dir: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    file::write_atomic(&original_path(dir, path), bytes, 0o600)
}

/// Forgets the original of the file at `path`.
///
/// # Errors
/// As the system says.
pub fn forget_original(dir: &Path, path: &Path) -> io::Result<()> {
    replace::remove_file(&original_path(dir, path))
}

fn original_path(dir: &Path, path: &Path) -> PathBuf {
    let name = digest(path.as_os_str().as_encoded_bytes());
    dir.join(format!("{}.before", name.get(..16).unwrap_or(&name)))
}

/// sha256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
