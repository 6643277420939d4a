//! Copies a store while others use it: ours by `VACUUM INTO`, a foreign one page by page.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::super::columns::Columns;
use super::super::native::{StoreError, is_ours};
use crate::memory::Family;
use crate::sys::file;

/// How long a copy waits for a lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long the beginning of a copy for which nobody is to wait waits for a lock.
const MOMENT_WAIT: Duration = Duration::from_millis(100);

/// Opens a database for reading, without a transaction.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    if file::is_special(path) {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(LOCK_WAIT)?;
    Ok(connection)
}

/// Fails unless the database is whole and a store of the family.
pub(super) fn check(
    connection: &Connection,
    family: Family,
    path: &Path,
) -> Result<(), StoreError> {
    let is_store = match family {
        Family::Cortex => Columns::probe(connection)?.is_some(),
        Family::Native => is_ours(connection)?,
    };
    if !is_store {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Damaged(said)) }
}

/// Copies the store at `from` into the empty file at `to`, and makes sure that the copy is whole.
///
/// # Errors
/// When the store cannot be read, is not whole, or is none of the family; when the copy cannot be
/// written.
pub(super) fn copy(family: Family, from: &Path, to: &Path) -> Result<(), StoreError> {
    let source = open(from)?;
    match family {
        Family::Native => {
            source.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
        }
        // Not rewritten: of a foreign store nothing may be lost that we do not know of.
        Family::Cortex => {
            let mut target = Connection::open(to)?;
            pages(&source, &mut target)?;
        }
    }
    drop(source);
    settle(family, to)
}

/// Makes sure that a copy is whole, and that whoever reads it later need not make a log beside it.
fn settle(family: Family, to: &Path) -> Result<(), StoreError> {
    let copied = Connection::open(to)?;
    copied.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    check(&copied, family, to)
}

/// A store as it is at one moment, whatever is written to it afterwards.
pub(super) struct Moment {
    source: Connection,
}

impl Moment {
    /// This moment of the store at `path`; `None` where holding it would hold back whoever writes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn of(path: &Path) -> Result<Option<Self>, StoreError> {
        let source = open(path)?;
        source.busy_timeout(MOMENT_WAIT)?;
        let mode: String =
            source.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))?;
        if mode != "wal" {
            return Ok(None);
        }
        source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
        Ok(Some(Self { source }))
    }

    /// Copies it into the empty file at `to`, as [`copy`].
    pub(super) fn copy(self, family: Family, to: &Path) -> Result<(), StoreError> {
        let mut target = Connection::open(to)?;
        pages(&self.source, &mut target)?;
        drop((target, self));
        settle(family, to)
    }
}

/// Copies all pages in one step, so that they are of one state.
pub(super) fn pages(source: &Connection, target: &mut Connection) -> Result<(), StoreError> {
    let backup = Backup::new(source, target)?;
    backup.run_to_completion(i32::MAX, Duration::from_millis(50), None)?;
    Ok(())
}
