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
    /// `idx_notes_kind_subject` is there and covers all notes by their kind and subject.
    pub(super) kind_subject_index: bool,
}

impl Columns {
    /// `None` when it is no Cortex store of any version.
    pub(super) fn probe(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let mut found = Self::default();
        let (mut sessions, mut notes) = (false, false);
        let mut statement = connection.prepare(
            "SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p \
             WHERE m.type = 'table' AND m.name IN ('sessions', 'notes', 'memory_items')",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (table, column): (String, String) = (row.get(0)?, row.get(1)?);
            match (table.as_str(), column.as_str()) {
                ("sessions", "parent_session_id") => sessions = true,
                ("sessions", "agent_id") => found.agent = true,
                ("sessions", "scope_key") => found.scope = true,
                ("notes", "session_id") => notes = true,
                ("notes", "conflict") => found.conflict = true,
                ("memory_items", "session_id") => found.items = true,
                ("memory_items", "source_id") => found.item_source = true,
                _ => {}
            }
        }
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
        found.kind_subject_index = indexed.as_deref() == Some("kind,subject");
        Ok((sessions && notes).then_some(found))
    }
}
