//! Cortex's store, read-only: never migrated, never written.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row};

use super::columns::{Columns, has_kind_subject_index};
use super::open;
use crate::decision::{Code, Doubt};
use crate::memory::{Circle, Family, Item, Memory, Note, Session};
use crate::request::Caller;

/// How much later than our own record of a session's start its row may be and still be the first:
/// Cortex's SessionStart hook runs beside ours.
const ROTATION_SLACK_MS: i64 = 5_000;

/// What we know ourselves of the caller's conversation: Cortex keeps no host session ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitting {
    /// When its first SessionStart was seen, RFC 3339.
    pub first_seen: Option<String>,
    /// Whether it was resumed or compacted since: Cortex gives it a new row then.
    pub restarted: bool,
    /// The subagents that were seen in it: they lead to its rows when the caller itself has no id.
    pub agents: Vec<String>,
}

/// One open Cortex store.
pub struct CortexStore {
    connection: Connection,
    path: PathBuf,
    text: String,
    columns: Columns,
    sitting: Sitting,
    circle: OnceCell<Result<Circle, Doubt>>,
    indexed: OnceCell<bool>,
}

impl CortexStore {
    /// Opens the store at `path`.
    ///
    /// # Errors
    /// A doubt when it is missing, locked, damaged, unreadable, or lacks the tables of any version.
    pub fn open(path: &Path, sitting: Sitting) -> Result<Self, Doubt> {
        let connection = open::read_only(path)?;
        let columns = Columns::probe(&connection).map_err(|error| open::doubt(&error, path))?;
        let Some(columns) = columns else {
            return Err(Doubt::new(Code::StoreSchema, path.display().to_string()));
        };
        Ok(Self {
            connection,
            text: path.to_string_lossy().into_owned(),
            path: path.to_owned(),
            columns,
            sitting,
            circle: OnceCell::new(),
            indexed: OnceCell::new(),
        })
    }

    fn fail(&self, error: &rusqlite::Error) -> Doubt {
        open::doubt(error, &self.path)
    }

    /// Asked for a subject only: an id does not need it.
    fn has_kind_subject_index(&self) -> bool {
        *self.indexed.get_or_init(|| has_kind_subject_index(&self.connection).unwrap_or(false))
    }

    /// The columns of a note, joined with its session for the scope.
    fn note_columns(&self) -> String {
        format!(
            "n.id, n.session_id, n.kind, n.subject, n.content, n.status, {}, {}, n.timestamp",
            if self.columns.conflict { "n.conflict" } else { "0" },
            if self.columns.scope { "s.scope_key" } else { "NULL" },
        )
    }

    /// The notes that meet `condition`, which may carry an order and follows `hint`.
    fn notes(&self, hint: &str, condition: &str, value: &str) -> Result<Vec<Note>, Doubt> {
        let sql = format!(
            "SELECT {} FROM notes n {hint} LEFT JOIN sessions s ON s.id = n.session_id WHERE {condition}",
            self.note_columns()
        );
        let read = || -> rusqlite::Result<Vec<Note>> {
            let mut statement = self.connection.prepare(&sql)?;
            let rows = statement.query_map([value], note)?;
            rows.collect()
        };
        read().map_err(|error| self.fail(&error))
    }

    fn find_circle(&self, caller: &Caller) -> Result<Circle, Doubt> {
        let primaries = match self.primaries_of(caller) {
            Err(doubt) if doubt.code == Code::CallerUnknown => return self.stranger_s(doubt),
            primaries => primaries?,
        };
        let mut sessions: Vec<String> = Vec::new();
        for primary in &primaries {
            sessions.extend(self.tree(&primary.id).map_err(|error| self.fail(&error))?);
        }
        let Some(primary) = primaries.into_iter().next() else {
            return Err(Doubt::new(Code::CallerUnknown, "no session"));
        };
        if primary.ended && !self.has_active_primary()? {
            // Nobody works here any more, so Cortex has no conversation to compare with.
            return Err(Doubt::new(Code::NoSession, primary.id));
        }
        let seen = &self.sitting.first_seen;
        let rotated = match (seen, &primary.started_at) {
            (Some(seen), Some(started)) => {
                self.sitting.restarted || later_by(started, seen) > ROTATION_SLACK_MS
            }
            _ => false,
        };
        let uncertain = rotated || primary.ended;
        let cut = uncertain.then(|| seen.clone().or(primary.started_at.clone())).flatten();
        Ok(Circle {
            sessions,
            writer: primary.id,
            scope: primary.scope,
            ended_before: cut,
            stranger: false,
        })
    }

