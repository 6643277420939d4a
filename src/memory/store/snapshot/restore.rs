//! Brings a whole snapshot back: to a new file, or in the place of its store when nobody uses it.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Shelf, Snapshot, copy};
use crate::memory::Family;
use crate::memory::store::native::{StoreError, beside};
use crate::sys::pieces::Unfinished;
use crate::sys::{clock, file, process};

/// How a snapshot came back in its store's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// The store's file holds it now.
    Overwritten,
    /// There was no store.
    Made,
    /// The store was damaged, and lies beside under this name.
    MovedAside(PathBuf),
}

/// Copies a snapshot to `to`, where nothing may be yet.
///
/// # Errors
/// When the snapshot is not whole, or the file is there or cannot be made.
pub fn restore_to(family: Family, snapshot: &Snapshot, to: &Path) -> Result<(), StoreError> {
    if file::exists(to) {
        return Err(StoreError::Unopenable {
            path: to.to_owned(),
            reason: "it is there already".into(),
        });
    }
    let io = |error: std::io::Error| StoreError::io(to, &error);
    let dir = to.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unfinished = Unfinished::begin(dir).map_err(io)?;
    copy::copy(family, &snapshot.path, unfinished.path())?;
    unfinished.finish(to).map_err(io)
}

/// Puts a snapshot in the place of its store.
///
/// # Errors
/// When another process has the store open, the snapshot is not whole, or the store cannot be written;
/// the store is as it was then.
pub fn restore_in_place(shelf: &Shelf, snapshot: &Snapshot) -> Result<InPlace, StoreError> {
    let store = shelf.store();
    let source = copy::open(&snapshot.path)?;
    copy::check(&source, shelf.family(), &snapshot.path)?;
    if !file::exists(store) {
        let dir = store.parent().ok_or_else(|| StoreError::place(store))?;
        file::private_dir(dir).map_err(|error| StoreError::io(store, &error))?;
        restore_to(shelf.family(), snapshot, store)?;
        return Ok(InPlace::Made);
    }
    let holders = process::holders(store);
    if let Some(holder) = holders.first() {
        return Err(StoreError::Held { path: store.to_owned(), pid: *holder });
    }
    match overwrite(&source, store) {
        Ok(()) => Ok(InPlace::Overwritten),
        Err(StoreError::Damaged(_)) => aside(shelf, snapshot),
        Err(error) => Err(error),
    }
}

/// Writes all pages of `source` into the store, in one transaction of the store's own.
fn overwrite(source: &Connection, store: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(store, flags)?;
    let mode: String = target.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    // Leaving the log is only granted to the one connection there is: processes of other users, which
    // cannot be seen, are noticed by it.
    if mode == "wal" {
        target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    }
    let done = copy::pages(source, &mut target);
    if mode == "wal" {
        target.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    }
    done
}

/// Moves a store that cannot even be opened aside with its log, and makes it anew.
fn aside(shelf: &Shelf, snapshot: &Snapshot) -> Result<InPlace, StoreError> {
    let store = shelf.store();
    let io = |error: std::io::Error| StoreError::io(store, &error);
    let stamp: String =
        clock::rfc3339(clock::now_ms()).chars().filter(char::is_ascii_alphanumeric).collect();
    let moved = beside(store, &format!(".damaged-{stamp}"));
    file::rename(store, &moved).map_err(io)?;
    for end in ["-wal", "-shm", "-journal"] {
        let side = beside(store, end);
        if file::exists(&side) {
            file::rename(&side, &beside(&moved, end)).map_err(io)?;
        }
    }
    restore_to(shelf.family(), snapshot, store)?;
    Ok(InPlace::MovedAside(moved))
}
