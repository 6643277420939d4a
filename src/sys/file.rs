//! Files: bounded reads, atomic writes, appended lines. Never follows a link that it creates through.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes; larger, or not regular, is an error.
///
/// # Errors
/// As the system says; `InvalidData` for a file that is too large or not regular.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // A named pipe would block an ordinary open for ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > limit {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a small regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the file grew over the limit"));
    }
    Ok(bytes)
}

/// Makes `dir` and its parents with mode 0700 where missing.
///
/// # Errors
/// As the system says.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Appends one line (a newline is added) in one write, creating the file with mode 0600.
///
/// # Errors
/// As the system says; also when the last component is a link.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = append_only(path)?;
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    file.write_all(&bytes)
}

fn append_only(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
        .open(path)
}

/// Writes `bytes` to a temporary file beside `path`, syncs it and renames it over `path`.
///
/// # Errors
/// As the system says; `path` is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
    temporary.write_all(bytes)?;
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    temporary.as_file().set_permissions(permissions)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|failed| failed.error)?;
    // The rename itself is only durable once the directory is.
    File::open(dir)?.sync_all()
}
