//! Brings a note back to what it was; the history keeps what it is now.

use rusqlite::{OptionalExtension, Transaction, params};

use super::change::Change;
use super::error::StoreError;
use super::history::kept;
use super::row::{self, Entry};
use super::writer::{Author, Writer};
use crate::memory::subject;

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The note as it is now.
    pub entry: Entry,
    /// Whether it was deleted before.
    pub was_deleted: bool,
    /// Whether anything was changed at all.
    pub changed: bool,
    /// Other active notes of its kind on its subject in its scope.
    pub rivals: Vec<String>,
}

impl Writer {
    /// Brings a note back to what it was at `at` (RFC 3339 with milliseconds in UTC); without a time,
    /// to what it was before its last change.
    ///
    /// # Errors
    /// When there never was such a note, or not yet at that time; nothing is changed then.
    pub fn restore(
        &mut self,
        id: &str,
        at: Option<&str>,
        author: &Author,
    ) -> Result<Restored, StoreError> {
        let change = self.begin(author)?;
        let now = row::by_id(&change.transaction, id)?;
        let then = match at {
            Some(at) => state_at(&change.transaction, id, at, now.as_ref())?,
            None => state_before(&change.transaction, id)?,
        };
        // There, and never changed since it was written.
        let then = match (then, &now) {
            (Some(then), _) => then,
            (None, Some(now)) => now.clone(),
            (None, None) => return Err(StoreError::NoSuchNote(id.to_owned())),
        };
        bring_back(change, now, then)
    }

    /// Brings a note back to what it is in `then`, which a snapshot had.
    ///
    /// # Errors
    /// When the store refuses; nothing is changed then.
    pub fn put_back(&mut self, then: Entry, author: &Author) -> Result<Restored, StoreError> {
        let change = self.begin(author)?;
        let now = row::by_id(&change.transaction, &then.id)?;
        bring_back(change, now, then)
    }
}

fn bring_back(change: Change<'_>, now: Option<Entry>, then: Entry) -> Result<Restored, StoreError> {
    let same = |now: &Entry| Entry { updated_at: then.updated_at.clone(), ..now.clone() } == then;
    let changed = !now.as_ref().is_some_and(same);
    let entry = Entry { updated_at: change.author.at.clone(), ..then };
    if changed {
        change.record(&entry.id, "restore", now.as_ref())?;
        // The session may have come with an import that was never finished.
        change.know_session(&entry.session, entry.scope.as_deref())?;
        if now.is_some() {
            put(&change.transaction, &entry)?;
        } else {
            change.insert(&entry)?;
        }
    }
    let rivals = rivals(&change.transaction, &entry)?;
    change.commit()?;
    let was_deleted = now.is_none();
    let entry = if changed { entry } else { now.unwrap_or(entry) };
    Ok(Restored { entry, was_deleted, changed, rivals })
}

/// What the note was before its last change; `None` when it was never changed.
fn state_before(transaction: &Transaction<'_>, id: &str) -> Result<Option<Entry>, StoreError> {
    let found = transaction
        .query_row(
            "SELECT before, row_before FROM note_history \
             WHERE note = ?1 AND before IS NOT NULL AND row_before IS NOT NULL \
             ORDER BY at DESC, seq DESC LIMIT 1",
            [id],
            |row| Ok((row.get(0)?, row.get::<_, String>(1)?)),
        )
        .optional()?;
    Ok(found.and_then(|(text, columns)| kept(id, text, &columns)))
}

/// What the note was at `at`: what the first later change found, or what it is `now`.
fn state_at(
    transaction: &Transaction<'_>,
    id: &str,
    at: &str,
    now: Option<&Entry>,
) -> Result<Option<Entry>, StoreError> {
    let not_then = || StoreError::NotThen { id: id.to_owned(), at: at.to_owned() };
    let later: Option<(Option<String>, Option<String>)> = transaction
        .query_row(
            "SELECT before, row_before FROM note_history WHERE note = ?1 AND at > ?2 \
             ORDER BY at, seq LIMIT 1",
            params![id, at],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    match (later, now) {
        (Some((Some(text), Some(columns))), _) => {
            kept(id, text, &columns).map(Some).ok_or_else(not_then)
        }
        // It was written, imported or brought back later.
        (Some(_), _) => Err(not_then()),
        (None, Some(now)) => Ok(Some(now.clone())),
        (None, None) => row::required(transaction, id).map(Some),
    }
}

/// Sets all columns of a note that is there.
fn put(transaction: &Transaction<'_>, entry: &Entry) -> rusqlite::Result<()> {
    transaction.execute(
        "UPDATE notes SET kind = ?2, subject = ?3, subject_key = ?4, content = ?5, \
         alternatives = ?6, status = ?7, conflict = ?8, session = ?9, agent = ?10, scope = ?11, \
         created_at = ?12, updated_at = ?13 WHERE id = ?1",
        row::values(entry),
    )?;
    Ok(())
}

fn rivals(transaction: &Transaction<'_>, entry: &Entry) -> rusqlite::Result<Vec<String>> {
    let key = entry.subject.as_deref().and_then(subject::normalise);
    let Some(key) = key.filter(|_| entry.status == "active") else { return Ok(Vec::new()) };
    let active = row::active(transaction, &key)?;
    let rival = |other: &Entry| {
        other.id != entry.id
            && other.kind == entry.kind
            && other.scope == entry.scope
            && crate::memory::note::supersedes(&entry.kind)
    };
    Ok(active.into_iter().filter(rival).map(|other| other.id).collect())
}
