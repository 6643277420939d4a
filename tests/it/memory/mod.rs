//! Tests of the stores and of the facts that are found in them.

mod cortex;
mod facts;
mod faults;
mod hook;
mod load;
mod native;
mod search;
mod snapshots;

use std::path::Path;

use rusqlite::Connection;

use crate::support::corpus;

/// Builds the Cortex store of an era at `path`, and changes it by `sql`.
pub(crate) fn cortex_store(path: &Path, era: &str, sql: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(&corpus(&format!("stores/{era}.sql"))).unwrap();
    connection.execute_batch(sql).unwrap();
}
