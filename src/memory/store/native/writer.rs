//! The write side of our own store: each change is one transaction and leaves its history.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::error::StoreError;
use super::row::{self, Entry};
use super::{intake, schema};
use crate::memory::subject;
use crate::memory::supersede::{Detection, Reach, Write, preview};
use crate::state::State;

/// Who makes a change, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The host's session id, or `terminal`.
    pub session: String,
    /// The subagent; `None` = the parent, or not known to be a subagent.
    pub agent: Option<String>,
    /// The branch it works on; `None` = not known.
    pub scope: Option<String>,
    /// The host's id of the call, when it is known.
    pub call: Option<String>,
    /// RFC 3339 with milliseconds.
    pub at: String,
}

/// A note as it is to be written. The caller has checked it: a known kind, a text that is not blank,
/// and a subject unless it is an insight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// One of `note::KINDS`.
    pub kind: String,
    /// What it is about.
    pub subject: Option<String>,
    /// The text.
    pub content: String,
    /// What was considered and left.
    pub alternatives: Vec<String>,
}

/// What a note write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The new note's id.
    pub id: String,
    /// The notes that it retired.
    pub superseded: Vec<String>,
    /// The decisions that it contradicts; they and the new one are contested now.
    pub contested: Vec<String>,
}

/// What a change did to one note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The note before the change.
    pub before: Entry,
    /// Whether anything was changed at all.
    pub changed: bool,
    /// Other notes that are contested no longer.
    pub settled: Vec<String>,
}

/// Which note `resolve` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'w> {
    /// By its id, whatever its status.
    Id(&'w str),
    /// The newest active one on a subject.
    Subject(&'w str),
}

/// Our own store, open for writing.
pub struct Writer {
    connection: Connection,
}

impl Writer {
    /// Opens the store, making or migrating it.
    ///
    /// # Errors
    /// When it is newer, not ours, damaged, or cannot be made.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open_for_writing(path)? })
    }

    /// Takes in what the hook has left in `state` for the project with this id.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn take_in(&mut self, state: &State, project: &str) -> Result<(), StoreError> {
        intake::take_in(&mut self.connection, state, project)
    }

    /// Writes a note, and retires or contests others as the rules say.
    ///
    /// # Errors
    /// When the store refuses; nothing is changed then.
    pub fn note(&mut self, draft: &Draft, author: &Author) -> Result<Written, StoreError> {
        let change = self.begin(author)?;
        let key = draft.subject.as_deref().and_then(subject::normalise);
        let priors = match &key {
            Some(key) => row::active(&change.transaction, key)?,
            None => Vec::new(),
        };
        let write = Write {
            kind: &draft.kind,
            content: &draft.content,
            scope: author.scope.as_deref(),
            detection: Detection::On,
            reach: Reach::Scope,
        };
        let notes: Vec<_> = priors.iter().cloned().map(Entry::note).collect();
        let effect = preview(&write, &notes);
        for prior in &priors {
            if effect.superseded.contains(&prior.id) {
                change.set_status(prior, "supersede", "superseded")?;
            } else if effect.contested.contains(&prior.id) && !prior.conflict {
                change.set_conflict(prior, "contest", true)?;
            }
        }
        let id = uuid::Uuid::now_v7().to_string();
        change.transaction.execute(
            "INSERT INTO notes (id, kind, subject, subject_key, content, alternatives, conflict, \
             session, agent, scope, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
            params![
                id,
                draft.kind,
                key.is_some().then(|| draft.subject.as_deref().map(subject::trim)).flatten(),
                key,
                draft.content,
                serde_json::json!(draft.alternatives).to_string(),
                !effect.contested.is_empty(),
                author.session,
                author.agent,
                author.scope,
                author.at,
            ],
        )?;
        change.record(&id, "create", None)?;
        change.transaction.commit()?;
        Ok(Written { id, superseded: effect.superseded, contested: effect.contested })
    }

    /// Sets a note's status to `status`; if it was contested, the whole contest on its subject in its
    /// scope is settled.
    ///
    /// # Errors
    /// When there is no such note, or the subject is contested between several; nothing is changed.
    pub fn resolve(
        &mut self,
        which: Which<'_>,
        status: &str,
        author: &Author,
    ) -> Result<Changed, StoreError> {
        let change = self.begin(author)?;
        let before = match which {
            Which::Id(id) => row::required(&change.transaction, id)?,
            Which::Subject(subject) => newest(&change.transaction, subject)?,
        };
        let changed = before.status != status || before.conflict;
        if before.status != status {
            let action = if status == "superseded" { "supersede" } else { "resolve" };
            change.set_status(&before, action, status)?;
        }
        let settled = change.settle(&before)?;
        change.transaction.commit()?;
        Ok(Changed { before, changed, settled })
    }

    /// Replaces a note's text. Contradictions are not looked for again, as in Cortex.
    ///
    /// # Errors
    /// When there is no such note; nothing is changed then.
    pub fn edit(&mut self, id: &str, text: &str, author: &Author) -> Result<Changed, StoreError> {
        let change = self.begin(author)?;
        let before = row::required(&change.transaction, id)?;
        let changed = before.content != text;
        if changed {
            change.record(id, "edit", Some(&before))?;
            change.transaction.execute(
                "UPDATE notes SET content = ?2, updated_at = ?3 WHERE id = ?1",
                params![id, text, author.at],
            )?;
        }
        change.transaction.commit()?;
        Ok(Changed { before, changed, settled: Vec::new() })
    }

    /// Removes a note; its text stays in the history. A contest that it was in is settled.
    ///
    /// # Errors
    /// When there is no such note; nothing is changed then.
    pub fn delete(&mut self, id: &str, author: &Author) -> Result<Changed, StoreError> {
        let change = self.begin(author)?;
        let before = row::required(&change.transaction, id)?;
        change.record(id, "delete", Some(&before))?;
        change.transaction.execute("DELETE FROM notes WHERE id = ?1", [id])?;
        let settled = change.settle(&before)?;
        change.transaction.commit()?;
        Ok(Changed { before, changed: true, settled })
    }

    /// Begins a change and makes sure that its author's session is known.
    fn begin<'w>(&'w mut self, author: &'w Author) -> Result<Change<'w>, StoreError> {
        // Immediate: two writers then wait for each other, instead of failing half-way.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT OR IGNORE INTO sessions (id, scope, started_at) VALUES (?1, ?2, ?3)",
            params![author.session, author.scope, author.at],
        )?;
        Ok(Change { transaction, author })
    }
}

