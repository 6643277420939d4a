//! A file that others edit too: looked at, then replaced only if nobody changed it meanwhile.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use super::file::read_bounded;

/// A file as it was when we looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its own path, links resolved.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// How many names it has.
    pub names: u64,
    owner: (u32, u32),
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing; a file made here is made at this path (a dangling link is followed).
    Nothing(PathBuf),
    /// A regular file.
    File(Seen),
}

/// Looks at a path, through links.
///
/// # Errors
/// As the system says; also for what is no regular file or larger than `limit`.
pub fn look(path: &Path, limit: u64) -> io::Result<Found> {
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return nothing(path),
        Err(error) => return Err(error),
    };
    let meta = fs::metadata(&real)?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    Ok(Found::File(Seen {
        bytes: read_bounded(&real, limit)?,
        mode: meta.mode() & 0o7777,
        names: meta.nlink(),
        owner: (meta.uid(), meta.gid()),
        path: real,
    }))
}

fn nothing(path: &Path) -> io::Result<Found> {
    let Ok(target) = fs::read_link(path) else { return Ok(Found::Nothing(path.to_path_buf())) };
    let dir = path.parent().unwrap_or(Path::new("/"));
    let target = dir.join(target);
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is a link to nowhere"));
    };
    let parent = fs::canonicalize(parent).map_err(|_| {
        io::Error::new(io::ErrorKind::NotFound, "it is a link into a directory that is not there")
    })?;
    let target = parent.join(name);
    if fs::symlink_metadata(&target).is_ok() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is a chain of links to nowhere"));
    }
    Ok(Found::Nothing(target))
}

/// Puts `bytes` in the place of what was seen, with its mode and owner, in one step.
///
/// # Errors
/// As the system says, and `ResourceBusy` when the file is no longer as it was seen; it is then
/// untouched.
pub fn replace(seen: &Seen, bytes: &[u8]) -> io::Result<()> {
    let dir = parent(&seen.path);
    let mut temporary = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
    temporary.write_all(bytes)?;
    let meta = temporary.as_file().metadata()?;
    if (meta.uid(), meta.gid()) != seen.owner {
        fchown(temporary.as_file(), Some(seen.owner.0), Some(seen.owner.1))?;
    }
    temporary.as_file().set_permissions(fs::Permissions::from_mode(seen.mode))?;
    temporary.as_file().sync_all()?;
    unchanged(seen)?;
    temporary.persist(&seen.path).map_err(|failed| failed.error)?;
    File::open(dir)?.sync_all()
}

/// Removes what was seen.
///
/// # Errors
/// As [`replace`].
pub fn remove(seen: &Seen) -> io::Result<()> {
    unchanged(seen)?;
    fs::remove_file(&seen.path)?;
    File::open(parent(&seen.path))?.sync_all()
}

fn unchanged(seen: &Seen) -> io::Result<()> {
    if read_bounded(&seen.path, u64::MAX - 1)? == seen.bytes {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "somebody changed it meanwhile"))
}

/// Makes a new file; one that is there already is an error.
///
/// # Errors
/// As the system says.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let dir = parent(path);
    let mut temporary = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
    temporary.write_all(bytes)?;
    temporary.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    temporary.as_file().sync_all()?;
    temporary.persist_noclobber(path).map_err(|failed| failed.error)?;
    File::open(dir)?.sync_all()
}

/// Makes `dir` and what is missing above it, and says which were made, outermost first.
///
/// # Errors
/// As the system says.
pub fn make_dirs(dir: &Path, mode: u32) -> io::Result<Vec<PathBuf>> {
    let mut missing: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.is_dir()).collect();
    missing.retain(|dir| !dir.as_os_str().is_empty());
    let mut made = Vec::new();
    for dir in missing.into_iter().rev() {
        match DirBuilder::new().mode(mode).create(dir) {
            Ok(()) => {
                made.push(dir.to_path_buf());
                // A strict umask must not hide from others what they have to read.
                fs::set_permissions(dir, fs::Permissions::from_mode(mode))?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(error) => {
                remove_empty_dirs(&made);
                return Err(error);
            }
        }
    }
    Ok(made)
}

