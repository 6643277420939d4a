//! Which columns a Cortex store has: probed, never inferred from a version number, because Cortex adds
//! them without raising it.

use rusqlite::{Connection, OptionalExtension};

/// What the store has of what a decision needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) agent: bool,
    pub(super) scope: bool,
    pub(super) conflict: bool,
    pub(super) items: bool,
    pub(super) item_source: bool,
}

impl Columns {
    /// `None` when it is no Cortex store of any version.
    pub(super) fn probe(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        // Metadata instead of `PRAGMA table_info`: the same facts without compiling a statement.
        let has = |table: &str, column: &str| connection.column_exists(Some("main"), table, column);
        if !has("sessions", "parent_session_id")? || !has("notes", "session_id")? {
            return Ok(None);
        }
        Ok(Some(Self {
            agent: has("sessions", "agent_id")?,
            scope: has("sessions", "scope_key")?,
            conflict: has("notes", "conflict")?,
            items: has("memory_items", "session_id")?,
            item_source: has("memory_items", "source_id")?,
        }))
    }
}

/// Whether `idx_notes_kind_subject` is there and covers all notes by their kind and subject.
pub(super) fn has_kind_subject_index(connection: &Connection) -> rusqlite::Result<bool> {
    // A later schema may keep the name for another index, and `INDEXED BY` would fail then.
    let indexed: Option<String> = connection
        .query_row(
            "SELECT (SELECT group_concat(name) FROM \
             (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno)) \
             FROM pragma_index_list('notes') l \
             WHERE l.name = 'idx_notes_kind_subject' AND l.partial = 0",
            [],
            |row| row.get(0),
        )
        .optional()?
        .flatten();
    Ok(indexed.as_deref() == Some("kind,subject"))
}