/// The newest active note on a subject, unless it is one of several that contest each other.
fn newest(transaction: &Transaction<'_>, given: &str) -> Result<Entry, StoreError> {
    let nothing = || StoreError::NoSuchSubject(given.to_owned());
    let key = subject::normalise(given).ok_or_else(nothing)?;
    let mut active = row::active(transaction, &key)?;
    let contested: Vec<_> =
        active.iter().filter(|entry| entry.conflict).map(|entry| entry.id.clone()).collect();
    if contested.len() > 1 {
        return Err(StoreError::Ambiguous { subject: given.to_owned(), ids: contested });
    }
    if active.is_empty() {
        return Err(nothing());
    }
    Ok(active.swap_remove(0))
}

/// A change on its way.
struct Change<'w> {
    transaction: Transaction<'w>,
    author: &'w Author,
}

impl Change<'_> {
    fn record(&self, note: &str, action: &str, before: Option<&Entry>) -> rusqlite::Result<()> {
        let author = self.author;
        self.transaction.execute(
            "INSERT INTO note_history (note, at, action, before, row_before, session, agent, \
             tool_use_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                note,
                author.at,
                action,
                before.map(|entry| entry.content.as_str()),
                before.map(Entry::without_text),
                author.session,
                author.agent,
                author.call,
            ],
        )?;
        Ok(())
    }

    fn set_status(&self, entry: &Entry, action: &str, status: &str) -> rusqlite::Result<()> {
        self.record(&entry.id, action, Some(entry))?;
        self.transaction.execute(
            "UPDATE notes SET status = ?2, updated_at = ?3 WHERE id = ?1",
            params![entry.id, status, self.author.at],
        )?;
        Ok(())
    }

    fn set_conflict(&self, entry: &Entry, action: &str, conflict: bool) -> rusqlite::Result<()> {
        self.record(&entry.id, action, Some(entry))?;
        self.transaction.execute(
            "UPDATE notes SET conflict = ?2, updated_at = ?3 WHERE id = ?1",
            params![entry.id, conflict, self.author.at],
        )?;
        Ok(())
    }

    /// Ends the contest that `entry` is in, if any; returns the other notes that were in it.
    fn settle(&self, entry: &Entry) -> rusqlite::Result<Vec<String>> {
        let key = entry.subject.as_deref().and_then(subject::normalise);
        let (true, Some(key)) = (entry.conflict, key) else { return Ok(Vec::new()) };
        let condition = "subject_key = ?1 AND scope IS ?2 AND conflict = 1 ORDER BY seq";
        let contested = row::entries(&self.transaction, condition, params![key, entry.scope])?;
        for other in &contested {
            self.set_conflict(other, "settle", false)?;
        }
        Ok(contested.into_iter().map(|other| other.id).filter(|id| *id != entry.id).collect())
    }
}
