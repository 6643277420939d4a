//! What happened to notes: each change with what was there before, who made it, and when.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Deserialize;

use super::error::StoreError;
use super::reader::Reader;
use super::row::Entry;

/// One change of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// RFC 3339.
    pub at: String,
    /// `create`, `supersede`, `contest`, `settle`, `resolve`, `edit`, `delete`, `restore`, `import`.
    pub action: String,
    /// The text before; `None` when the note was not there.
    pub before: Option<String>,
    /// Who: the host session.
    pub session: String,
    /// Who: the subagent.
    pub agent: Option<String>,
    /// The host's id of the call.
    pub tool_use_id: Option<String>,
    /// The process of a command line.
    pub pid: Option<u32>,
}

/// A change with the note that it was made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The note's id.
    pub note: String,
    /// Its kind and subject, now or when it was deleted; `None` when neither is known.
    pub kind: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// The change.
    pub change: Change,
}

const COLUMNS: &str = "h.at, h.action, h.before, h.session, h.agent, h.tool_use_id, h.pid";

fn change(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change {
        at: row.get(0)?,
        action: row.get(1)?,
        before: row.get(2)?,
        session: row.get(3)?,
        agent: row.get(4)?,
        tool_use_id: row.get(5)?,
        pid: row.get(6)?,
    })
}

impl Reader {
    /// All changes of a note, oldest first; also of a deleted one.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn history(&self, id: &str) -> Result<Vec<Change>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM note_history h WHERE h.note = ?1 ORDER BY h.seq");
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([id], change)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The newest changes of all notes, oldest of them first; of one session only, if it is named.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn log(&self, count: usize, session: Option<&str>) -> Result<Vec<Logged>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, h.note, coalesce(n.kind, h.row_before ->> 'kind'), \
             iif(n.id IS NULL, h.row_before ->> 'subject', n.subject) \
             FROM note_history h LEFT JOIN notes n ON n.id = h.note \
             WHERE ?2 IS NULL OR h.session = ?2 ORDER BY h.seq DESC LIMIT ?1"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![count, session], |row| {
            Ok(Logged {
                change: change(row)?,
                note: row.get(7)?,
                kind: row.get(8)?,
                subject: row.get(9)?,
            })
        })?;
        let mut changes: Vec<Logged> = rows.collect::<rusqlite::Result<_>>()?;
        changes.reverse();
        Ok(changes)
    }
}

/// The other columns of a note, as the history keeps them.
#[derive(Deserialize)]
struct Kept {
    kind: String,
    subject: Option<String>,
    #[serde(default)]
    alternatives: Vec<String>,
    status: String,
    #[serde(default)]
    conflict: bool,
    session: String,
    agent: Option<String>,
    scope: Option<String>,
    created_at: String,
    updated_at: String,
}

/// A note as a row of the history kept it.
pub(super) fn kept(id: &str, text: String, columns: &str) -> Option<Entry> {
    let kept: Kept = serde_json::from_str(columns).ok()?;
    Some(Entry {
        id: id.to_owned(),
        kind: kept.kind,
        subject: kept.subject,
        content: text,
        alternatives: kept.alternatives,
        status: kept.status,
        conflict: kept.conflict,
        session: kept.session,
        agent: kept.agent,
        scope: kept.scope,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}

/// A deleted note as it was; `None` when it is there, or never was.
pub(super) fn deleted(connection: &Connection, id: &str) -> rusqlite::Result<Option<Entry>> {
    let found: Option<(Option<String>, Option<String>)> = connection
        .query_row(
            "SELECT before, row_before FROM note_history WHERE note = ?1 AND action = 'delete' \
             AND NOT EXISTS (SELECT 1 FROM notes WHERE id = ?1) ORDER BY seq DESC LIMIT 1",
            [id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    Ok(match found {
        Some((Some(text), Some(columns))) => kept(id, text, &columns),
        _ => None,
    })
}
