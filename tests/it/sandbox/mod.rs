//! The evidence sandbox: what is made, what is seen in it, what is left of it.

mod life;
mod paths;
mod planted;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use ringfence::sandbox::{EvidenceSandbox, Refusal, create_worktree_sandbox};

/// A repository with one commit, and a place for records.
pub(crate) struct World {
    _dir: tempfile::TempDir,
    pub(crate) repository: PathBuf,
    pub(crate) records: PathBuf,
    pub(crate) head: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::named(OsStr::new("repository"))
    }

    pub(crate) fn named(name: &OsStr) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let repository = root.join(name);
        std::fs::create_dir(&repository).unwrap();
        let mut world =
            Self { _dir: dir, records: root.join("records"), repository, head: String::new() };
        world.git(&["init", "--quiet"]);
        world.write("kept.txt", "kept\n");
        world.write("deep/other.txt", "other\n");
        world.write(".gitignore", "*.log\nbuild/\n");
        world.commit();
        world
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.repository.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn commit(&mut self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
        self.head = self.git(&["rev-parse", "HEAD"]);
    }

    pub(crate) fn git(&self, words: &[&str]) -> String {
        git(&self.repository, words)
    }

    pub(crate) fn make(&self) -> Result<EvidenceSandbox, Refusal> {
        create_worktree_sandbox(&self.repository, &self.head, &self.records)
    }

    /// What is left of sandboxes: records, and entries in the repository.
    pub(crate) fn left(&self) -> Vec<PathBuf> {
        let dirs = [self.records.clone(), self.repository.join(".git/worktrees")];
        dirs.iter()
            .filter_map(|dir| std::fs::read_dir(dir).ok())
            .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
            .collect()
    }
}

/// git as a person runs it, with nothing of this machine's configuration.
pub(crate) fn git(dir: &Path, words: &[&str]) -> String {
    let ended = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(words)
        .current_dir(dir)
        .env("HOME", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(ended.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).trim().to_owned()
}
