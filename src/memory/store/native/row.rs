//! The rows of our own store as values.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use crate::memory::{Item, Note, subject};

/// A note with all its columns; in an export its fields in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// UUIDv7.
    pub id: String,
    /// One of `note::KINDS`.
    pub kind: String,
    /// As it was given, trimmed.
    pub subject: Option<String>,
    /// The text.
    pub content: String,
    /// What was considered and left.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// One of `note::STATUSES`.
    pub status: String,
    /// Contradicted by another note.
    #[serde(default)]
    pub conflict: bool,
    /// The host session that wrote it.
    pub session: String,
    /// The subagent that wrote it; `None` = the parent, or not known to be a subagent.
    pub agent: Option<String>,
    /// The branch at the write; `None` = not known.
    pub scope: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// The columns of an [`Entry`], in the order in which [`entry`] reads them.
pub(super) const ENTRY_COLUMNS: &str = "id, kind, subject, content, alternatives, status, conflict, \
     session, agent, scope, created_at, updated_at";

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let alternatives: String = row.get(4)?;
    Ok(Entry {
        id: row.get(0)?,
        kind: row.get(1)?,
        subject: row.get(2)?,
        content: row.get(3)?,
        alternatives: serde_json::from_str(&alternatives).unwrap_or_default(),
        status: row.get(5)?,
        conflict: row.get(6)?,
        session: row.get(7)?,
        agent: row.get(8)?,
        scope: row.get(9)?,
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
    })
}

/// All columns of an entry as values, its subject's key after its subject.
pub(super) fn values(entry: &Entry) -> [Value; 13] {
    let text = |text: &str| Value::Text(text.to_owned());
    let maybe = |text: Option<&str>| text.map_or(Value::Null, |text| Value::Text(text.to_owned()));
    let key = entry.subject.as_deref().and_then(subject::normalise);
    [
        text(&entry.id),
        text(&entry.kind),
        maybe(entry.subject.as_deref()),
        maybe(key.as_deref()),
        text(&entry.content),
        Value::Text(serde_json::json!(entry.alternatives).to_string()),
        text(&entry.status),
        Value::Integer(entry.conflict.into()),
        text(&entry.session),
        maybe(entry.agent.as_deref()),
        maybe(entry.scope.as_deref()),
        text(&entry.created_at),
        text(&entry.updated_at),
    ]
}

impl Entry {
    /// Its other columns as JSON, for the history.
    pub(super) fn without_text(&self) -> String {
        serde_json::json!({
            "kind": self.kind,
            "subject": self.subject,
            "alternatives": self.alternatives,
            "status": self.status,
            "conflict": self.conflict,
            "session": self.session,
            "agent": self.agent,
            "scope": self.scope,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        })
        .to_string()
    }

    /// The note as the rules and the guard see it: its subject is the normalised one.
    pub(super) fn note(self) -> Note {
        Note {
            subject: self.subject.as_deref().and_then(crate::memory::subject::normalise),
            id: self.id,
            session: self.session,
            agent: self.agent,
            kind: self.kind,
            content: self.content,
            status: self.status,
            contested: self.conflict,
            scope: self.scope,
            created_at: self.created_at,
        }
    }

    /// The note as what an edit or delete addresses.
    pub(super) fn item(self) -> Item {
        Item {
            id: self.id,
            session: Some(self.session),
            agent: self.agent,
            kind: self.kind,
            subject: self.subject,
            scope: self.scope,
        }
    }
}

/// All entries that meet `condition`, which may carry an order.
pub(super) fn entries(
    connection: &Connection,
    condition: &str,
    values: impl Params,
) -> rusqlite::Result<Vec<Entry>> {
    let sql = format!("SELECT {ENTRY_COLUMNS} FROM notes WHERE {condition}");
    let mut statement = connection.prepare(&sql)?;
    statement.query_map(values, entry)?.collect()
}

/// The active entries on a normalised subject, newest first.
pub(super) fn active(connection: &Connection, key: &str) -> rusqlite::Result<Vec<Entry>> {
    let condition = "subject_key = ?1 AND status = 'active' ORDER BY created_at DESC, seq DESC";
    entries(connection, condition, [key])
}

/// The entry with this id.
pub(super) fn by_id(connection: &Connection, id: &str) -> rusqlite::Result<Option<Entry>> {
    let sql = format!("SELECT {ENTRY_COLUMNS} FROM notes WHERE id = ?1");
    connection.query_row(&sql, [id], entry).optional()
}

/// The entry in this row.
pub(super) fn by_seq(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Entry>> {
    let sql = format!("SELECT {ENTRY_COLUMNS} FROM notes WHERE seq = ?1");
    connection.prepare_cached(&sql)?.query_row([seq], entry).optional()
}

/// The entry with this id, or why there is none.
pub(super) fn required(connection: &Connection, id: &str) -> Result<Entry, StoreError> {
    if let Some(found) = by_id(connection, id)? {
        return Ok(found);
    }
    let deleted: Option<String> = connection
        .query_row(
            "SELECT at FROM note_history WHERE note = ?1 AND action = 'delete' \
             ORDER BY seq DESC LIMIT 1",
            [id],
            |row| row.get(0),
        )
        .optional()?;
    Err(match deleted {
        Some(at) => StoreError::Deleted { id: id.to_owned(), at },
        None => StoreError::NoSuchNote(id.to_owned()),
    })
}
