//! Snapshots of the stores of a call: taken now and then, and asked when a store cannot be read.

use std::path::Path;
use std::rc::Rc;

use super::{Machine, Opened};
use crate::decision::{Code, Doubt};
use crate::guard::{Facts, Place, Reached};
use crate::memory::store::native::StoreError;
use crate::memory::store::snapshot::{Outcome, Shelf, SnapshotView, Vault, When};
use crate::memory::{Family, Memory};

use super::places::Candidate;

/// What came of one store's snapshot.
pub struct Taken {
    /// Whose snapshots.
    pub shelf: Shelf,
    /// What came of it.
    pub outcome: Result<Outcome, StoreError>,
}

impl Machine {
    /// Whose store holds one of these memories: Cortex's, unless ours has it.
    pub fn family_of<'i>(&self, mut ids: impl Iterator<Item = &'i str>) -> Family {
        let (ours, _) = self.stores(Family::Native, &Place::default());
        let has = |id: &str| ours.iter().any(|one| matches!(one.memory.item(id), Ok(Some(_))));
        if ids.any(has) { Family::Native } else { Family::Cortex }
    }

    /// The vault of this state directory.
    pub fn vault(&self) -> Vault {
        Vault::of(self.setup.state.dir())
    }

    /// The shelves of the stores of this call, whether they hold any snapshot or not, each once; also
    /// of stores that are gone.
    pub fn shelves(&self) -> Vec<Shelf> {
        let vault = self.vault();
        let mut shelves: Vec<Shelf> = Vec::new();
        for family in [Family::Cortex, Family::Native] {
            let there = self.candidates(family, &Place::default()).into_iter();
            let there = there.map(|candidate| candidate.path);
            for path in there.chain(self.usual_places(family, &Place::default())) {
                let shelf = vault.shelf(family, &path);
                let counts = crate::sys::file::exists(&path) || !shelf.snapshots().is_empty();
                if counts && !shelves.contains(&shelf) {
                    shelves.push(shelf);
                }
            }
        }
        shelves
    }

    /// Takes snapshots of the stores of this call.
    pub fn take_snapshots(&self, when: When) -> Vec<Taken> {
        let there = |shelf: &Shelf| crate::sys::file::exists(shelf.store());
        let shelves = self.shelves().into_iter().filter(there);
        shelves.map(|shelf| Taken { outcome: shelf.take(when), shelf }).collect()
    }

    /// The newest snapshot of a store that could not be opened for `doubt`.
    pub(super) fn in_its_place(
        &self,
        family: Family,
        candidate: &Candidate,
        doubt: &Doubt,
    ) -> Option<Opened> {
        let unreadable = matches!(
            doubt.code,
            Code::StoreLocked | Code::StoreUnreadable | Code::StoreCorrupt | Code::StoreMissing
        );
        unreadable.then(|| self.snapshot_of(family, &candidate.path, candidate.scope.clone()))?
    }

    /// The newest snapshots of stores that are not where they usually are.
    pub(super) fn of_missing(&self, family: Family, place: &Place) -> Vec<Reached> {
        if !self.vault().is_there() {
            return Vec::new();
        }
        let usual = self.usual_places(family, place);
        let found = usual.iter().filter_map(|path| self.snapshot_of(family, path, None)?.ok());
        found.map(|memory| Reached { memory, own_project: true }).collect()
    }

    fn snapshot_of(&self, family: Family, path: &Path, scope: Option<String>) -> Option<Opened> {
        let snapshot = self.vault().shelf(family, path).newest()?;
        let view = match family {
            Family::Cortex => SnapshotView::cortex(&snapshot, path, self.sitting().clone()),
            Family::Native => {
                SnapshotView::native(&snapshot, path, self.setup.state.clone(), scope)
            }
        };
        Some(view.map(|view| Rc::new(view) as Rc<dyn Memory>))
    }
}
