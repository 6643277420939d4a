//! Questions about what lies at a path.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs;
use std::path::Path;

/// The length and the time of the last change of the file at `path`, as one word.
pub fn stamp(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    Some(format!("{}@{}.{}", meta.len(), meta.mtime(), meta.mtime_nsec()))
}

/// Whether there is a directory at `path`, links followed.
pub fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether there is a link at `path`.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}
