//! What is written down of each sandbox, so that one which outlived its maker can be removed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Refusal, RefusalKind};
use crate::sys::{file, process, tree};

/// One sandbox that was made and not yet removed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Record {
    /// Its name, and the record's.
    pub id: String,
    /// Its directory.
    #[serde(with = "as_bytes")]
    pub dir: PathBuf,
    /// Its entry in the repository.
    #[serde(with = "as_bytes")]
    pub admin: PathBuf,
    /// The process that made it.
    pub pid: u32,
    /// When that process started, in the kernel's ticks since boot.
    pub start: u64,
}

impl Record {
    /// Whether the process that made it still runs.
    pub fn is_owned(&self) -> bool {
        process::process(self.pid).is_some_and(|found| found.start == self.start)
    }

    /// Writes it down.
    pub(super) fn keep(&self, records: &Path) -> Result<(), Refusal> {
        let text = serde_json::to_vec(self).map_err(|error| system(records, &error))?;
        file::private_dir(records).map_err(|error| system(records, &error))?;
        let path = records.join(format!("{}.json", self.id));
        file::write_new(&path, &text).map_err(|error| system(&path, &error))
    }

    /// Removes the sandbox, its entry, and at last the record: what fails is tried again by [`prune`].
    ///
    /// The record names directories that will be removed, so only such as can be a sandbox's are.
    pub(super) fn undo(&self, records: &Path) -> Result<(), Refusal> {
        let named = |path: &Path| path.file_name().is_some_and(|name| name == self.id.as_str());
        let in_worktrees =
            self.admin.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees");
        if !is_id(&self.id) || !named(&self.dir) || !named(&self.admin) || !in_worktrees {
            return Err(system(&self.dir, &"its record is not one of ours"));
        }
        tree::remove(&self.dir).map_err(|error| system(&self.dir, &error))?;
        tree::remove(&self.admin).map_err(|error| system(&self.admin, &error))?;
        if let Some(worktrees) = self.admin.parent() {
            tree::remove_empty(worktrees);
        }
        for end in ["index", "json"] {
            let path = records.join(format!("{}.{end}", self.id));
            if file::exists(&path) {
                file::remove(&path).map_err(|error| system(&path, &error))?;
            }
        }
        Ok(())
    }
}

/// The beginning of every sandbox's name.
pub(super) const PREFIX: &str = "ringfence-sandbox-";

fn is_id(id: &str) -> bool {
    let rest = id.strip_prefix(PREFIX).unwrap_or_default();
    rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// All records in the directory, by name.
pub fn list(records: &Path) -> Vec<Record> {
    let mut names = file::names(records);
    names.sort();
    names.iter().filter_map(|name| read(records, name)).collect()
}

fn read(records: &Path, name: &str) -> Option<Record> {
    let id = name.strip_suffix(".json")?;
    let bytes = file::read_bounded(&records.join(name), 64 << 10).ok()?;
    serde_json::from_slice::<Record>(&bytes).ok().filter(|record| record.id == id)
}

/// Removes the sandboxes whose makers are gone: those, and why others could not be removed.
pub fn prune(records: &Path) -> (Vec<Record>, Vec<Refusal>) {
    let (mut removed, mut failed) = (Vec::new(), Vec::new());
    for record in list(records).into_iter().filter(|record| !record.is_owned()) {
        match record.undo(records) {
            Ok(()) => removed.push(record),
            Err(refusal) => failed.push(refusal),
        }
    }
    (removed, failed)
}

pub(super) fn system(path: &Path, why: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(RefusalKind::System, format!("`{}`: {why}", path.display()))
}

/// A path need not be UTF-8, so its bytes are written as numbers.
mod as_bytes {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().as_bytes().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<PathBuf, D::Error> {
        Vec::<u8>::deserialize(from).map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
    }
}
