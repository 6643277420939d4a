//! A directory of ours, held open: what is listed, read and removed is in that very directory, whatever
//! is put in its place meanwhile, and never behind a link.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A directory, held open.
pub struct HeldDir {
    dir: File,
}

/// What is known of a regular file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was changed last, in milliseconds since 1970.
    pub changed_ms: i64,
    /// Its size in bytes.
    pub length: u64,
}

impl HeldDir {
    /// Opens a directory; links on the way to it count, one in its place does not.
    ///
    /// # Errors
    /// As the system says; also when it is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        Ok(Self { dir: OpenOptions::new().read(true).custom_flags(flags).open(path)? })
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn below(&self, name: &str) -> io::Result<Self> {
        Self::open(&self.place(name)?)
    }

    /// When a name in it was made or removed last, in milliseconds since 1970.
    pub fn changed_ms(&self) -> Option<i64> {
        let meta = self.dir.metadata().ok()?;
        Some(meta.mtime().saturating_mul(1000).saturating_add(meta.mtime_nsec() / 1_000_000))
    }

    /// The names in it, at most `limit`, in no order.
    pub fn names(&self, limit: usize) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.itself()) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.take(limit).collect()
    }

    /// What is known of a regular file in it; `None` for a link, a directory, or nothing.
    pub fn known(&self, name: &str) -> Option<Known> {
        let meta = fs::symlink_metadata(self.place(name).ok()?).ok()?;
        meta.is_file().then(|| Known {
            changed_ms: meta.mtime() * 1000 + meta.mtime_nsec() / 1_000_000,
            length: meta.len(),
        })
    }

    /// Reads a regular file in it of at most `limit` bytes.
    pub fn read(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
        let place = self.place(name).ok()?;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(place).ok()?;
        if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= limit) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Removes a file in it, or a link itself.
    ///
    /// # Errors
    /// As the system says.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.place(name)?)
    }

    /// Removes an empty directory in it.
    ///
    /// # Errors
    /// As the system says.
    pub fn remove_dir(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.place(name)?)
    }

    /// The kernel's own name for the open directory.
    fn itself(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.dir.as_raw_fd()))
    }

    fn place(&self, name: &str) -> io::Result<PathBuf> {
        if name.is_empty() || name == "." || name == ".." || name.contains('/') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no name in a directory",
            ));
        }
        Ok(self.itself().join(name))
    }
}

/// How much lies at a path, links not followed: files and their bytes.
pub fn size(path: &Path) -> (u64, u64) {
    let Ok(meta) = fs::symlink_metadata(path) else { return (0, 0) };
    if !meta.is_dir() {
        return (1, meta.len());
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| size(&entry.path()))
        .fold((0, 0), |(files, bytes), (more, size)| (files + more, bytes + size))
}
