//! The files that decide what our git would read and run, byte for byte: compared before each git command
//! that runs after an agent.

use std::path::{Path, PathBuf};

use super::{Refusal, RefusalKind};
use crate::sys::file;

/// A larger one is a refusal.
const LIMIT: u64 = 4 << 20;

/// What the files held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal(Vec<(PathBuf, Option<Vec<u8>>)>);

impl Seal {
    /// Reads them: the work tree's pointer, its own git directory's and the shared one's.
    ///
    /// # Errors
    /// When one of them is there and cannot be read.
    pub fn read(dir: &Path, admin: &Path, common: &Path) -> Result<Self, Refusal> {
        let own = ["HEAD", "commondir", "gitdir", "config.worktree", "info/sparse-checkout"];
        let shared = [
            "config",
            "config.worktree",
            "info/exclude",
            "info/attributes",
            "objects/info/alternates",
        ];
        let paths = std::iter::once(dir.join(".git"))
            .chain(own.iter().map(|name| admin.join(name)))
            .chain(shared.iter().map(|name| common.join(name)));
        paths.map(|path| read(&path).map(|bytes| (path, bytes))).collect::<Result<_, _>>().map(Self)
    }

    /// Refuses when one of the files is not as it was.
    ///
    /// # Errors
    /// Then, and when one cannot be read.
    pub fn check(&self) -> Result<(), Refusal> {
        for (path, before) in &self.0 {
            if read(path)? != *before {
                let sentence = format!("`{}` was changed", path.display());
                return Err(Refusal::new(RefusalKind::Tampered, sentence));
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Refusal> {
    if !file::exists(path) {
        return Ok(None);
    }
    let refuse =
        |why: String| Refusal::new(RefusalKind::Tampered, format!("`{}`: {why}", path.display()));
    if crate::sys::place::is_link(path) {
        return Err(refuse("it is a link".to_owned()));
    }
    file::read_bounded(path, LIMIT).map(Some).map_err(|error| refuse(error.to_string()))
}
