//! Whether files can really be kept in a directory: by keeping one, and taking it away again.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
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

fn name(dir: &Path) -> PathBuf {
    dir.join(format!(".ringfence-proof-{}-{}", std::process::id(), super::process::unique()))
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
    last.map_err(|error| ("no file can be removed", error))
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
    match opened {
        Ok(_) => Ok(()),
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
