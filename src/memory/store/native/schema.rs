//! The schema of our own store: migrations, forward only, under `user_version`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::error::StoreError;
use super::presence::Presence;
use crate::sys::file;
use crate::sys::replace::{self, DirLock};

/// The steps, oldest first; a store at version `n` has had the first `n`. Never edited after a release.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../../migrations/0001_notes.sql"),
    include_str!("../../../../migrations/0002_history.sql"),
];

/// `application_id` of our files: "RgFn".
const APPLICATION: i64 = 0x5267_466e;

/// How long a person's command waits for another writer.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long it waits in the queue of our own writers.
const TURN_WAIT: Duration = Duration::from_secs(30);

/// What stays of the write-ahead log after a checkpoint, in bytes; SQLite makes one each 1,000 pages.
const LOG_LIMIT: i64 = 4 << 20;

/// A log of this length, in bytes, was kept from being taken over by long readers: it is tried again.
const LONG_LOG: u64 = 32 << 20;

/// Up to this size, in bytes, a store is checked with all its indexes; beyond, its pages only.
const CHECKED_WHOLE: u64 = 64 << 20;

/// A store that is open for writing.
pub(super) struct Opened {
    // Closed before its marker goes.
    pub(super) connection: Connection,
    _presence: Presence,
    dir: PathBuf,
}

impl Opened {
    /// Begins a change when it is our turn. SQLite's own waiting is a race at each attempt, which among
    /// eight busy writers one loses for longer than anybody waits; the queue is fair.
    pub(super) fn begin(&mut self) -> Result<(Transaction<'_>, Option<DirLock>), StoreError> {
        let turn = match replace::lock_dir_within(&self.dir, TURN_WAIT) {
            Ok(None) => return Err(StoreError::Locked),
            Ok(turn) => turn,
            // Some file systems have no such locks; then it is a race.
            Err(_) => None,
        };
        // Immediate: two writers then wait for each other, instead of failing half-way.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok((transaction, turn))
    }
}

/// The newest schema that this program knows.
pub(super) fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// How a store's file stands to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// An empty file.
    Empty,
    /// Ours, at the known schema.
    Current,
    /// Ours, at an older schema.
    Older,
    /// Ours, written by a newer program.
    Newer(i64),
    /// Another program's.
    Foreign,
}

/// Looks at a store's own numbers; changes nothing.
pub(super) fn standing(connection: &Connection) -> rusqlite::Result<Standing> {
    // All of one state: another process may be making the store right now.
    let read =
        connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    let found = numbers(connection);
    drop(read);
    found
}

fn numbers(connection: &Connection) -> rusqlite::Result<Standing> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application != APPLICATION {
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let empty = tables == 0 && application == 0 && version == 0;
        return Ok(if empty { Standing::Empty } else { Standing::Foreign });
    }
    Ok(match version {
        version if version > known() => Standing::Newer(version),
        version if version == known() => Standing::Current,
        _ => Standing::Older,
    })
}

