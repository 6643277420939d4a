//! The read side of our own store for people's commands.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::error::StoreError;
use super::row::{self, Entry};
use super::schema::{self, Standing};
use crate::sys::file;

/// Which notes to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these kinds; all when empty.
    pub kinds: Vec<String>,
    /// Only these statuses; all when empty.
    pub statuses: Vec<String>,
    /// How many.
    pub limit: usize,
    /// How many to skip.
    pub offset: usize,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// How many notes meet the filter in all.
    pub total: i64,
    /// The part, newest first.
    pub entries: Vec<Entry>,
}

/// One change of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// RFC 3339.
    pub at: String,
    /// `create`, `supersede`, `contest`, `settle`, `resolve`, `edit`, `delete`.
    pub action: String,
    /// The text before; `None` for `create`.
    pub before: Option<String>,
    /// Who: the host session.
    pub session: String,
    /// Who: the subagent.
    pub agent: Option<String>,
    /// The host's id of the call.
    pub tool_use_id: Option<String>,
}

/// Our own store, open for reading.
pub struct Reader {
    connection: Connection,
}

impl Reader {
    /// Opens the store at `path`; `None` when there is none yet. An older store is migrated first.
    ///
    /// # Errors
    /// When it is newer, not ours, damaged, or cannot be opened.
    pub fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        if !file::exists(path) {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(schema::LOCK_WAIT)?;
        match schema::standing(&connection)? {
            Standing::Current => Ok(Some(Self { connection })),
            Standing::Empty => Ok(None),
            Standing::Older => {
                drop(connection);
                Ok(Some(Self { connection: schema::open_for_writing(path)? }))
            }
            Standing::Newer(found) => Err(StoreError::Newer { found, known: schema::known() }),
            Standing::Foreign => Err(StoreError::Foreign { path: path.to_owned() }),
        }
    }

    /// Lists notes, newest first.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn list(&self, filter: &Filter) -> Result<Page, StoreError> {
        let mut conditions = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        for (column, words) in [("kind", &filter.kinds), ("status", &filter.statuses)] {
            if !words.is_empty() {
                conditions.push(format!("{column} IN ({})", vec!["?"; words.len()].join(", ")));
                values.extend(words.iter().cloned().map(Value::Text));
            }
        }
        let condition =
            if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") };
        // One state for the count and the part.
        let read = self.connection.unchecked_transaction()?;
        let total = read.query_row(
            &format!("SELECT count(*) FROM notes WHERE {condition}"),
            params_from_iter(&values),
            |row| row.get(0),
        )?;
        let bound = |count: usize| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
        values.extend([bound(filter.limit), bound(filter.offset)]);
        let condition = format!("{condition} ORDER BY created_at DESC, seq DESC LIMIT ? OFFSET ?");
        let entries = row::entries(&read, &condition, params_from_iter(&values))?;
        Ok(Page { total, entries })
    }

    /// The note with this id.
    ///
    /// # Errors
    /// When there is none, or there was one that is deleted.
    pub fn entry(&self, id: &str) -> Result<Entry, StoreError> {
        row::required(&self.connection, id)
    }

    /// All changes of a note, oldest first; also of a deleted one.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn history(&self, id: &str) -> Result<Vec<Change>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT at, action, before, session, agent, tool_use_id FROM note_history \
             WHERE note = ?1 ORDER BY seq",
        )?;
        let rows = statement.query_map([id], |row| {
            Ok(Change {
                at: row.get(0)?,
                action: row.get(1)?,
                before: row.get(2)?,
                session: row.get(3)?,
                agent: row.get(4)?,
                tool_use_id: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
