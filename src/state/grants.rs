//! Grants: a parent's word that one memory may be changed once.
//!
//! A grant is a file whose name says what it is for; using it renames it, so that of two calls at
//! once one wins.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{State, digest, file_name};
use crate::sys::{clock, file};

/// One grant: `grants/<digest>.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grant {
    /// The session at the top of the tree it holds for.
    pub session: String,
    /// The store's file.
    pub store: String,
    /// The memory's id.
    pub id: String,
    /// `any`, `retire`, `edit` or `delete`.
    pub action: String,
    /// Milliseconds since 1970 after which it holds no more.
    pub until: i64,
}

impl State {
    fn grants_dir(&self) -> PathBuf {
        self.dir().join("grants")
    }

    fn grant_path(&self, session: &str, store: &str, id: &str) -> PathBuf {
        self.grants_dir().join(format!("{}.json", digest(&format!("{session}\n{store}\n{id}"))))
    }

    /// Keeps a grant; a second one for the same memory replaces the first.
    ///
    /// # Errors
    /// As the system says.
    pub fn keep_grant(&self, grant: &Grant) -> std::io::Result<()> {
        file::private_dir(&self.grants_dir())?;
        let path = self.grant_path(&grant.session, &grant.store, &grant.id);
        file::write_record(&path, &serde_json::to_vec(grant)?)
    }

    /// Whether there is a grant for this memory that holds, or that `call` has taken already; it stays
    /// where it is.
    pub fn has_grant(
        &self,
        session: &str,
        store: &str,
        id: &str,
        action: &str,
        call: &str,
    ) -> bool {
        self.fitting(session, store, id, action).is_some()
            || self.is_taken_by(session, store, id, action, call)
    }

    /// The file of the grant that fits, if there is one.
    fn fitting(&self, session: &str, store: &str, id: &str, action: &str) -> Option<PathBuf> {
        let path = self.grant_path(&self.root_of(session), store, id);
        self.fits(&path, session, store, id, action).then_some(path)
    }

    /// Whether `call` has taken a grant that fits: where we are registered twice, two of us judge the
    /// same call, and both must come to the same end.
    fn is_taken_by(&self, session: &str, store: &str, id: &str, action: &str, call: &str) -> bool {
        let path = used(&self.grant_path(&self.root_of(session), store, id), call);
        !call.is_empty() && self.fits(&path, session, store, id, action)
    }

    fn fits(&self, path: &Path, session: &str, store: &str, id: &str, action: &str) -> bool {
        let Some(grant) = read(path) else { return false };
        let root = self.root_of(session);
        let fits = grant.session == root && grant.store == store && grant.id == id;
        let holds = grant.until >= clock::now_ms();
        let does = grant.action == "any" || grant.action == action;
        fits && holds && does
    }

    /// Takes the grant for this memory, if there is one that holds: `true` for one call.
    ///
    /// `call` is the host's id of the call, by which a failed call gives it back.
    pub fn take_grant(
        &self,
        session: &str,
        store: &str,
        id: &str,
        action: &str,
        call: &str,
    ) -> bool {
        let taken = self
            .fitting(session, store, id, action)
            .is_some_and(|path| file::rename(&path, &used(&path, call)).is_ok());
        taken || self.is_taken_by(session, store, id, action, call)
    }

    /// Gives back the grants that `call` took, because the call failed.
    pub fn give_back(&self, call: &str) {
        if call.is_empty() {
            return;
        }
        let end = format!(".used-{}", file_name(call));
        for name in file::names(&self.grants_dir()) {
            if let Some(stem) = name.strip_suffix(&end) {
                let from = self.grants_dir().join(&name);
                drop(file::rename(&from, &self.grants_dir().join(format!("{stem}.json"))));
            }
        }
    }
}

/// Where a grant lies when `call` has taken it.
fn used(path: &Path, call: &str) -> PathBuf {
    path.with_extension(format!("used-{}", file_name(call)))
}

fn read(path: &Path) -> Option<Grant> {
    serde_json::from_slice(&file::read_bounded(path, 65_536).ok()?).ok()
}
