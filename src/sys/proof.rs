//! Whether files can really be kept in a directory: by keeping one, and taking it away again.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// More than a database's side files begin with, so that a full disk is found.
const BYTES: usize = 64 << 10;

/// Makes, writes, syncs, renames, reads back and removes a file in `dir`; where `dir` is not there yet,
/// in a directory made and removed beside where it would be. Nothing is left behind.
///
/// # Errors
/// What failed and why, as words for a person.
pub fn keep_a_file(dir: &Path) -> Result<(), String> {
    let there = dir.ancestors().find(|one| fs::symlink_metadata(one).is_ok()).unwrap_or(dir);
    let refused = |what: &str, error: &io::Error| {
        format!("{what} in `{}`: {}", there.display(), why(error, there))
    };
    // There a file can be made and never be taken away again.
    if is_append_only(there) {
        return Err(format!("no file can be removed in `{}`: it is append-only", there.display()));
    }
    sweep(there);
    if there == dir {
        return write_one(dir).map_err(|(what, error)| refused(what, &error));
    }
    let made = name(there);
    DirBuilder::new()
        .mode(0o700)
        .create(&made)
        .map_err(|error| refused("no directory can be made", &error))?;
    let written = write_one(&made);
    let removed = fs::remove_dir(&made);
    written.map_err(|(what, error)| refused(what, &error))?;
    removed.map_err(|error| refused("no directory can be removed", &error))
}

/// How the names of proofs begin.
const PROOF: &str = ".ringfence-proof-";

fn name(dir: &Path) -> PathBuf {
    dir.join(format!("{PROOF}{}-{}", std::process::id(), super::process::unique()))
}

fn write_one(dir: &Path) -> Result<(), (&'static str, io::Error)> {
    let (first, second) = (name(dir), name(dir));
    let text: Vec<u8> = (0..BYTES).map(|at| u8::try_from(at % 251).unwrap_or(0)).collect();
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_CLOEXEC)
        .open(&first)
        .map_err(|error| ("no file can be made", error))?;
    let kept = keep(file, &text, &first, &second, dir);
    // Whichever of the names it has now.
    let gone = [&first, &second].map(fs::remove_file);
    kept?;
    let [_, last] = gone;
    last.map_err(|error| ("a file was made that cannot be removed again", error))
}

/// From now on a limit on the size of files is an error and not the end of this process, which would
/// leave a file behind. Programs that it starts inherit that.
pub fn outlive_file_limits() {
    // SAFETY: ignores one signal; no handler of ours is involved.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

fn is_append_only(dir: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(dir.as_os_str().as_bytes()) else { return false };
    let mut known = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the path ends with a zero, and there is room for the answer.
    let told = unsafe { libc::statx(libc::AT_FDCWD, path.as_ptr(), 0, 0, known.as_mut_ptr()) };
    // SAFETY: filled by the call, or all zero.
    let known = unsafe { known.assume_init() };
    told == 0 && known.stx_attributes & u64::from(libc::STATX_ATTR_APPEND.unsigned_abs()) != 0
}

/// How old a proof is of which nobody can be in the middle any more.
const LEFT: std::time::Duration = std::time::Duration::from_secs(3600);

/// Removes what a killed proof of this user's left in `dir`.
fn sweep(dir: &Path) {
    let own = super::process::user_id();
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| is_proof(path)) {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        let age = meta.modified().ok().and_then(|at| at.elapsed().ok()).unwrap_or_default();
        if meta.uid() != own || age < LEFT {
            continue;
        }
        if meta.is_dir() {
            let files = fs::read_dir(&path).into_iter().flatten().flatten();
            for file in files.map(|entry| entry.path()).filter(|path| is_proof(path)) {
                drop(fs::remove_file(file));
            }
            drop(fs::remove_dir(&path));
        } else if meta.is_file() && meta.len() <= BYTES as u64 {
            drop(fs::remove_file(&path));
        }
    }
}

/// Whether it has a name as [`name`] makes them.
fn is_proof(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let rest = name.and_then(|name| name.strip_prefix(PROOF));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    rest.and_then(|rest| rest.split_once('-')).is_some_and(|(a, b)| is_number(a) && is_number(b))
}

fn keep(
    mut file: File,
    text: &[u8],
    first: &Path,
    second: &Path,
    dir: &Path,
) -> Result<(), (&'static str, io::Error)> {
    file.write_all(text).map_err(|error| ("no file can be written", error))?;
    file.sync_all().map_err(|error| ("no file can be brought to the disk", error))?;
    drop(file);
    fs::rename(first, second).map_err(|error| ("no file can be renamed", error))?;
    let mut back = Vec::new();
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(second)
        .and_then(|mut file| file.read_to_end(&mut back))
        .map_err(|error| ("no file can be read back", error))?;
    if back != text {
        let error = io::Error::new(io::ErrorKind::InvalidData, "other bytes come back");
        return Err(("what is written does not stay", error));
    }
    // A directory that cannot be synced is one of a file system that needs no sync.
    drop(File::open(dir).and_then(|dir| dir.sync_all()));
    Ok(())
}

