//! Taking a store out and in, record by record: sessions, notes, and what happened to them.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::change::Change;
use super::error::StoreError;
use super::reader::Reader;
use super::row::{self, ENTRY_COLUMNS, Entry};
use super::writer::{Author, Writer};
use crate::memory::note::{KINDS, STATUSES, needs_subject};
use crate::memory::subject;

/// The format of an export.
pub const EXPORT_VERSION: u32 = 1;

/// The longest id, in bytes, and the longest text that is taken in.
const MAX_ID: usize = 200;
const MAX_TEXT: usize = 1 << 20;

/// One line of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Record {
    /// The first line.
    Export {
        /// [`EXPORT_VERSION`].
        version: u32,
    },
    /// A host session.
    Session(SessionRow),
    /// A note.
    Note(Entry),
    /// A change of a note.
    Change(ChangeRow),
}

/// A session with all its columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The host's id.
    pub id: String,
    /// The session whose subagent's call started it.
    pub parent: Option<String>,
    /// The branch at its start.
    pub scope: Option<String>,
    /// The directory at its start.
    pub cwd: Option<String>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339.
    pub ended_at: Option<String>,
}

/// A row of the history with all its columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// The note's id.
    pub note: String,
    /// RFC 3339.
    pub at: String,
    /// What was done.
    pub action: String,
    /// The text before.
    pub before: Option<String>,
    /// JSON of the other columns before.
    pub row_before: Option<String>,
    /// Who.
    pub session: String,
    /// Who.
    pub agent: Option<String>,
    /// The host's id of the call.
    pub tool_use_id: Option<String>,
    /// The process of a command line.
    pub pid: Option<u32>,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// New notes.
    pub notes: u64,
    /// New sessions.
    pub sessions: u64,
    /// Changes of new notes.
    pub changes: u64,
    /// Notes that were here already, as they are.
    pub known: u64,
    /// Notes that are here, but otherwise; they stay as they are here.
    pub different: Vec<String>,
}

impl Reader {
    /// Hands all records of one state to `take`, always in the same order: sessions by id, notes by
    /// their time, changes as they came.
    ///
    /// # Errors
    /// When the store refuses, or as `take` says.
    pub fn export<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(&Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = self.connection.unchecked_transaction().map_err(StoreError::from)?;
        take(&Record::Export { version: EXPORT_VERSION })?;
        let sessions =
            "SELECT id, parent, scope, cwd, started_at, ended_at FROM sessions ORDER BY id";
        let notes = format!("SELECT {ENTRY_COLUMNS} FROM notes ORDER BY created_at, id");
        let changes = "SELECT note, at, action, before, row_before, session, agent, tool_use_id, \
                       pid FROM note_history ORDER BY seq";
        type Reading<'r> = (&'r str, fn(&Row<'_>) -> rusqlite::Result<Record>);
        let readings: [Reading<'_>; 3] = [
            (sessions, |row| session(row).map(Record::Session)),
            (&notes, |row| row::entry(row).map(Record::Note)),
            (changes, |row| change(row).map(Record::Change)),
        ];
        for (sql, record) in readings {
            let mut statement = read.prepare(sql).map_err(StoreError::from)?;
            let mut rows = statement.query([]).map_err(StoreError::from)?;
            while let Some(row) = rows.next().map_err(StoreError::from)? {
                take(&record(row).map_err(StoreError::from)?)?;
            }
        }
        Ok(())
    }
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        parent: row.get(1)?,
        scope: row.get(2)?,
        cwd: row.get(3)?,
        started_at: row.get(4)?,
        ended_at: row.get(5)?,
    })
}

fn change(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    Ok(ChangeRow {
        note: row.get(0)?,
        at: row.get(1)?,
        action: row.get(2)?,
        before: row.get(3)?,
        row_before: row.get(4)?,
        session: row.get(5)?,
        agent: row.get(6)?,
        tool_use_id: row.get(7)?,
        pid: row.get(8)?,
    })
}

/// An import on its way; dropped without [`Import::finish`] it leaves nothing.
pub struct Import<'w> {
    change: Change<'w>,
    done: Imported,
    /// Whether a note had no history here before: only then its own comes with it.
    fresh: HashMap<String, bool>,
}

impl Writer {
    /// Begins to take in records.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn import<'w>(&'w mut self, author: &'w Author) -> Result<Import<'w>, StoreError> {
        let change = self.begin(author)?;
        Ok(Import { change, done: Imported::default(), fresh: HashMap::new() })
    }
}

