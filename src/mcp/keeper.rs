//! The server's hold on its store: open while the server runs, so that the hook's first look-up need
//! not rebuild the index of changes, and opened anew when another file has taken its place.

use std::path::PathBuf;
use std::thread::JoinHandle;

use crate::memory::Family;
use crate::memory::store::native::{Reader, StoreError, Writer};
use crate::memory::store::snapshot::{Vault, When};
use crate::sys::file;

use super::home::Home;

/// The store.
pub(super) struct Keeper {
    path: PathBuf,
    open: Option<(Option<(u64, u64)>, Writer)>,
    /// The day's snapshot on its way.
    copying: Option<JoinHandle<()>>,
}

impl Keeper {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, open: None, copying: None }
    }

    /// The store open for writing, made when it is missing, with what the hook has left taken in.
    pub(super) fn writer(&mut self, home: &Home) -> Result<&mut Writer, StoreError> {
        self.look();
        if file::exists(&self.path) {
            // What was there before the first write of a day; neither its failure nor its copying keeps
            // from writing.
            let shelf = Vault::of(home.state.dir()).shelf(Family::Native, &self.path);
            if let Ok(Some(copying)) = shelf.take_beside(When::Daily) {
                self.copying = Some(copying);
            }
        }
        let writer = match self.open.take() {
            Some((_, writer)) => writer,
            None => Writer::open(&self.path)?,
        };
        let (_, writer) = self.open.insert((file::identity(&self.path), writer));
        writer.take_in(&home.state, &home.project.id)?;
        Ok(writer)
    }

    /// The store open for reading; `None` when there is none yet.
    pub(super) fn reader(&mut self) -> Result<Option<Reader>, StoreError> {
        self.look();
        Reader::open(&self.path)
    }

    /// Lets go of a file that is no longer the store's: what is written to it would be lost.
    fn look(&mut self) {
        let now = file::identity(&self.path);
        if self.open.as_ref().is_some_and(|(then, _)| *then != now) {
            self.open = None;
        }
    }

    /// Writes the store's log back and lets go of it, with a snapshot that is on its way finished.
    pub(super) fn close(&mut self) {
        if let Some(copying) = self.copying.take() {
            drop(copying.join());
        }
        if let Some((_, writer)) = self.open.take() {
            writer.checkpoint();
        }
    }
}
