//! Puts one note of a snapshot back into its store, as it was then. A person asks for it by name: it is
//! the one time that we write to a store of Cortex's.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::Snapshot;
use super::copy;
use crate::memory::store::columns::Columns;
use crate::memory::store::native::StoreError;

/// What was put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    /// Whether the note was gone from the store.
    pub was_gone: bool,
    /// How many rows were written or changed.
    pub rows: usize,
}

/// The rows that make up a note, each with the condition that finds them by the note's id.
const ROWS: [(&str, &str); 3] = [
    ("sessions", "id = (SELECT session_id FROM snapshot.notes WHERE id = ?1)"),
    ("notes", "id = ?1"),
    ("memory_items", "source_table = 'notes' AND source_id = ?1"),
];

/// Puts the note `id` of a Cortex store's snapshot back into the store at `store`: its row, its item,
/// and its session if that is gone too. Columns that only one of them has are left alone.
///
/// # Errors
/// When the snapshot does not have the note, or the store cannot be written; it is as it was then.
pub fn put_back(snapshot: &Snapshot, store: &Path, id: &str) -> Result<PutBack, StoreError> {
    let source = copy::open(&snapshot.path)?;
    let found: bool =
        source.query_row("SELECT EXISTS (SELECT 1 FROM notes WHERE id = ?1)", [id], |row| {
            row.get(0)
        })?;
    if !found {
        return Err(StoreError::NoSuchNote(id.to_owned()));
    }
    drop(source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut live = Connection::open_with_flags(store, flags)?;
    live.busy_timeout(Duration::from_secs(5))?;
    live.pragma_update(None, "foreign_keys", true)?;
    if Columns::probe(&live)?.is_none() {
        return Err(StoreError::Foreign { path: store.to_owned() });
    }
    live.execute("ATTACH ?1 AS snapshot", [snapshot.path.to_string_lossy()])?;
    let transaction = live.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let there: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM main.notes WHERE id = ?1)",
        [id],
        |row| row.get(0),
    )?;
    let mut rows = 0;
    for (table, condition) in ROWS {
        let columns = shared(&transaction, table)?;
        if !columns.iter().any(|column| column == "id") {
            continue;
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let names = names.join(", ");
        let on_conflict = if table == "sessions" {
            "DO NOTHING".to_owned()
        } else {
            let set = |column: &String| format!("{0} = excluded.{0}", quoted(column));
            let sets: Vec<String> = columns.iter().filter(|c| *c != "id").map(set).collect();
            format!("(id) DO UPDATE SET {}", sets.join(", "))
        };
        rows += transaction.execute(
            &format!(
                "INSERT INTO main.{table} ({names}) SELECT {names} FROM snapshot.{table} \
                 WHERE {condition} ON CONFLICT {on_conflict}"
            ),
            [id],
        )?;
    }
    transaction.commit()?;
    Ok(PutBack { was_gone: !there, rows })
}

/// The columns that a table has in both.
fn shared(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT live.name FROM pragma_table_info(?1, 'main') live \
         JOIN pragma_table_info(?1, 'snapshot') old ON old.name = live.name ORDER BY live.cid",
    )?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