impl Import<'_> {
    /// Takes in one record. What is here already stays as it is.
    ///
    /// # Errors
    /// When the record is not as it must be, or the store refuses; the import is to be dropped then.
    pub fn put(&mut self, record: &Record) -> Result<(), StoreError> {
        check(record).map_err(StoreError::Unfit)?;
        match record {
            Record::Export { .. } => Ok(()),
            Record::Session(session) => self.put_session(session),
            Record::Note(entry) => self.put_note(entry),
            Record::Change(change) => self.put_change(change),
        }
    }

    /// Makes the import last.
    ///
    /// # Errors
    /// When the store refuses; nothing is changed then.
    pub fn finish(self) -> Result<Imported, StoreError> {
        self.change.commit()?;
        Ok(self.done)
    }

    /// What would be done; nothing is changed.
    pub fn look(self) -> Imported {
        self.done
    }

    /// Of a session that is known, what is not known of it is added.
    fn put_session(&mut self, session: &SessionRow) -> Result<(), StoreError> {
        let transaction = &self.change.transaction;
        let known: bool = transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)")?
            .query_row([&session.id], |row| row.get(0))?;
        self.done.sessions += u64::from(!known);
        transaction
            .prepare_cached(
                "INSERT INTO sessions (id, parent, scope, cwd, started_at, ended_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET \
                 parent = coalesce(parent, excluded.parent), scope = coalesce(scope, excluded.scope), \
                 cwd = coalesce(cwd, excluded.cwd), \
                 started_at = min(started_at, excluded.started_at), \
                 ended_at = coalesce(ended_at, excluded.ended_at)",
            )?
            .execute(params![
                session.id,
                session.parent,
                session.scope,
                session.cwd,
                session.started_at,
                session.ended_at,
            ])?;
        Ok(())
    }

    fn put_note(&mut self, entry: &Entry) -> Result<(), StoreError> {
        if let Some(here) = row::by_id(&self.change.transaction, &entry.id)? {
            self.fresh.entry(entry.id.clone()).or_insert(false);
            if here == *entry {
                self.done.known += 1;
            } else {
                self.done.different.push(entry.id.clone());
            }
            return Ok(());
        }
        self.is_fresh(&entry.id)?;
        let mut entry = entry.clone();
        let trimmed = entry.subject.as_deref().map(|text| subject::trim(text).to_owned());
        entry.subject = trimmed.filter(|text| !text.is_empty());
        self.change.know_session(&entry.session, entry.scope.as_deref())?;
        self.change.insert(&entry)?;
        self.change.record(&entry.id, "import", None)?;
        self.done.notes += 1;
        Ok(())
    }

    fn put_change(&mut self, row: &ChangeRow) -> Result<(), StoreError> {
        if !self.is_fresh(&row.note)? {
            return Ok(());
        }
        self.change
            .transaction
            .prepare_cached(
                "INSERT INTO note_history (note, at, action, before, row_before, session, agent, \
                 tool_use_id, pid) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                row.note,
                row.at,
                row.action,
                row.before,
                row.row_before,
                row.session,
                row.agent,
                row.tool_use_id,
                row.pid,
            ])?;
        self.done.changes += 1;
        Ok(())
    }

    /// Whether a note had no history here before this import.
    fn is_fresh(&mut self, id: &str) -> Result<bool, StoreError> {
        if let Some(known) = self.fresh.get(id) {
            return Ok(*known);
        }
        let found: Option<i64> = self
            .change
            .transaction
            .prepare_cached("SELECT seq FROM note_history WHERE note = ?1 LIMIT 1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        self.fresh.insert(id.to_owned(), found.is_none());
        Ok(found.is_none())
    }
}

/// What of a record is not as it must be.
fn check(record: &Record) -> Result<(), String> {
    match record {
        Record::Export { version } if *version == EXPORT_VERSION => Ok(()),
        Record::Export { version } => Err(format!(
            "it was written by a newer version (format {version}, this one knows {EXPORT_VERSION})"
        )),
        Record::Session(session) => {
            is_id("id", &session.id)?;
            is_time("started_at", &session.started_at)?;
            session.ended_at.as_deref().map_or(Ok(()), |at| is_time("ended_at", at))
        }
        Record::Note(entry) => check_note(entry),
        Record::Change(change) => {
            is_id("note", &change.note)?;
            is_id("session", &change.session)?;
            is_time("at", &change.at)?;
            const ACTIONS: [&str; 9] = [
                "create",
                "supersede",
                "contest",
                "settle",
                "resolve",
                "edit",
                "delete",
                "restore",
                "import",
            ];
            is_one_of("action", &change.action, &ACTIONS)
        }
    }
}

fn check_note(entry: &Entry) -> Result<(), String> {
    is_id("id", &entry.id)?;
    is_id("session", &entry.session)?;
    is_one_of("kind", &entry.kind, KINDS)?;
    is_one_of("status", &entry.status, STATUSES)?;
    is_time("created_at", &entry.created_at)?;
    is_time("updated_at", &entry.updated_at)?;
    if subject::trim(&entry.content).is_empty() {
        return Err("its `content` is blank".to_owned());
    }
    if entry.content.len() > MAX_TEXT {
        return Err("its `content` is larger than a MiB".to_owned());
    }
    let named = entry.subject.as_deref().and_then(subject::normalise).is_some();
    if needs_subject(&entry.kind) && !named {
        return Err("it has no `subject`".to_owned());
    }
    Ok(())
}

fn is_one_of(field: &str, word: &str, all: &[&str]) -> Result<(), String> {
    if all.contains(&word) { Ok(()) } else { Err(format!("its `{field}` is none that is known")) }
}

fn is_id(field: &str, id: &str) -> Result<(), String> {
    let fits = !id.trim().is_empty() && id.len() <= MAX_ID && !id.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(format!("its `{field}` is no id")) }
}

/// Times are compared as text, so they must all be written alike: in UTC with milliseconds.
fn is_time(field: &str, text: &str) -> Result<(), String> {
    let same = text
        .parse::<jiff::Timestamp>()
        .is_ok_and(|time| crate::sys::clock::rfc3339(time.as_millisecond()) == text);
    if same {
        Ok(())
    } else {
        Err(format!("its `{field}` is no time like 2026-12-01T08:00:00.000Z"))
    }
}
