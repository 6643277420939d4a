//! The write side of our own store: each change is one transaction and leaves its history.

use std::path::Path;

use rusqlite::{Transaction, params};

use super::change::Change;
use super::error::StoreError;
use super::row::{self, Entry};
use super::schema::Opened;
use super::{intake, schema};
use crate::memory::subject;
use crate::memory::supersede::Detection;
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
    /// The process, for a command line; `None` for a server, which has calls.
    pub pid: Option<u32>,
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
    opened: Opened,
    permit: Option<Permit>,
}

/// Asked inside a change's transaction, before anything is changed: no other process can change the
/// store between the answer and what it is about.
///
/// # Errors
/// Why the change may not be made, for whoever wanted it.
pub type Permit = Box<dyn FnOnce() -> Result<(), String> + Send>;

impl Writer {
    /// Opens the store, making or migrating it.
    ///
    /// # Errors
    /// When it is newer, not ours, damaged, or cannot be made.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { opened: schema::open_for_writing(path)?, permit: None })
    }

    /// Makes the next change only if `permit` lets it: else it fails with [`StoreError::Refused`] and
    /// changes nothing.
    pub fn only_if(&mut self, permit: Permit) -> &mut Self {
        self.permit = Some(permit);
        self
    }

    /// Takes in what the hook has left in `state` for the project with this id.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn take_in(&mut self, state: &State, project: &str) -> Result<(), StoreError> {
        intake::take_in(&mut self.opened, state, project)
    }

    /// Moves the write-ahead log into the store's file, as far as readers allow at this moment; for a
    /// server that is about to end.
    pub fn checkpoint(&self) {
        schema::checkpoint(&self.opened.connection);
    }

    /// Writes a note, and retires or contests others as the rules say.
    ///
    /// # Errors
    /// When the store refuses; nothing is changed then.
    pub fn note(&mut self, draft: &Draft, author: &Author) -> Result<Written, StoreError> {
        let change = self.begin(author)?;
        let written = change.write(draft, Detection::On, None)?;
        change.commit()?;
        Ok(written)
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
        let before = find(&change.transaction, which)?;
        let changed = before.status != status || before.conflict;
        if before.status != status {
            let action = if status == "superseded" { "supersede" } else { "resolve" };
            change.set_status(&before, action, status)?;
        }
        let settled = change.settle(&before)?;
        change.commit()?;
        Ok(Changed { before, changed, settled })
    }

    /// Writes a note in the place of another, with its kind and subject, and sets the other's status:
    /// what it contradicts is not looked for, because that it differs is the point.
    ///
    /// # Errors
    /// When there is no such note, or the subject is contested between several; nothing is changed.
    pub fn replace(
        &mut self,
        which: Which<'_>,
        status: &str,
        text: &str,
        author: &Author,
    ) -> Result<(Changed, Written), StoreError> {
        let change = self.begin(author)?;
        let before = find(&change.transaction, which)?;
        let draft = Draft {
            kind: before.kind.clone(),
            subject: before.subject.clone(),
            content: text.to_owned(),
            alternatives: Vec::new(),
        };
        let written = change.write(&draft, Detection::Skipped, Some(&before.id))?;
        let action = if status == "superseded" { "supersede" } else { "resolve" };
        change.set_status(&before, action, status)?;
        let settled = change.settle(&before)?;
        change.commit()?;
        Ok((Changed { before, changed: true, settled }, written))
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
        change.commit()?;
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
        change.commit()?;
        Ok(Changed { before, changed: true, settled })
    }

    /// Begins a change and makes sure that its author's session is known.
    pub(super) fn begin<'w>(&'w mut self, author: &'w Author) -> Result<Change<'w>, StoreError> {
        let (transaction, turn) = self.opened.begin()?;
        if let Some(permit) = self.permit.take() {
            permit().map_err(StoreError::Refused)?;
        }
        let change = Change { transaction, author, _turn: turn };
        change.know_session(&author.session, author.scope.as_deref())?;
        Ok(change)
    }
}

/// The note that is meant.
fn find(transaction: &Transaction<'_>, which: Which<'_>) -> Result<Entry, StoreError> {
    match which {
        Which::Id(id) => row::required(transaction, id),
        Which::Subject(subject) => newest(transaction, subject),
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
