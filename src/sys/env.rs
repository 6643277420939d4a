//! The environment and the current directory.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::path::PathBuf;

/// A variable's value, when it is set, not empty and UTF-8.
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
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
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| {
        std::fs::metadata(file)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    })
}
