//! One change on its way: its transaction, who makes it, and the history that it leaves.

use rusqlite::{Transaction, params};

use super::error::StoreError;
use super::row::{self, Entry};
use super::writer::{Author, Draft, Written};
use crate::memory::subject;
use crate::memory::supersede::{Detection, Reach, Write, preview};
use crate::sys::replace::DirLock;

/// A change on its way; dropped without [`Change::commit`] it leaves nothing.
pub(super) struct Change<'w> {
    pub(super) transaction: Transaction<'w>,
    pub(super) author: &'w Author,
    /// Given back after the transaction has ended.
    pub(super) _turn: Option<DirLock>,
}

impl Change<'_> {
    /// Makes the change last.
    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.transaction.commit()
    }

    /// Writes down what happens to a note, and what it was before.
    pub(super) fn record(
        &self,
        note: &str,
        action: &str,
        before: Option<&Entry>,
    ) -> rusqlite::Result<()> {
        let author = self.author;
        self.transaction
            .prepare_cached(
                "INSERT INTO note_history (note, at, action, before, row_before, session, agent, \
                 tool_use_id, pid) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                note,
                author.at,
                action,
                before.map(|entry| entry.content.as_str()),
                before.map(Entry::without_text),
                author.session,
                author.agent,
                author.call,
                author.pid,
            ])?;
        Ok(())
    }

    /// Writes a new note by the author, and retires or contests others as the rules say. The note
    /// `replaced`, if there is one, is left to the caller.
    pub(super) fn write(
        &self,
        draft: &Draft,
        detection: Detection,
        replaced: Option<&str>,
    ) -> Result<Written, StoreError> {
        let author = self.author;
        let key = draft.subject.as_deref().and_then(subject::normalise);
        let priors = match &key {
            Some(key) => row::active(&self.transaction, key)?,
            None => Vec::new(),
        };
        let write = Write {
            kind: &draft.kind,
            content: &draft.content,
            scope: author.scope.as_deref(),
            detection,
            reach: Reach::Scope,
        };
        let notes: Vec<_> = priors.iter().cloned().map(Entry::note).collect();
        let mut effect = preview(&write, &notes);
        effect.superseded.retain(|id| replaced != Some(id));
        for prior in &priors {
            if effect.superseded.contains(&prior.id) {
                self.set_status(prior, "supersede", "superseded")?;
            } else if effect.contested.contains(&prior.id) && !prior.conflict {
                self.set_conflict(prior, "contest", true)?;
            }
        }
        let id = uuid::Uuid::now_v7().to_string();
        let entry = Entry {
            id: id.clone(),
            kind: draft.kind.clone(),
            subject: key.and(draft.subject.as_deref()).map(|text| subject::trim(text).to_owned()),
            content: draft.content.clone(),
            alternatives: draft.alternatives.clone(),
            status: "active".to_owned(),
            conflict: !effect.contested.is_empty(),
            session: author.session.clone(),
            agent: author.agent.clone(),
            scope: author.scope.clone(),
            created_at: author.at.clone(),
            updated_at: author.at.clone(),
        };
        self.insert(&entry)?;
        self.record(&id, "create", None)?;
        Ok(Written { id, superseded: effect.superseded, contested: effect.contested })
    }

    /// Puts a note into its table.
    pub(super) fn insert(&self, entry: &Entry) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO notes (id, kind, subject, subject_key, content, alternatives, status, \
                 conflict, session, agent, scope, created_at, updated_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(row::values(entry))?;
        Ok(())
    }

    /// Makes sure that a session is known, whatever is known of it.
    pub(super) fn know_session(&self, id: &str, scope: Option<&str>) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO sessions (id, scope, started_at) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![id, scope, self.author.at])?;
        Ok(())
    }

    pub(super) fn set_status(
        &self,
        entry: &Entry,
        action: &str,
        status: &str,
    ) -> rusqlite::Result<()> {
        self.record(&entry.id, action, Some(entry))?;
        self.transaction.execute(
            "UPDATE notes SET status = ?2, updated_at = ?3 WHERE id = ?1",
            params![entry.id, status, self.author.at],
        )?;
        Ok(())
    }

    pub(super) fn set_conflict(
        &self,
        entry: &Entry,
        action: &str,
        conflict: bool,
    ) -> rusqlite::Result<()> {
        self.record(&entry.id, action, Some(entry))?;
        self.transaction.execute(
            "UPDATE notes SET conflict = ?2, updated_at = ?3 WHERE id = ?1",
            params![entry.id, conflict, self.author.at],
        )?;
        Ok(())
    }

    /// Ends the contest that `entry` is in, if any; returns the other notes that were in it.
    pub(super) fn settle(&self, entry: &Entry) -> rusqlite::Result<Vec<String>> {
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