    /// The circle of a caller that the store does not know: it was started while Cortex's own hooks
    /// did not run, or wrote to another place because a project moved `CORTEX_HOME`. What ended before
    /// its conversation was first seen is foreign to it all the same; of the rest nothing is known.
    fn stranger_s(&self, doubt: Doubt) -> Result<Circle, Doubt> {
        let Some(seen) = self.sitting.first_seen.clone() else { return Err(doubt) };
        Ok(Circle { ended_before: Some(seen), stranger: true, ..Circle::default() })
    }

    fn has_active_primary(&self) -> Result<bool, Doubt> {
        self.connection
            .query_row(
                "SELECT EXISTS(SELECT 1 FROM sessions WHERE status = 'active' AND parent_session_id IS NULL)",
                [],
                |row| row.get(0),
            )
            .map_err(|error| self.fail(&error))
    }

    /// A primary and its children.
    fn tree(&self, primary: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT id FROM sessions WHERE id = ?1 OR parent_session_id = ?1")?;
        statement.query_map([primary], |row| row.get(0))?.collect()
    }

    /// The primaries of the calling conversation, newest first; never none.
    ///
    /// A subagent's is its own row's parent, whatever window is newest: exactly one, or the caller is
    /// ambiguous. A client that was started from a subagent's shell has no agent id; Cortex gives its
    /// writes to whichever primary is newest. What can be proved of it is the conversation that it
    /// descends from: the primaries of the subagents that were seen there, all of one sitting.
    fn primaries_of(&self, caller: &Caller) -> Result<Vec<Primary>, Doubt> {
        if !self.columns.agent {
            return Err(Doubt::new(Code::StoreSchema, "sessions.agent_id"));
        }
        let known = match &caller.agent {
            Some(agent) => self.parents_of(agent),
            None => self.sitting.agents.iter().try_fold(Vec::new(), |mut all, agent| {
                all.extend(self.parents_of(agent)?);
                Ok(all)
            }),
        };
        let mut known = known.map_err(|error| self.fail(&error))?;
        known.sort_by(|left, right| {
            (&right.started_at, &right.id).cmp(&(&left.started_at, &left.id))
        });
        known.dedup_by(|left, right| left.id == right.id);
        let who = || caller.agent.clone().unwrap_or_else(|| "child session".to_owned());
        match known.len() {
            0 => Err(Doubt::new(Code::CallerUnknown, who())),
            1 => Ok(known),
            _ if caller.agent.is_none() => Ok(known),
            _ => Err(Doubt::new(Code::CallerAmbiguous, who())),
        }
    }

    /// The parents of all rows of a subagent.
    fn parents_of(&self, agent: &str) -> rusqlite::Result<Vec<Primary>> {
        let scope = if self.columns.scope { "p.scope_key" } else { "NULL" };
        let sql = format!(
            "SELECT DISTINCT p.id, p.started_at, p.status = 'ended' OR p.ended_at IS NOT NULL, {scope} \
             FROM sessions c JOIN sessions p ON p.id = c.parent_session_id WHERE c.agent_id = ?1 LIMIT 8"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_map([agent], |row| {
            Ok(Primary {
                id: row.get(0)?,
                started_at: row.get(1)?,
                ended: row.get(2)?,
                scope: row.get(3)?,
            })
        })?;
        rows.collect()
    }
}

struct Primary {
    id: String,
    started_at: Option<String>,
    ended: bool,
    scope: Option<String>,
}

impl Memory for CortexStore {
    fn family(&self) -> Family {
        Family::Cortex
    }

    fn path(&self) -> &str {
        &self.text
    }

    fn circle(&self, caller: &Caller) -> Result<Circle, Doubt> {
        self.circle.get_or_init(|| self.find_circle(caller)).clone()
    }

