//! Files that only grow, line by line, and are turned over when they are long: many processes append
//! at once, others read along.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::file::{append_only, no_follow, read_tail};

/// How often the lock of a file is asked for, a millisecond apart.
const LOCK_TRIES: u32 = 20;

/// How often a file that was turned over under our hands is opened again.
const OPEN_TRIES: u32 = 4;

/// Where a file goes when it is turned over: `….1`.
pub fn turned_over(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

/// Appends one line (a newline is added) in one write, unless `is_there` finds it in the last `tail`
/// bytes. A file that has grown over `limit` is turned over first: what was there before goes.
///
/// Whoever turns over or looks for a line holds the file alone, and looks whether it is still the one
/// at `path`: two that saw it full would else put the second's first line over all of the first's.
/// One that holds the lock for long is not waited for.
///
/// # Errors
/// As the system says; also when the last component is a link.
pub fn append(
    path: &Path,
    limit: u64,
    line: &str,
    tail: u64,
    is_there: impl FnOnce(&[u8]) -> bool,
) -> io::Result<()> {
    let mut file = append_only(path)?;
    for _ in 0..OPEN_TRIES {
        if !lock(&file) {
            break;
        }
        if !is_at(&file, path) {
            file = append_only(path)?;
        } else if file.metadata()?.len() > limit {
            fs::rename(path, turned_over(path))?;
            file = append_only(path)?;
        } else {
            break;
        }
    }
    if tail > 0 && is_there(&end(path, tail)) {
        return Ok(());
    }
    file.write_all(format!("{line}\n").as_bytes())
}

/// Takes the file for this process alone; it is given back when the file is closed.
fn lock(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        if file.try_lock().is_ok() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    false
}

/// The last `tail` bytes, those of the one before included while the file is that short.
fn end(path: &Path, tail: u64) -> Vec<u8> {
    let mut new = read_tail(path, tail).unwrap_or_default();
    let left = tail.saturating_sub(new.len() as u64);
    if left == 0 {
        return new;
    }
    let mut all = read_tail(&turned_over(path), left).unwrap_or_default();
    all.append(&mut new);
    all
}

/// Whether `path` itself, and not a link, is the open file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// A file that others append to, read line by line as it grows; it may be turned over meanwhile.
pub struct Growing {
    path: PathBuf,
    file: Option<File>,
    /// What was read after the last line end.
    begun: Vec<u8>,
}

impl Growing {
    /// Begins with at most the last `limit` bytes of what is there now, if anything is.
    ///
    /// # Errors
    /// When something is there that cannot be read or is no regular file of its own.
    pub fn begin(path: &Path, limit: u64) -> io::Result<Self> {
        let mut file = match no_follow(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(file) = &mut file {
            let length = file.metadata()?.len();
            file.seek(io::SeekFrom::Start(length.saturating_sub(limit)))?;
        }
        Ok(Self { path: path.to_path_buf(), file, begun: Vec::new() })
    }

    /// What stands after the last line end.
    pub fn unfinished(&self) -> &[u8] {
        &self.begun
    }

    /// The lines that were completed since the last call, without their line ends.
    pub fn lines(&mut self) -> Vec<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.begun);
        if let Some(file) = &mut self.file {
            let place = file.stream_position().unwrap_or(0);
            if file.metadata().is_ok_and(|meta| meta.len() < place) {
                drop(file.seek(io::SeekFrom::Start(0)));
            }
            drop(file.read_to_end(&mut bytes));
        }
        if !self.file.as_ref().is_some_and(|file| is_at(file, &self.path))
            && let Ok(mut next) = no_follow(&self.path)
        {
            drop(next.read_to_end(&mut bytes));
            self.file = Some(next);
        }
        let mut lines: Vec<Vec<u8>> =
            bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        self.begun = lines.pop().unwrap_or_default();
        lines
    }
}
