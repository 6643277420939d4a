//! A directory tree that others made: walked and removed without following a link.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, DirBuilder, File, FileTimes};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Makes one directory with mode 0700; one that is there already is an error.
///
/// # Errors
/// As the system says.
pub fn make_new(dir: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(dir)
}

/// Removes a tree, links in it as links; directories that were closed to us are opened first.
/// What is not there is no error.
///
/// # Errors
/// As the system says; what could be removed is gone then.
pub fn remove(top: &Path) -> io::Result<()> {
    let meta = match fs::symlink_metadata(top) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !meta.is_dir() {
        return fs::remove_file(top);
    }
    if fs::remove_dir_all(top).is_ok() {
        return Ok(());
    }
    let mut open = vec![top.to_path_buf()];
    while let Some(dir) = open.pop() {
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            // The entry's own type: a link to a directory is not one.
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(top)
}

/// Removes a directory if nothing is in it.
pub fn remove_empty(dir: &Path) {
    drop(fs::remove_dir(dir));
}

/// Copies a file with its time, which tells git how far to trust an index.
///
/// # Errors
/// As the system says; also when there is something at `to`.
pub fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let modified = fs::metadata(from)?.modified()?;
    super::file::write_new(to, &fs::read(from)?)?;
    File::options().write(true).open(to)?.set_times(FileTimes::new().set_modified(modified))
}

/// The system's directory for temporary things, links resolved.
///
/// # Errors
/// When it is not there.
pub fn temporary() -> io::Result<PathBuf> {
    fs::canonicalize(std::env::temp_dir())
}

/// What is at `path`, links followed; told apart from a place that cannot be looked at.
///
/// # Errors
/// As the system says, but for what is not there.
pub fn real(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(Some(real)),
        // A dangling link is there, and leads nowhere we could vouch for.
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(_) | Err(_) => Err(error),
        },
        Err(error) => Err(error),
    }
}