/// Removes those of `dirs` that are empty, innermost first; says which went.
pub fn remove_empty_dirs(dirs: &[PathBuf]) -> Vec<PathBuf> {
    let mut dirs = dirs.to_vec();
    dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    dirs.retain(|dir| fs::remove_dir(dir).is_ok());
    dirs
}

/// Removes a file; one that is not there is fine.
///
/// # Errors
/// As the system says.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file, a link, or a directory and all below it; links are removed, not followed.
///
/// # Errors
/// As the system says.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// The names in a directory, sorted; none if it cannot be read.
pub fn names_in(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let mut names: Vec<_> = entries.filter_map(name).collect();
    names.sort();
    names
}

/// Removes the unfinished files that a killed process of ours left in `dir`. Only under the lock of
/// the directory: a live one's would go too.
pub fn sweep(dir: &Path) -> Vec<PathBuf> {
    let is_unfinished = |name: &String| {
        name.strip_prefix(".ringfence-").is_some_and(|rest| {
            rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let names = names_in(dir).into_iter().filter(is_unfinished).map(|name| dir.join(name));
    names.filter(|path| fs::remove_file(path).is_ok()).collect()
}

/// A lock on a directory, held until dropped. It leaves nothing behind.
pub struct DirLock {
    _dir: File,
}

/// Waits for the lock of a directory.
///
/// # Errors
/// As the system says; `NotFound` also when it was removed while we waited.
pub fn lock_dir(dir: &Path) -> io::Result<DirLock> {
    loop {
        let held = File::open(dir)?;
        held.lock()?;
        let (ours, now) = (held.metadata()?, fs::metadata(dir)?);
        // Another one may stand in its place, and that is the one that others lock.
        if (ours.dev(), ours.ino()) == (now.dev(), now.ino()) {
            return Ok(DirLock { _dir: held });
        }
    }
}

/// How often a directory is made again that another process removed meanwhile. There are places
/// where none can ever be made, and they say the same.
const MAKE_AGAIN: u32 = 1000;

/// Makes a directory where it is missing and waits for its lock; says also which ones were made.
/// Another process may remove any of them, while they are empty, until the lock is ours.
///
/// # Errors
/// As the system says.
pub fn make_and_lock(dir: &Path, mode: u32) -> io::Result<(DirLock, Vec<PathBuf>)> {
    let mut made = Vec::new();
    let mut tries = 0;
    loop {
        let locked = make_dirs(dir, mode).and_then(|new| {
            made.extend(new.into_iter().filter(|dir| !made.contains(dir)).collect::<Vec<_>>());
            lock_dir(dir)
        });
        match locked {
            Ok(lock) => return Ok((lock, made)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAKE_AGAIN => {
                tries += 1;
            }
            Err(error) => {
                remove_empty_dirs(&made);
                return Err(error);
            }
        }
    }
}

/// Waits in the queue for the lock of a directory, which is fair, for at most `limit`; `None` when it
/// was not our turn by then.
///
/// # Errors
/// As the system says.
pub fn lock_dir_within(dir: &Path, limit: std::time::Duration) -> io::Result<Option<DirLock>> {
    let dir = File::open(dir)?;
    match dir.try_lock() {
        Ok(()) => return Ok(Some(DirLock { _dir: dir })),
        Err(fs::TryLockError::WouldBlock) => {}
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    // Only a blocking wait has a place in the kernel's queue, and it has no time limit of its own. Late
    // in the thread, the lock goes with its descriptor.
    let (mine, theirs) = std::sync::mpsc::sync_channel(0);
    std::thread::spawn(move || {
        let locked = dir.lock().map(|()| DirLock { _dir: dir });
        drop(mine.send(locked));
    });
    match theirs.recv_timeout(limit) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

/// Takes the lock of a directory, unless another holds it.
///
/// # Errors
/// As the system says.
pub fn try_lock_dir(dir: &Path) -> io::Result<Option<DirLock>> {
    let dir = File::open(dir)?;
    match dir.try_lock() {
        Ok(()) => Ok(Some(DirLock { _dir: dir })),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
