//! Opening a store to look things up, and the words for what can go wrong.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::decision::{Code, Doubt};
use crate::sys::file;

/// How long a look-up waits for a lock. A read-only open of a WAL store waits only while the store
/// is recovered or locked exclusively.
const LOCK_WAIT: Duration = Duration::from_millis(40);

/// Opens `path` for reading, inside one transaction so that all look-ups see one state.
///
/// Never `immutable`: that reads torn pages beside a writer. Never read-write: the last close would
/// checkpoint.
///
/// # Errors
/// A doubt with the store's reason code.
pub(super) fn read_only(path: &Path) -> Result<Connection, Doubt> {
    let text = path.to_string_lossy();
    if !path.is_absolute() || text.starts_with("file:") {
        return Err(Doubt::new(Code::StoreUnreadable, "the store's path is not absolute"));
    }
    // Opening a named pipe would wait for its other end.
    if file::is_special(path) {
        return Err(Doubt::new(Code::StoreUnreadable, format!("{} is no file", path.display())));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| doubt(&error, path))?;
    connection.busy_timeout(LOCK_WAIT).map_err(|error| doubt(&error, path))?;
    connection.execute_batch("BEGIN").map_err(|error| doubt(&error, path))?;
    Ok(connection)
}

/// The reason code of a database error.
pub(super) fn doubt(error: &rusqlite::Error, path: &Path) -> Doubt {
    let code = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Code::StoreLocked,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Code::StoreCorrupt,
        Some(ErrorCode::CannotOpen) if file::is_missing(path) => Code::StoreMissing,
        Some(ErrorCode::Unknown) => Code::StoreSchema,
        _ => Code::StoreUnreadable,
    };
    let number = error.sqlite_error().map_or(0, |error| error.extended_code);
    Doubt::new(code, format!("{} (SQLite {number})", path.display()))
}