/// Opens the store at `path` for writing: makes it, and brings it to the known schema.
///
/// A current store is opened without a single statement that changes it.
///
/// Durable on purpose (`synchronous = FULL`): a note that was acknowledged survives a power cut.
pub(super) fn open_for_writing(path: &Path) -> Result<Opened, StoreError> {
    let dir = path.parent().ok_or_else(|| StoreError::place(path))?;
    file::private_dir(dir).map_err(|error| StoreError::io(path, &error))?;
    // SQLite would make it readable for all; and a link here could point anywhere.
    file::create_private(path).map_err(|error| StoreError::io(path, &error))?;
    let presence = Presence::enter(path).map_err(|error| StoreError::io(path, &error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(LOCK_WAIT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    match standing(&connection)? {
        Standing::Current => prefer_wal(&connection),
        Standing::Empty | Standing::Older => migrate(&mut connection, path)?,
        Standing::Newer(found) => return Err(StoreError::Newer { found, known: known() }),
        Standing::Foreign => return Err(StoreError::Foreign { path: path.to_owned() }),
    }
    if presence.ended_unclean() {
        check(&connection, path)?;
        presence.settle();
    }
    connection.pragma_update(None, "journal_size_limit", LOG_LIMIT)?;
    if file::length(&beside(path, "-wal")).is_some_and(|length| length > LONG_LOG) {
        checkpoint(&connection);
    }
    Ok(Opened { connection, _presence: presence, dir: dir.to_owned() })
}

/// `path` with more at the end of its name.
pub(in crate::memory::store) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    PathBuf::from(name)
}

/// Looks whether the store is whole.
fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let whole = file::length(path).is_none_or(|length| length <= CHECKED_WHOLE);
    let pragma = if whole { "PRAGMA integrity_check(1)" } else { "PRAGMA quick_check(1)" };
    let said: String = connection.query_row(pragma, [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(StoreError::Damaged(said)) }
}

/// Moves the log into the store, as far as readers allow at this moment.
pub(super) fn checkpoint(connection: &Connection) {
    drop(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
}

/// Applies the missing steps in one transaction: all or none.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster while this one waited for the lock.
    let done = match standing(&transaction)? {
        Standing::Empty => 0,
        Standing::Older => {
            let version: i64 =
                transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            usize::try_from(version).unwrap_or(0)
        }
        Standing::Current => MIGRATIONS.len(),
        Standing::Newer(found) => return Err(StoreError::Newer { found, known: known() }),
        Standing::Foreign => return Err(StoreError::Foreign { path: path.to_owned() }),
    };
    for step in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known())?;
    transaction.commit()?;
    prefer_wal(connection);
    Ok(())
}

/// Switches to a write-ahead log, with which readers never wait for a writer.
///
/// It cannot be set inside a transaction, and fails while another process has the store open: then
/// that one does it, or the next. It is written into the file, so mostly there is nothing to do.
fn prefer_wal(connection: &Connection) {
    let mode = connection
        .pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0))
        .unwrap_or_default();
    if mode != "wal" {
        drop(connection.pragma_update(None, "journal_mode", "wal"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_applies_to_an_empty_store() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/memory.db");
        let Opened { connection, .. } = open_for_writing(&path).unwrap();
        assert_eq!(standing(&connection).unwrap(), Standing::Current);
        let check: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        let mode: String =
            connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn an_older_store_keeps_its_notes_and_its_history() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        old.execute_batch(
            "PRAGMA user_version = 1;
             INSERT INTO sessions (id, started_at) VALUES ('s', '2026');
             INSERT INTO notes (id, kind, content, session, created_at, updated_at)
             VALUES ('n', 'insight', 'tables are sorted', 's', '2026', '2026');
             INSERT INTO note_history (note, at, action, before, session)
             VALUES ('n', '2026', 'edit', 'tables', 's');",
        )
        .unwrap();
        drop(old);
        let Opened { connection, .. } = open_for_writing(&path).unwrap();
        assert_eq!(standing(&connection).unwrap(), Standing::Current);
        let text: String = connection
            .query_row(
                "SELECT content || '|' || before FROM notes JOIN note_history ON note = id \
                 WHERE notes.seq IN (SELECT rowid FROM notes_fts WHERE notes_fts MATCH 'table')",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(text, "tables are sorted|tables");
        connection.execute_batch("DELETE FROM note_history").unwrap_err();
    }

    #[test]
    fn opening_a_current_store_changes_no_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        drop(open_for_writing(&path).unwrap());
        let before = file::read_bounded(&path, 1 << 20).unwrap();
        drop(open_for_writing(&path).unwrap());
        assert_eq!(file::read_bounded(&path, 1 << 20).unwrap(), before);
    }

    #[test]
    fn a_newer_or_foreign_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let newer = dir.path().join("newer.db");
        open_for_writing(&newer)
            .unwrap()
            .connection
            .pragma_update(None, "user_version", 7)
            .unwrap();
        assert_eq!(
            open_for_writing(&newer).err().unwrap().to_string(),
            "the store was written by a newer version (schema 7, this one knows 2)"
        );
        let foreign = dir.path().join("cortex.db");
        Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE notes (id TEXT)").unwrap();
        assert!(matches!(open_for_writing(&foreign), Err(StoreError::Foreign { .. })));
    }
}
