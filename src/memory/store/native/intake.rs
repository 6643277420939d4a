//! Takes the hook's spool into the store: which sessions there were, which subagent made which call.
//!
//! The hook only appends to files, because an insert costs it a millisecond and a disk sync.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Transaction, params};

use super::error::StoreError;
use super::schema::Opened;
use crate::memory::store::Project;
use crate::state::{CallRecord, SessionRecord, State};
use crate::sys::file;
use crate::sys::git::Repository;

/// Takes in the records of the project with this id; those taken in before count once.
pub(super) fn take_in(opened: &mut Opened, state: &State, project: &str) -> Result<(), StoreError> {
    let mut places = Places { project, known: BTreeMap::new() };
    let sessions: Vec<_> =
        state.sessions().into_iter().filter(|record| places.is_here(&record.cwd)).collect();
    let calls: Vec<_> =
        state.recent_calls().into_iter().filter(|record| places.is_here(&record.cwd)).collect();
    if sessions.is_empty() && calls.is_empty() {
        return Ok(());
    }
    let (transaction, _turn) = opened.begin()?;
    for record in &sessions {
        put_session(&transaction, record)?;
    }
    // The spool is read newest first.
    for record in calls.iter().rev() {
        put_call(&transaction, record)?;
    }
    transaction.commit()?;
    Ok(())
}

fn put_session(transaction: &Transaction<'_>, record: &SessionRecord) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO sessions (id, parent, scope, cwd, started_at, ended_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, '')) \
             ON CONFLICT (id) DO UPDATE SET parent = excluded.parent, scope = excluded.scope, \
             cwd = excluded.cwd, started_at = excluded.started_at, ended_at = excluded.ended_at \
             WHERE (parent, scope, cwd, started_at, ended_at) IS NOT \
             (excluded.parent, excluded.scope, excluded.cwd, excluded.started_at, excluded.ended_at)",
        )?
        .execute(params![
            record.session,
            record.child_of,
            record.scope,
            record.cwd,
            record.first_seen,
            record.ended,
        ])?;
    Ok(())
}

fn put_call(transaction: &Transaction<'_>, record: &CallRecord) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO calls (at, event, session, call, agent, tool, cwd, scope, digest) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            record.at,
            record.event,
            record.session,
            record.call,
            record.agent,
            record.tool,
            record.cwd,
            record.scope,
            record.digest,
        ])?;
    Ok(())
}

/// Which directories belong to the project.
struct Places<'p> {
    project: &'p str,
    known: BTreeMap<String, bool>,
}

impl Places<'_> {
    fn is_here(&mut self, dir: &str) -> bool {
        if let Some(known) = self.known.get(dir) {
            return *known;
        }
        let here = file::canonical(Path::new(dir)).is_some_and(|path| {
            Project::of(&path, Repository::find(&path).as_ref()).id == self.project
        });
        self.known.insert(dir.to_owned(), here);
        here
    }
}
