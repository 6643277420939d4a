//! Our own store: the guard's look-ups, read-only. What people's commands do is in `writer` and
//! `reader`; the schema is in `migrations/`.

mod change;
mod error;
mod filter;
mod history;
mod intake;
mod presence;
mod reader;
mod recall;
mod restore;
mod row;
mod schema;
mod search;
mod sessions;
mod transfer;
mod writer;

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::open;
use crate::decision::{Code, Doubt};
use crate::memory::{Circle, Family, Item, Memory, Note, Session, subject};
use crate::request::Caller;
use crate::state::State;

pub use error::StoreError;
pub use filter::Filter;
pub use history::{Change, Logged};
pub use reader::{Page, Reader};
pub use recall::{Recall, Recalled};
pub use restore::Restored;
pub use row::Entry;
pub use sessions::Known;
pub use transfer::{ChangeRow, EXPORT_VERSION, Import, Imported, Record, SessionRow};
pub use writer::{Author, Changed, Draft, Permit, Which, Writer, Written};

use schema::Standing;

/// `path` with more at the end of its name.
pub(super) use schema::beside;

/// Whether a database is a store of ours, at the known schema or an older one.
pub(super) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(matches!(schema::standing(connection)?, Standing::Current | Standing::Older))
}

/// One open store of ours. It never migrates: an older schema is a doubt.
pub struct NativeStore {
    connection: Connection,
    text: String,
    state: State,
    scope: Option<String>,
}

impl NativeStore {
    /// Opens the store at `path`. `state` holds what the hook knows and the store was not yet told;
    /// `scope` is the branch where the call would run, `None` = not known.
    ///
    /// # Errors
    /// A doubt when it is missing, locked, damaged, unreadable, not ours or of another schema.
    pub fn open(path: &Path, state: State, scope: Option<String>) -> Result<Self, Doubt> {
        let connection = open::read_only(path)?;
        let text = path.to_string_lossy().into_owned();
        match schema::standing(&connection).map_err(|error| open::doubt(&error, path))? {
            Standing::Current => Ok(Self { connection, text, state, scope }),
            // It was being made when its maker died: there is nothing in it.
            Standing::Empty => Err(Doubt::new(Code::StoreMissing, text)),
            Standing::Older | Standing::Newer(_) | Standing::Foreign => {
                Err(Doubt::new(Code::StoreSchema, text))
            }
        }
    }

    fn fail(&self, error: &rusqlite::Error) -> Doubt {
        open::doubt(error, Path::new(&self.text))
    }

    /// The sessions below `root` that the store itself was told of.
    fn stored_children(&self, root: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare(
            "WITH RECURSIVE tree (id) AS (VALUES (?1) UNION \
             SELECT s.id FROM sessions s JOIN tree t ON s.parent = t.id) SELECT id FROM tree",
        )?;
        statement.query_map([root], |row| row.get(0))?.collect()
    }
}

impl Memory for NativeStore {
    fn family(&self) -> Family {
        Family::Native
    }

    fn path(&self) -> &str {
        &self.text
    }

    /// The whole tree of the host session: what a child client's subagent writes is still of the
    /// conversation that started it.
    fn circle(&self, caller: &Caller) -> Result<Circle, Doubt> {
        let nearest = caller.child_of.as_deref().unwrap_or(&caller.session);
        let root = self.state.root_of(nearest);
        let mut sessions = vec![caller.session.clone(), nearest.to_owned()];
        sessions.extend(self.stored_children(&root).map_err(|error| self.fail(&error))?);
        sessions.extend(self.state.children_of(&root));
        sessions.sort();
        sessions.dedup();
        sessions.retain(|id| !id.is_empty());
        Ok(Circle {
            sessions,
            writer: caller.session.clone(),
            scope: self.scope.clone(),
            ended_before: None,
            stranger: false,
        })
    }

    fn session(&self, id: &str) -> Result<Option<Session>, Doubt> {
        let stored = self
            .connection
            .query_row(
                "SELECT id, parent, scope, ended_at FROM sessions WHERE id = ?1",
                [id],
                |row| {
                    Ok(Session {
                        id: row.get(0)?,
                        parent: row.get(1)?,
                        scope: row.get(2)?,
                        ended_at: row.get(3)?,
                    })
                },
            )
            .optional()
            .map_err(|error| self.fail(&error))?;
        Ok(stored.or_else(|| {
            self.state.session(id).map(|record| Session {
                id: record.session,
                parent: record.child_of,
                scope: record.scope,
                ended_at: Some(record.ended).filter(|at| !at.is_empty()),
            })
        }))
    }

    fn note(&self, id: &str) -> Result<Option<Note>, Doubt> {
        let found = row::by_id(&self.connection, id).map_err(|error| self.fail(&error))?;
        Ok(found.map(Entry::note))
    }

    fn item(&self, id: &str) -> Result<Option<Item>, Doubt> {
        let found = row::by_id(&self.connection, id).map_err(|error| self.fail(&error))?;
        Ok(found.map(Entry::item))
    }

    fn former(&self, id: &str) -> Result<Option<Item>, Doubt> {
        let found = history::deleted(&self.connection, id).map_err(|error| self.fail(&error))?;
        Ok(found.map(Entry::item))
    }

    fn active_on(&self, subject: &str) -> Result<Vec<Note>, Doubt> {
        let found = row::active(&self.connection, subject).map_err(|error| self.fail(&error))?;
        Ok(found.into_iter().map(Entry::note).collect())
    }

    fn active_like(&self, raw: &str) -> Result<Vec<Note>, Doubt> {
        subject::normalise(raw).map_or(Ok(Vec::new()), |key| self.active_on(&key))
    }
}