    fn session(&self, id: &str) -> Result<Option<Session>, Doubt> {
        let scope = if self.columns.scope { "scope_key" } else { "NULL" };
        let sql =
            format!("SELECT id, parent_session_id, {scope}, ended_at FROM sessions WHERE id = ?1");
        self.connection
            .query_row(&sql, [id], |row| {
                Ok(Session {
                    id: row.get(0)?,
                    parent: row.get(1)?,
                    scope: row.get(2)?,
                    ended_at: row.get(3)?,
                })
            })
            .optional()
            .map_err(|error| self.fail(&error))
    }

    fn note(&self, id: &str) -> Result<Option<Note>, Doubt> {
        Ok(self.notes("", "n.id = ?1", id)?.pop())
    }

    /// An item by its id or its note's id; else the note itself, because Cortex makes the missing items
    /// of notes whenever it opens the store.
    fn item(&self, id: &str) -> Result<Option<Item>, Doubt> {
        let read = |condition: &str| {
            let sql = format!(
                "SELECT id, session_id, kind, subject, scope_key FROM memory_items WHERE {condition} LIMIT 1"
            );
            self.connection
                .query_row(&sql, [id], item)
                .optional()
                .map_err(|error| self.fail(&error))
        };
        let mut found = None;
        if self.columns.items {
            found = read("id = ?1")?;
        }
        if found.is_none() && self.columns.item_source {
            found = read("source_table = 'notes' AND source_id = ?1")?;
        }
        if found.is_some() {
            return Ok(found);
        }
        Ok(self.note(id.strip_prefix("notes:").unwrap_or(id))?.map(|note| Item {
            id: note.id,
            session: Some(note.session),
            agent: None,
            kind: note.kind,
            subject: note.subject,
            scope: note.scope,
        }))
    }

    fn active_on(&self, subject: &str) -> Result<Vec<Note>, Doubt> {
        if !self.has_kind_subject_index() {
            return self.notes("", "n.subject = ?1 AND n.status = 'active'", subject);
        }
        // The index begins with the kind; other words than these neither retire nor are retired.
        self.notes(
            "INDEXED BY idx_notes_kind_subject",
            "n.kind IN ('decision', 'intent', 'insight', 'blocker', 'focus') \
             AND n.subject = ?1 AND n.status = 'active'",
            subject,
        )
    }

    /// No index folds case. The one that holds all subjects is read through instead of the notes with
    /// their texts: 114 instead of 279 ms for a million of them; the `+` keeps SQLite from walking all
    /// active notes first.
    fn active_like(&self, raw: &str) -> Result<Vec<Note>, Doubt> {
        let condition = if self.has_kind_subject_index() {
            "n.rowid IN (SELECT rowid FROM notes INDEXED BY idx_notes_kind_subject \
             WHERE subject = ?1 COLLATE NOCASE) AND +n.status = 'active' ORDER BY n.timestamp DESC"
        } else {
            "n.subject = ?1 COLLATE NOCASE AND n.status = 'active' ORDER BY n.timestamp DESC"
        };
        self.notes("", condition, raw)
    }
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note {
        id: row.get(0)?,
        session: row.get(1)?,
        agent: None,
        kind: row.get(2)?,
        subject: row.get(3)?,
        content: text(row, 4)?,
        status: row.get(5)?,
        contested: row.get::<_, Option<i64>>(6)?.unwrap_or(0) != 0,
        scope: row.get(7)?,
        created_at: row.get(8)?,
    })
}

fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row.get(0)?,
        session: row.get(1)?,
        agent: None,
        kind: row.get(2)?,
        subject: row.get(3)?,
        scope: row.get(4)?,
    })
}

/// A text column that may hold any bytes: Cortex does not validate a note's content.
fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    let value = row.get_ref(index)?;
    Ok(match value {
        rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
        rusqlite::types::ValueRef::Real(number) => number.to_string(),
        rusqlite::types::ValueRef::Null => String::new(),
    })
}

/// Milliseconds from `earlier` to `later`, both RFC 3339; 0 when one cannot be read.
fn later_by(later: &str, earlier: &str) -> i64 {
    let read =
        |text: &str| text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond);
    match (read(later), read(earlier)) {
        (Some(later), Some(earlier)) => later - earlier,
        _ => 0,
    }
}
