//! What a work tree says about itself, read from its files: no git process on the hook path.
//!
//! On purpose not looked at: `GIT_DIR` and its kin (a call's environment is not the hook's),
//! `core.worktree`, and file system boundaries.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::file::read_bounded;

/// The longest `HEAD`, `.git` or `commondir` file that is read, in bytes.
const POINTER_LIMIT: u64 = 16 * 1024;

/// A repository as seen from one directory; all paths absolute with links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the work tree; `None` in a bare repository or inside a git directory.
    pub top: Option<PathBuf>,
    /// The git directory of this work tree: where its `HEAD` is.
    pub git_dir: PathBuf,
    /// The git directory that all its work trees share.
    pub common_dir: PathBuf,
}

impl Repository {
    /// Finds the repository that `dir` is in, as git's own discovery does; `None` without one.
    pub fn find(dir: &Path) -> Option<Self> {
        let dir = fs::canonicalize(dir).ok()?;
        dir.ancestors().find_map(|level| {
            let (top, git_dir) = match pointed(&level.join(".git")) {
                Some(git_dir) => (Some(level.to_path_buf()), git_dir),
                None if is_git_dir(level) => (None, level.to_path_buf()),
                None => return None,
            };
            let common_dir = common_dir(&git_dir).unwrap_or_else(|| git_dir.clone());
            Some(Self { top, git_dir, common_dir })
        })
    }

    /// The main work tree's top, where the repository has the usual shape.
    pub fn main_top(&self) -> Option<&Path> {
        let named = self.common_dir.file_name().is_some_and(|name| name == ".git");
        self.common_dir.parent().filter(|_| named)
    }

    /// What `HEAD` stands on: `branch:NAME`, or `detached:OID`.
    ///
    /// `None` when it cannot be read, also for a repository in the reftable format, whose `HEAD` file
    /// only holds a placeholder.
    pub fn scope(&self) -> Option<String> {
        let head = self.git_dir.join("HEAD");
        // Very old repositories have a link instead of a file with `ref:`.
        if let Ok(target) = fs::read_link(&head) {
            return branch(target.to_str()?);
        }
        let text = String::from_utf8(pointer(&head)?).ok()?;
        match text.strip_prefix("ref:") {
            Some(name) => branch(name.trim()),
            None => is_oid(&text).then(|| format!("detached:{text}")),
        }
    }
}

/// The branch scope of a directory: its repository's, or `project` where there is none.
///
/// `None` = there is a repository, but what it stands on is not known.
pub fn scope_of(dir: &Path) -> Option<String> {
    match Repository::find(dir) {
        Some(repository) => repository.scope(),
        None => fs::canonicalize(dir).ok().map(|_| "project".to_owned()),
    }
}

fn branch(name: &str) -> Option<String> {
    let branch = name.strip_prefix("refs/heads/")?;
    (!branch.is_empty() && branch != ".invalid").then(|| format!("branch:{branch}"))
}

fn is_oid(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The git directory that `.git` is or points to.
fn pointed(dot_git: &Path) -> Option<PathBuf> {
    let meta = fs::metadata(dot_git).ok()?;
    if meta.is_dir() {
        return is_git_dir(dot_git).then(|| fs::canonicalize(dot_git).ok()).flatten();
    }
    let bytes = pointer(dot_git)?;
    let target = dot_git.parent()?.join(as_path(bytes.strip_prefix(b"gitdir:")?.trim_ascii()));
    let git_dir = fs::canonicalize(target).ok()?;
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    let bytes = pointer(&git_dir.join("commondir"))?;
    fs::canonicalize(git_dir.join(as_path(&bytes))).ok()
}

/// Whether `dir` holds what git asks of a git directory.
fn is_git_dir(dir: &Path) -> bool {
    dir.join("HEAD").symlink_metadata().is_ok()
        && dir.join("objects").is_dir()
        && dir.join("refs").is_dir()
}

/// The content of a small file without the newlines at its end; a path in it need not be UTF-8.
fn pointer(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = read_bounded(path, POINTER_LIMIT).ok()?;
    while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        bytes.pop();
    }
    Some(bytes)
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git_dir(at: &Path, head: &str) {
        fs::create_dir_all(at.join("objects")).unwrap();
        fs::create_dir_all(at.join("refs")).unwrap();
        fs::write(at.join("HEAD"), head).unwrap();
    }

    #[test]
    fn heads_are_read_as_git_reads_them() {
        let oid = "0123456789abcdef0123456789abcdef01234567";
        for (head, expected) in [
            ("ref: refs/heads/main\n", Some("branch:main".to_owned())),
            ("ref: refs/heads/Feature/X\n", Some("branch:Feature/X".to_owned())),
            (oid, Some(format!("detached:{oid}"))),
            ("ref: refs/heads/.invalid\n", None),
            ("ref: refs/remotes/origin/main\n", None),
            ("", None),
            ("0123", None),
        ] {
            let dir = tempfile::tempdir().unwrap();
            git_dir(&dir.path().join(".git"), head);
            assert_eq!(scope_of(dir.path()), expected, "{head:?}");
        }
    }

    #[test]
    fn a_linked_work_tree_shares_the_common_directory_and_has_its_own_head() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        git_dir(&root.join("main/.git"), "ref: refs/heads/main\n");
        let linked = root.join("main/.git/worktrees/side");
        fs::create_dir_all(&linked).unwrap();
        fs::write(linked.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(linked.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(root.join("side/deep")).unwrap();
        fs::write(root.join("side/.git"), format!("gitdir: {}\n", linked.display())).unwrap();

        let found = Repository::find(&root.join("side/deep")).unwrap();
        assert_eq!(
            found,
            Repository {
                top: Some(root.join("side")),
                git_dir: linked,
                common_dir: root.join("main/.git"),
            }
        );
        assert_eq!(found.scope().as_deref(), Some("branch:side"));
        assert_eq!(found.main_top(), Some(root.join("main").as_path()));
    }

    #[test]
    fn bare_repositories_and_plain_directories_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        git_dir(&root.join("bare.git"), "ref: refs/heads/main\n");
        fs::create_dir_all(root.join("plain")).unwrap();
        let bare = Repository::find(&root.join("bare.git/refs")).unwrap();
        assert_eq!((bare.top, bare.common_dir), (None, root.join("bare.git")));
        assert_eq!(Repository::find(&root.join("plain")), None);
        assert_eq!(scope_of(&root.join("plain")).as_deref(), Some("project"));
        assert_eq!(scope_of(&root.join("gone")), None);
    }

    #[test]
    fn an_empty_dot_git_directory_is_no_repository() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        assert_eq!(Repository::find(dir.path()), None);
    }
}
