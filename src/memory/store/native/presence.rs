//! Who has the store open for writing: a marker for each process beside the store, so that the next
//! one notices when a process or the machine ended without closing it.

use std::io;
use std::path::{Path, PathBuf};

use crate::sys::{file, process};

/// This process's marker, and those that dead ones left.
pub(super) struct Presence {
    marker: PathBuf,
    left: Vec<PathBuf>,
}

impl Presence {
    /// Marks the store at `path` as open in this process.
    pub(super) fn enter(path: &Path) -> io::Result<Self> {
        let dir = path.parent().unwrap_or(Path::new("."));
        let mut prefix = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        prefix.push_str(".open-");
        let left = file::names(dir)
            .into_iter()
            .filter(|name| name.strip_prefix(&prefix).is_some_and(|who| !is_running(who)))
            .map(|name| dir.join(name))
            .collect();
        let (pid, start) = process::own().map_or((0, 0), |own| (own.pid, own.start));
        // A process may open the store more than once: each opening has its own marker.
        let marker = dir.join(format!("{prefix}{pid}-{start}-{}", process::unique()));
        file::create_private(&marker)?;
        Ok(Self { marker, left })
    }

    /// Whether a process that had the store open is gone without having closed it.
    pub(super) fn ended_unclean(&self) -> bool {
        !self.left.is_empty()
    }

    /// The store was found whole: what dead processes left is cleared away.
    pub(super) fn settle(&self) {
        for marker in &self.left {
            drop(file::remove(marker));
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        drop(file::remove(&self.marker));
    }
}

/// Whether the process that a marker's name tells of is there: its number and its start.
fn is_running(who: &str) -> bool {
    let mut parts = who.split('-');
    let number = parts.next().and_then(|part| part.parse().ok());
    let start = parts.next().and_then(|part| part.parse::<u64>().ok());
    match (number, start) {
        (Some(number), Some(start)) => {
            process::process(number).is_some_and(|process| process.start == start)
        }
        // Not one of ours.
        _ => true,
    }
}
