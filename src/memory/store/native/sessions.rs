//! The sessions that a store knows.

use super::error::StoreError;
use super::reader::Reader;

/// A session as the store was told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The host's session id.
    pub id: String,
    /// The session whose subagent's call started its client.
    pub parent: Option<String>,
    /// The branch at its start.
    pub scope: Option<String>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339; `None` while it runs, or when nobody saw its end.
    pub ended_at: Option<String>,
}

impl Reader {
    /// All sessions, the oldest first.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn sessions(&self) -> Result<Vec<Known>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT id, parent, scope, started_at, ended_at FROM sessions ORDER BY started_at, id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(Known {
                id: row.get(0)?,
                parent: row.get(1)?,
                scope: row.get(2)?,
                started_at: row.get(3)?,
                ended_at: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
