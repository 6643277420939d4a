//! Grants: a parent's word that one memory may be changed once.
//!
//! A grant is a file whose name says what it is for; using it renames it, so that of two calls at
//! once one wins.

use std::path::PathBuf;

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

    /// Whether there is a grant for this memory that holds; it stays where it is.
    pub fn has_grant(&self, session: &str, store: &str, id: &str, action: &str) -> bool {
        self.fitting(session, store, id, action).is_some()
    }

    /// The file of the grant that fits, if there is one.
    fn fitting(&self, session: &str, store: &str, id: &str, action: &str) -> Option<PathBuf> {
        let root = self.root_of(session);
        let path = self.grant_path(&root, store, id);
        let grant = read(&path)?;
        let fits = grant.session == root && grant.store == store && grant.id == id;
        let holds = grant.until >= clock::now_ms();
        let does = grant.action == "any" || grant.action == action;
        (fits && holds && does).then_some(path)
    }

    /// Takes the grant for this memory, if there is one that holds: `true` once.
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
        let Some(path) = self.fitting(session, store, id, action) else { return false };
        let used = path.with_extension(format!("used-{}", file_name(call)));
        file::rename(&path, &used).is_ok()
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

fn read(path: &std::path::Path) -> Option<Grant> {
    serde_json::from_slice(&file::read_bounded(path, 65_536).ok()?).ok()
}
