//! Files: bounded reads, atomic writes, appended lines. Never follows a link that it creates through.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

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

/// Reads a file of the kernel's own (`/proc`), whose size is not told beforehand.
///
/// # Errors
/// As the system says.
pub fn read_bounded_special(path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads at most the last `limit` bytes of a regular file.
///
/// # Errors
/// As the system says; also when the last component is a link.
pub fn read_tail(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = no_follow(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        file.seek(io::SeekFrom::Start(length - limit))?;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn no_follow(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::new(io::ErrorKind::InvalidData, "it is a link"),
        _ => error,
    })?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"));
    }
    Ok(file)
}

/// The length of a file; `None` when there is none.
pub fn length(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().map(|meta| meta.len())
}

/// What tells the file at `path` from any other, links not followed; `None` when there is none.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Whether something is there, links not followed.
pub fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Renames within a directory.
///
/// # Errors
/// As the system says.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Makes a symbolic link at `place` that leads to `target`.
///
/// # Errors
/// As the system says.
pub fn link(target: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

/// Removes a file or link.
///
/// # Errors
/// As the system says.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// The names in a directory, unsorted; empty when it cannot be read.
pub fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Writes a new small private file without syncing it: for records that may be lost in a crash.
/// An existing file is replaced by rename.
///
/// # Errors
/// As the system says.
pub fn write_record(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut file = new_private(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        drop(fs::remove_file(&temporary));
    }
    written
}

fn new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
        .open(path)
}

/// Writes a new small private file; one that is there already is an error.
///
/// # Errors
/// As the system says.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = new_private(path)?;
    let written = file.write_all(bytes);
    if written.is_err() {
        drop(fs::remove_file(path));
    }
    written
}

/// Makes `dir` and its parents with mode 0700 where missing.
///
/// # Errors
/// As the system says.
pub fn private_dir(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Makes the file with mode 0600 if it is not there; its content stays.
///
/// # Errors
/// As the system says; also when the last component is a link.
pub fn create_private(path: &Path) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK)
        .open(path)
        .map(drop)
}

/// Sets a file's time to now; `false` when there is none. A link is not followed.
pub fn touch(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the path is a live string that ends in NUL; no times means now.
    let done = unsafe {
        libc::utimensat(libc::AT_FDCWD, path.as_ptr(), std::ptr::null(), libc::AT_SYMLINK_NOFOLLOW)
    };
    done == 0
}

/// When a file was changed last, in milliseconds since 1970.
pub fn modified_ms(path: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::symlink_metadata(path).ok()?;
    Some(meta.mtime().saturating_mul(1000).saturating_add(meta.mtime_nsec() / 1_000_000))
}

/// `path` with all links resolved; `None` if it is not there.
pub fn canonical(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Whether the system says that nothing is at `path`, links followed; `false` when it does not tell.
pub fn is_missing(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether it is a pipe, a socket or a device, links followed.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// The first `count` bytes of a regular file, or fewer.
///
/// # Errors
/// As the system says; `InvalidData` for what is no regular file.
pub fn read_head(path: &Path, count: u64) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Standard input up to its end, of at most `limit` bytes.
///
/// # Errors
/// As the system says; `InvalidData` for more.
pub fn read_input(limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large"));
    }
    Ok(bytes)
}

/// When a file was changed last, in milliseconds since 1970; `None` when there is none.
pub fn changed_ms(path: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    Some(meta.mtime() * 1000 + meta.mtime_nsec() / 1_000_000)
}

/// The longest path that the kernel takes, in bytes.
const MAX_PATH: usize = 4096;

/// `path` made absolute against `base`, which is absolute: links are resolved as far as it exists, `..`
/// goes up from where a link leads, as the kernel does it.
pub fn resolve(base: &Path, path: &Path) -> PathBuf {
    if path.is_absolute() {
        return resolve_from(Path::new("/"), path);
    }
    resolve_from(&resolve_from(Path::new("/"), base), path)
}

/// As [`resolve`], for a base whose links are resolved.
pub fn resolve_from(real_base: &Path, path: &Path) -> PathBuf {
    use std::path::Component;
    // What the kernel would refuse anyhow is not worth a look at each of its parts.
    let takes = path.as_os_str().len() < MAX_PATH;
    let mut resolved = real_base.to_path_buf();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => resolved = PathBuf::from("/"),
            Component::ParentDir => {
                resolved.pop();
            }
            Component::Normal(name) => {
                resolved.push(name);
                let is_link =
                    takes && fs::symlink_metadata(&resolved).is_ok_and(|meta| meta.is_symlink());
                if is_link && let Some(target) = link_target(&resolved) {
                    resolved = target;
                }
            }
        }
    }
    resolved
}

/// Where the link at `path` leads; what it dangles at counts too, because a write would make that.
fn link_target(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    let target = path.parent()?.join(fs::read_link(path).ok()?);
    // One level is enough here: a chain of dangling links is nobody's accident.
    let parent = fs::canonicalize(target.parent()?).ok()?;
    Some(parent.join(target.file_name()?))
}

pub(super) fn append_only(path: &Path) -> io::Result<File> {
    // A named pipe in its place would block an ordinary open for ever, and take the verdict with it.
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"));
    }
    Ok(file)
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
