//! What a store is like, for a person: its schema, how many notes, what waits in its WAL.

use std::path::Path;

use rusqlite::OptionalExtension;

use super::{is_native, open};
use crate::decision::{Code, Doubt};
use crate::sys::file;

/// A store that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Its schema, as it says itself.
    pub schema: String,
    /// How many notes are in it.
    pub notes: i64,
    /// The bytes in the file beside it that are not in the store's own file yet; `None` = no such file.
    pub wal: Option<u64>,
}

/// Whether the pages of the store at `path` are whole; it is only read.
///
/// # Errors
/// A doubt with the store's reason code; of a broken one, what the first fault is.
pub fn quick_check(path: &Path) -> Result<(), Doubt> {
    let connection = open::read_only(path)?;
    let said: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| open::doubt(&error, path))?;
    match said.as_str() {
        "ok" => Ok(()),
        fault => Err(Doubt::new(Code::StoreCorrupt, format!("{}: {fault}", path.display()))),
    }
}

/// Looks at the store at `path`.
///
/// # Errors
/// A doubt with the store's reason code.
pub fn survey(path: &Path) -> Result<Survey, Doubt> {
    let connection = open::read_only(path)?;
    let doubt = |error: rusqlite::Error| open::doubt(&error, path);
    let version = || connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let said = if is_native(path) {
        None
    } else {
        let sql = "SELECT value FROM meta WHERE key = 'schema_version'";
        // A store from before there was such a table says it elsewhere, or nowhere.
        connection.query_row(sql, [], |row| row.get(0)).optional().ok().flatten()
    };
    let schema: String = match said {
        Some(said) => said,
        None => version().map_err(doubt)?.to_string(),
    };
    let notes = connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0));
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    Ok(Survey { schema, notes: notes.map_err(doubt)?, wal: file::length(Path::new(&wal)) })
}
