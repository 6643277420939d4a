//! The guard's facts, gathered from the machine: finds stores, resolves paths, reads scripts.

use std::path::PathBuf;

use crate::decision::{Doubt, GuardedAction};
use crate::guard::{Facts, Place, Protected, Reached};
use crate::memory::Family;
use crate::request::Caller;
use crate::shell::Files;
use crate::state::State;
use crate::sys::dirs::Dirs;

/// What the facts of one call are gathered from.
pub struct Setup {
    /// The user's directories.
    pub dirs: Dirs,
    /// Our state.
    pub state: State,
    /// Stores named on the hook's own line.
    pub stores: Vec<PathBuf>,
    /// Who calls.
    pub caller: Caller,
    /// The directory of the call.
    pub cwd: String,
    /// The host's project directory.
    pub project: Option<String>,
    /// The host's id of the call.
    pub call_id: Option<String>,
}

/// The machine, as one call sees it.
pub struct Machine {
    setup: Setup,
    home: String,
}

impl Machine {
    /// The machine for one call.
    pub fn new(setup: Setup) -> Self {
        let home = setup.dirs.home.to_string_lossy().into_owned();
        Self { setup, home }
    }
}

impl Files for Machine {
    fn text(&self, _path: &str) -> Option<String> {
        None
    }
}

impl Facts for Machine {
    fn stores(&self, _family: Family, _place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        (Vec::new(), Vec::new())
    }

    fn protected(&self) -> Vec<Protected> {
        Vec::new()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        crate::shell::absolute(Some(cwd), path).unwrap_or_default()
    }

    fn home(&self) -> &str {
        &self.home
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.setup.state.has_grant(&self.setup.caller.session, store, id, action.as_str())
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        let call = self.setup.call_id.as_deref().unwrap_or("");
        self.setup.state.take_grant(&self.setup.caller.session, store, id, action.as_str(), call)
    }
}
