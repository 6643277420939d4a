//! The read side of our own store for people's commands.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::error::StoreError;
use super::filter::Filter;
use super::row::{self, Entry};
use super::schema::{self, Standing};
use crate::sys::file;

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// How many notes meet the filter in all.
    pub total: i64,
    /// The part, newest first.
    pub entries: Vec<Entry>,
}

/// Our own store, open for reading.
pub struct Reader {
    pub(super) connection: Connection,
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
                drop(schema::open_for_writing(path)?);
                let connection = Connection::open_with_flags(path, flags)?;
                connection.busy_timeout(schema::LOCK_WAIT)?;
                Ok(Some(Self { connection }))
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
        let condition = filter.condition();
        let mut values = condition.values;
        // One state for the count and the part.
        let read = self.connection.unchecked_transaction()?;
        let total = read.query_row(
            &format!("SELECT count(*) FROM notes WHERE {}", condition.sql),
            params_from_iter(&values),
            |row| row.get(0),
        )?;
        values.extend(filter.page());
        let condition =
            format!("{} ORDER BY created_at DESC, seq DESC LIMIT ? OFFSET ?", condition.sql);
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
}
