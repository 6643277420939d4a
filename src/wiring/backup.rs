//! Copies of a settings file beside it, with a time in the name; the newest few are kept.

use std::io;
use std::path::{Path, PathBuf};

use super::table::BACKUPS_KEPT;
use crate::sys::clock;
use crate::sys::replace::{self, Seen};

/// Writes a copy of what was seen beside it, readable by nobody who could not read the file.
///
/// # Errors
/// As the system says.
pub fn write(seen: &Seen) -> io::Result<PathBuf> {
    let stamp = clock::rfc3339(clock::now_ms()).replace(['-', ':', '.'], "");
    let name = prefix(&seen.path);
    for turn in 0..100 {
        let turn = if turn == 0 { String::new() } else { format!("-{turn}") };
        let path = seen.path.with_file_name(format!("{name}{stamp}{turn}.bak"));
        match replace::create(&path, &seen.bytes, 0o600 & seen.mode | 0o400) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a backup"))
}

/// The backups of a settings file, oldest first.
pub fn all(path: &Path) -> Vec<PathBuf> {
    let prefix = prefix(path);
    let dir = path.parent().unwrap_or(Path::new("/"));
    let is_ours = |name: &String| {
        let stamp = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(".bak"));
        stamp.is_some_and(|stamp| {
            stamp.starts_with(|first: char| first.is_ascii_digit())
                && stamp.chars().all(|one| one.is_ascii_digit() || matches!(one, 'T' | 'Z' | '-'))
        })
    };
    replace::names_in(dir).into_iter().filter(is_ours).map(|name| dir.join(name)).collect()
}

/// Removes all but the newest few.
pub fn prune(path: &Path) {
    let all = all(path);
    let surplus = all.len().saturating_sub(BACKUPS_KEPT);
    for old in all.iter().take(surplus) {
        // A backup too many harms nobody.
        drop(replace::remove_file(old));
    }
}

fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}.ringfence-")
}
