//! A snapshot in the place of a store that cannot be read: it answers whose a memory is, and nothing
//! that may have changed since.

use std::path::Path;

use super::Snapshot;
use crate::decision::{Code, Doubt};
use crate::memory::store::{CortexStore, NativeStore, Sitting};
use crate::memory::{Circle, Family, Item, Memory, Note, Session};
use crate::request::Caller;
use crate::state::State;

/// An opened snapshot that speaks for its store.
pub struct SnapshotView {
    inner: Box<dyn Memory>,
    store: String,
    name: String,
}

impl SnapshotView {
    /// Opens a snapshot of the store of Cortex's at `store`.
    ///
    /// # Errors
    /// A doubt, as for a store.
    pub fn cortex(snapshot: &Snapshot, store: &Path, sitting: Sitting) -> Result<Self, Doubt> {
        let inner = Box::new(CortexStore::open(&snapshot.path, sitting)?);
        Ok(Self::new(inner, snapshot, store))
    }

    /// Opens a snapshot of the store of ours at `store`.
    ///
    /// # Errors
    /// A doubt, as for a store.
    pub fn native(
        snapshot: &Snapshot,
        store: &Path,
        state: State,
        scope: Option<String>,
    ) -> Result<Self, Doubt> {
        let inner = Box::new(NativeStore::open(&snapshot.path, state, scope)?);
        Ok(Self::new(inner, snapshot, store))
    }

    fn new(inner: Box<dyn Memory>, snapshot: &Snapshot, store: &Path) -> Self {
        let store = store.to_string_lossy().into_owned();
        Self { inner, store, name: snapshot.name.clone() }
    }

    /// What is active now only the store itself knows.
    fn unknown<T>(&self) -> Result<T, Doubt> {
        Err(Doubt::new(Code::SnapshotUsed, self.name.clone()))
    }
}

impl Memory for SnapshotView {
    fn family(&self) -> Family {
        self.inner.family()
    }

    /// The store's own file: grants are bound to it.
    fn path(&self) -> &str {
        &self.store
    }

    fn circle(&self, caller: &Caller) -> Result<Circle, Doubt> {
        self.inner.circle(caller)
    }

    fn session(&self, id: &str) -> Result<Option<Session>, Doubt> {
        self.inner.session(id)
    }

    fn note(&self, id: &str) -> Result<Option<Note>, Doubt> {
        self.inner.note(id)
    }

    fn item(&self, id: &str) -> Result<Option<Item>, Doubt> {
        self.inner.item(id)
    }

    fn former(&self, id: &str) -> Result<Option<Item>, Doubt> {
        self.inner.former(id)
    }

    fn active_on(&self, _subject: &str) -> Result<Vec<Note>, Doubt> {
        self.unknown()
    }

    fn active_like(&self, _raw: &str) -> Result<Vec<Note>, Doubt> {
        self.unknown()
    }
}