/// Whether an existing file can be opened for writing; nothing is written.
///
/// # Errors
/// Why not, as words for a person.
pub fn open_to_write(path: &Path) -> Result<(), String> {
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
    match opened.and_then(|file| file.metadata()) {
        Ok(meta) if meta.is_file() => Ok(()),
        Ok(_) => Err(format!("`{}` is no regular file", path.display())),
        Err(error) => {
            Err(format!("`{}` cannot be opened to write: {}", path.display(), why(&error, path)))
        }
    }
}

fn why(error: &io::Error, place: &Path) -> String {
    match error.raw_os_error() {
        Some(libc::EROFS) => "the file system is read-only".to_owned(),
        Some(libc::ENOSPC) => "there is no space left".to_owned(),
        Some(libc::EDQUOT) => "the quota is used up".to_owned(),
        Some(libc::EFBIG) => "a limit on the size of files is in the way".to_owned(),
        Some(libc::ELOOP) if is_link(place) => "it is a link".to_owned(),
        Some(libc::ENOENT | libc::EEXIST) if is_link(place) => {
            "it is a link that leads nowhere".to_owned()
        }
        Some(libc::ENOTDIR) => "it is no directory".to_owned(),
        Some(libc::EACCES | libc::EPERM) => {
            let own = super::process::user_id();
            match fs::metadata(place).map(|meta| meta.uid()) {
                Ok(owner) if owner != own => {
                    format!("it belongs to user {owner}, and this is user {own}")
                }
                _ => "permission is refused".to_owned(),
            }
        }
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// Where SQLite's writers lock, as its file format has it: the reserved byte of a store, and the byte of
/// the one writer beside a WAL, in `-shm`.
const WRITERS: [(&str, libc::off_t); 2] = [("", 0x4000_0001), ("-shm", 120)];

/// Who keeps an SQLite store for writing just now: the process, 0 where its number is not known here.
/// Takes no lock, and waits for none.
pub fn writer_of(store: &Path) -> Option<i32> {
    WRITERS.iter().find_map(|(end, byte)| {
        let mut path = store.as_os_str().to_owned();
        path.push(end);
        let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let mut lock = libc::flock {
            l_type: i16::try_from(libc::F_WRLCK).ok()?,
            l_whence: i16::try_from(libc::SEEK_SET).ok()?,
            l_start: *byte,
            l_len: 1,
            l_pid: 0,
        };
        // SAFETY: asks about one byte of an open file; `lock` is valid for the answer.
        let told = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut lock) };
        let is_held = told == 0 && i32::from(lock.l_type) != libc::F_UNLCK;
        is_held.then_some(lock.l_pid.max(0))
    })
}

/// What is mounted where a directory lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where.
    pub point: PathBuf,
    /// Its file system: `ext4`, `tmpfs`.
    pub kind: String,
    /// A place nearer to the directory at which something else is mounted, which this hides.
    pub hides: Option<PathBuf>,
}

/// The mount on which `dir` really lies; `None` when that cannot be told.
pub fn mount_of(dir: &Path) -> Option<Mount> {
    let there = dir.ancestors().find(|one| fs::metadata(one).is_ok())?;
    let device = fs::metadata(there).ok()?.dev();
    let device = format!("{}:{}", libc::major(device), libc::minor(device));
    let bytes = super::file::read_bounded_special("/proc/self/mountinfo", 1 << 20).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let above: Vec<(String, PathBuf, String)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let device = words.nth(2)?.to_owned();
            let point = PathBuf::from(unescaped(words.nth(1)?));
            let (_, rest) = line.split_once(" - ")?;
            let kind = rest.split(' ').next()?.to_owned();
            there.starts_with(&point).then_some((device, point, kind))
        })
        .collect();
    let (_, point, kind) = above
        .iter()
        .filter(|(at, _, _)| *at == device)
        .max_by_key(|(_, point, _)| point.components().count())?;
    let depth = point.components().count();
    let hides = above
        .iter()
        .filter(|(at, other, _)| *at != device && other.components().count() > depth)
        .map(|(_, other, _)| other.clone())
        .next();
    Some(Mount { point: point.clone(), kind: kind.clone(), hides })
}

/// `\040` and its like, as the kernel writes blanks in paths.
fn unescaped(text: &str) -> String {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    codes.iter().fold(text.to_owned(), |text, (code, letter)| text.replace(code, letter))
}
