//! The environment and the current directory.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::path::PathBuf;

/// A variable's value, when it is set, not empty and UTF-8.
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether a variable is set to bytes that are not UTF-8, so that [`var`] does not know it.
pub fn is_no_text(name: &str) -> bool {
    matches!(std::env::var(name), Err(std::env::VarError::NotUnicode(_)))
}

/// The current directory; `None` if it is gone.
pub fn current_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// The running binary's own path, links resolved.
pub fn current_exe() -> Option<PathBuf> {
    std::env::current_exe().ok().and_then(|path| path.canonicalize().ok())
}

/// The first file called `name` on PATH that can be executed.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_program(file))
}

/// Whether `path` is a file that somebody may execute.
pub fn is_program(path: &std::path::Path) -> bool {
    path.is_file() && mode(path).is_some_and(|mode| mode & 0o111 != 0)
}

/// Whether every user can start the program: each directory above it can be passed by all.
pub fn starts_for_all(program: &std::path::Path) -> bool {
    let passes = |dir: &std::path::Path| mode(dir).is_some_and(|mode| mode & 0o001 != 0);
    mode(program).is_some_and(|mode| mode & 0o005 == 0o005)
        && program.ancestors().skip(1).filter(|dir| dir.has_root()).all(passes)
}

/// The permission bits of what is at `path`, links followed.
pub fn mode(path: &std::path::Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).ok().map(|meta| meta.permissions().mode() & 0o7777)
}

/// Whether another user may change what is at `path`, links followed. The group of a user's own name
/// is that user alone, as most systems set it up, and a directory with the sticky bit keeps each to
/// his own.
pub fn others_may_write(path: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(meta) = std::fs::metadata(path) else { return false };
    let mode = meta.mode();
    let is_sticky = meta.is_dir() && mode & 0o1000 != 0;
    let group = mode & 0o020 != 0 && meta.gid() != meta.uid();
    !is_sticky && (mode & 0o002 != 0 || group)
}
