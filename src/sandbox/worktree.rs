//! A sandbox's life: made, looked at, removed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::git::{Git, is_full_id};
use super::path::{canonicalize_path, is_inside};
use super::record::{PREFIX, Record, system};
use super::seal::Seal;
use super::{Refusal, RefusalKind};
use crate::sys::git::Repository;
use crate::sys::{process, tree};

/// What a sandbox is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A detached work tree outside the repository.
    Worktree,
    /// The directory itself: no boundary at all.
    InPlace,
}

/// Where an agent is to leave one file.
#[derive(Debug)]
pub struct EvidenceSandbox {
    /// What it is.
    pub kind: Kind,
    /// The agent's working directory.
    pub dir: PathBuf,
    /// Where the agent writes its evidence.
    pub outputs_dir: PathBuf,
    made: Option<Made>,
}

/// What is known of a work tree of ours.
#[derive(Debug)]
struct Made {
    record: Record,
    records: PathBuf,
    seal: Seal,
}

/// Where evidence lies below a work tree's top.
const OUTPUTS: &str = ".project-ai/skill-outputs";

/// How git is asked what is not as the commit has it.
const STATUS: [&str; 6] =
    ["status", "--porcelain=v2", "-z", "-uall", "--ignored=matching", "--ignore-submodules=none"];

/// Makes a detached work tree of the commit `head` in the system's temporary directory, and a record of it
/// in `records`.
///
/// # Errors
/// Nothing is left behind then.
pub fn create_worktree_sandbox(
    repository: &Path,
    head: &str,
    records: &Path,
) -> Result<EvidenceSandbox, Refusal> {
    if !is_full_id(head) {
        return Err(Refusal::new(
            RefusalKind::NoCommit,
            format!("`{head}` is not a full commit id"),
        ));
    }
    let found = Repository::find(repository).ok_or_else(|| {
        let sentence = format!("`{}` is in no git repository", repository.display());
        Refusal::new(RefusalKind::NotARepository, sentence)
    })?;
    let git = Git::on(&found.common_dir)?;
    let kind = git.run(&["cat-file", "-t", head], &[]);
    if kind.as_deref().map(<[u8]>::trim_ascii) != Ok(b"commit") {
        let sentence = format!("the repository has no commit `{head}`");
        return Err(Refusal::new(RefusalKind::NoCommit, sentence));
    }
    let temporary = tree::temporary().map_err(|error| system(Path::new("TMPDIR"), &error))?;
    let id = format!("{PREFIX}{}", uuid::Uuid::now_v7().simple());
    let dir = canonicalize_path(&temporary.join(&id))?;
    stands_apart(&dir, &found)?;
    let owner = process::own().ok_or_else(|| system(Path::new("/proc/self"), &"not readable"))?;
    let admin = found.common_dir.join("worktrees").join(&id);
    let record = Record { id, dir: dir.clone(), admin, pid: owner.pid, start: owner.start };
    // First the record: a crash from here on leaves something that `prune` finds.
    record.keep(records)?;
    match fill(&git, head, &record, &found.common_dir, records) {
        Ok(seal) => Ok(EvidenceSandbox {
            kind: Kind::Worktree,
            outputs_dir: dir.join(OUTPUTS),
            dir,
            made: Some(Made { record, records: records.to_path_buf(), seal }),
        }),
        Err(refusal) => {
            // What is not removed now stays on record.
            drop(record.undo(records));
            Err(refusal)
        }
    }
}

/// A sandbox inside the tree that it guards is none.
fn stands_apart(dir: &Path, found: &Repository) -> Result<(), Refusal> {
    let tops =
        [found.top.as_deref(), found.main_top(), Some(&found.common_dir), Some(&found.git_dir)];
    for top in tops.into_iter().flatten() {
        if is_inside(dir, top) || is_inside(top, dir) {
            let sentence = format!(
                "the sandbox `{}` would not lie outside the repository `{}`",
                dir.display(),
                top.display()
            );
            return Err(Refusal::new(RefusalKind::NotOutside, sentence));
        }
    }
    Ok(())
}

fn fill(
    git: &Git,
    head: &str,
    record: &Record,
    common: &Path,
    records: &Path,
) -> Result<Seal, Refusal> {
    tree::make_new(&record.dir).map_err(|error| system(&record.dir, &error))?;
    let add = ["worktree", "add", "--quiet", "--detach"];
    git.run(&add, &[record.dir.as_os_str(), OsStr::new(head)])?;
    let made = Repository::find(&record.dir).map(|made| (made.git_dir, made.common_dir));
    if made != Some((record.admin.clone(), common.to_path_buf())) {
        let sentence = format!("git made another entry than `{}`", record.admin.display());
        return Err(Refusal::new(RefusalKind::Git, sentence));
    }
    // The agent can set bits in the sandbox's own index that hide a change; not in this one.
    let (from, to) = (record.admin.join("index"), index(record, records));
    tree::copy_with_time(&from, &to).map_err(|error| system(&to, &error))?;
    Seal::read(&record.dir, &record.admin, common)
}

fn index(record: &Record, records: &Path) -> PathBuf {
    records.join(format!("{}.index", record.id))
}

/// Wraps a directory that is no sandbox, for tests and callers without a work tree to offer: no boundary.
///
/// # Errors
/// When the path cannot be resolved.
pub fn create_in_place_sandbox(dir: &Path) -> Result<EvidenceSandbox, Refusal> {
    let dir = canonicalize_path(dir)?;
    Ok(EvidenceSandbox { kind: Kind::InPlace, outputs_dir: dir.join(OUTPUTS), dir, made: None })
}

impl EvidenceSandbox {
    /// What `git status --porcelain=v2 -z -uall --ignored=matching` says of the work tree, against the
    /// index as it was made: ignored files, and files with a bit that hides them, included.
    ///
    /// Not seen by it: empty directories, and what was done to the shared repository.
    ///
    /// # Errors
    /// When what leads git there was changed, and when git fails.
    pub fn porcelain(&self) -> Result<Vec<u8>, Refusal> {
        let Some(made) = &self.made else {
            let sentence = "a sandbox in place has no state of its own";
            return Err(Refusal::new(RefusalKind::Git, sentence));
        };
        made.seal.check()?;
        let git = Git::on(&made.record.admin)?.with_work_tree(&self.dir);
        let index = index(&made.record, &made.records).into_os_string();
        git.run_with(&STATUS, &[], &[("GIT_INDEX_FILE", index)])
    }

    /// Removes the work tree and its entry in the repository. Never fails: what could not be removed stays
    /// on record for [`super::prune`].
    pub fn dispose(self) {
        if let Some(made) = self.made {
            drop(made.record.undo(&made.records));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_and_a_repository_never_hold_each_other() {
        let found = Repository {
            top: Some("/work/side".into()),
            git_dir: "/work/main/.git/worktrees/side".into(),
            common_dir: "/work/main/.git".into(),
        };
        for (dir, apart) in [
            ("/tmp/box", true),
            ("/work/side-box", true),
            ("/work/side/tmp/box", false),
            ("/work/main/tmp/box", false),
            ("/work/main/.git/box", false),
            ("/work/side", false),
            ("/work", false),
        ] {
            assert_eq!(stands_apart(Path::new(dir), &found).is_ok(), apart, "{dir}");
        }
    }
}
