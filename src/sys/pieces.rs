//! Files too large to hold: read line by line, written in pieces, and there under their name only when
//! they are finished.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

/// Hands each line of a file, or of standard input for `-`, to `take` with its number from 1.
///
/// # Errors
/// As the system says, `InvalidData` for a line of more than `limit` bytes, or as `take` says.
pub fn for_each_line<E: From<io::Error>>(
    path: &Path,
    limit: u64,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(io::BufReader::with_capacity(1 << 16, File::open(path)?))
    };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = (&mut input).take(limit + 1).read_until(b'\n', &mut line)?;
        if count == 0 {
            break;
        }
        if line.len() as u64 > limit {
            let too_long = format!("line {number} is longer than {limit} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, too_long).into());
        }
        take(number, line.strip_suffix(b"\n").unwrap_or(&line))?;
    }
    Ok(())
}

/// A new file that only its owner can read, written in pieces; it is there under its name only once it
/// is finished.
pub struct NewFile {
    temporary: tempfile::NamedTempFile,
    path: PathBuf,
}

impl NewFile {
    /// Begins a file at `path`.
    ///
    /// # Errors
    /// As the system says.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
        Ok(Self { temporary, path: path.to_owned() })
    }

    /// Adds to it.
    ///
    /// # Errors
    /// As the system says.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.temporary.write_all(bytes)
    }

    /// Gives it its name, unless something has that name already.
    ///
    /// # Errors
    /// As the system says; nothing is left then.
    pub fn finish(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist_noclobber(&self.path).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// An empty private file for another to fill; it gets its name only once it is finished, and is gone if
/// it never is.
pub struct Unfinished {
    temporary: tempfile::TempPath,
}

impl Unfinished {
    /// Makes one in `dir`.
    ///
    /// # Errors
    /// As the system says.
    pub fn begin(dir: &Path) -> io::Result<Self> {
        let temporary = tempfile::Builder::new().prefix(".ringfence-").tempfile_in(dir)?;
        Ok(Self { temporary: temporary.into_temp_path() })
    }

    /// Where it is meanwhile.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives it its name, unless something has that name already.
    ///
    /// # Errors
    /// As the system says; nothing is left then.
    pub fn finish(self, path: &Path) -> io::Result<()> {
        File::open(&self.temporary)?.sync_all()?;
        self.temporary.persist_noclobber(path).map_err(|failed| failed.error)?;
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(dir)?.sync_all()
    }
}
