//! The guard's facts, gathered from the machine: finds stores, resolves paths, reads scripts.
//!
//! The sum of its waits is bounded by counting them, not by a clock: on a busy machine a clock would
//! decide calls. What was not looked at is a doubt.

mod agents;
mod places;
pub mod proposals;
mod protected;
mod snapshots;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::decision::{Code, Doubt, GuardedAction};
use crate::guard::{Definer, Facts, Place, Protected, Reached};
use crate::memory::store::{CortexStore, NativeStore, Sitting};
use crate::memory::{Family, Memory};
use crate::request::Caller;
use crate::shell::Files;
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::file;

pub use agents::front_matter;
use places::Candidate;
pub use snapshots::Taken;

/// How many locked stores one call waits for, each for `LOCK_WAIT` at the most: 160 ms together.
const MAX_WAITS: u32 = 4;

/// The largest script that is read, in bytes.
const SCRIPT_LIMIT: u64 = 256 * 1024;

/// The places that a registration names instead of the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// A store's file.
    pub store: Option<PathBuf>,
    /// The owner's configuration file.
    pub config: Option<PathBuf>,
    /// The state directory.
    pub state: Option<PathBuf>,
    /// The data directory, below which the projects' stores lie.
    pub data: Option<PathBuf>,
    /// The client's own directory.
    pub client: Option<PathBuf>,
}

/// What a call brings along.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Where our own files live.
    pub dirs: Dirs,
    /// What the hook has kept.
    pub state: State,
    /// Store files that the registration names.
    pub stores: Vec<PathBuf>,
    /// Cortex's homes that the registration names, besides its default.
    pub cortex_homes: Vec<PathBuf>,
    /// The configuration file that the registration names.
    pub config: Option<PathBuf>,
    /// The client's directory that the registration names, instead of `~/.claude`.
    pub client: Option<PathBuf>,
    /// Who calls.
    pub caller: Caller,
    /// The directory the host reports, absolute.
    pub cwd: String,
    /// The host's project directory, when it names one.
    pub project: Option<String>,
    /// The host's id of the call, when it has one.
    pub call_id: Option<String>,
}

/// The machine, as one call sees it.
pub struct Machine {
    setup: Setup,
    home: String,
    /// How many stores were found locked.
    waits: Cell<u32>,
    opened: RefCell<BTreeMap<(PathBuf, Option<String>), Opened>>,
    sitting: std::cell::OnceCell<Sitting>,
    /// The directory of the last path that was resolved, as written and resolved: a command may name
    /// thousands of paths, mostly below one directory.
    base: RefCell<(String, PathBuf)>,
}

/// A store that was opened once, or why it could not be.
type Opened = Result<Rc<dyn Memory>, Doubt>;

impl Machine {
    /// Looks at nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self {
            home: setup.dirs.home.to_string_lossy().into_owned(),
            setup,
            waits: Cell::new(0),
            opened: RefCell::default(),
            sitting: std::cell::OnceCell::new(),
            base: RefCell::default(),
        }
    }

    /// The directories that a call at `cwd` looks in: there, where the host says the call is, and the
    /// project's. Links are resolved; what is gone is left out.
    fn directories(&self, cwd: Option<&str>) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        for dir in [cwd, Some(self.setup.cwd.as_str()), self.setup.project.as_deref()] {
            let Some(real) = dir.and_then(|dir| file::canonical(Path::new(dir))) else { continue };
            if !found.contains(&real) {
                found.push(real);
            }
        }
        found
    }

    /// The store of a candidate, opened once.
    fn open(&self, family: Family, candidate: &Candidate) -> Opened {
        let scope = (family == Family::Native).then(|| candidate.scope.clone()).flatten();
        let key = (candidate.path.clone(), scope.clone());
        if let Some(known) = self.opened.borrow().get(&key) {
            return known.clone();
        }
        if self.waits.get() >= MAX_WAITS {
            return Err(Doubt::new(Code::Deadline, candidate.path.display().to_string()));
        }
        let opened: Opened = match family {
            Family::Cortex => CortexStore::open(&candidate.path, self.sitting().clone())
                .map(|store| Rc::new(store) as Rc<dyn Memory>),
            Family::Native => NativeStore::open(&candidate.path, self.setup.state.clone(), scope)
                .map(|store| Rc::new(store) as Rc<dyn Memory>),
        };
        if matches!(&opened, Err(doubt) if doubt.code == Code::StoreLocked) {
            self.waits.set(self.waits.get() + 1);
        }
        self.opened.borrow_mut().insert(key, opened.clone());
        opened
    }

    /// What our own records say of the caller's conversation.
    fn sitting(&self) -> &Sitting {
        self.sitting.get_or_init(|| {
            let (state, caller) = (&self.setup.state, &self.setup.caller);
            let nearest = caller.child_of.as_deref().unwrap_or(&caller.session);
            let root = state.root_of(nearest);
            let record = state.session(&root).unwrap_or_default();
            let first_seen = Some(record.first_seen).filter(|at| !at.is_empty());
            let mut agents = Vec::new();
            // Only a child session needs them: the spool is not read for an ordinary subagent.
            if caller.agent.is_none() {
                agents = state
                    .recent_calls()
                    .into_iter()
                    .filter(|call| call.session == root || call.session == nearest)
                    .filter_map(|call| call.agent)
                    .collect();
                agents.sort();
                agents.dedup();
            }
            Sitting { first_seen, restarted: record.restarted, agents }
        })
    }

    /// Whether the store belongs to the call's project: it lies at the project's place, or it knows the
    /// caller, whose id no other conversation has.
    fn is_own(&self, candidate: &Candidate, memory: &dyn Memory) -> bool {
        let stranger =
            |doubt: &Doubt| matches!(doubt.code, Code::CallerUnknown | Code::StoreSchema);
        candidate.own
            || match memory.circle(&self.setup.caller) {
                Ok(circle) => !circle.stranger,
                Err(doubt) => !stranger(&doubt),
            }
    }
}

impl Facts for Machine {
    fn stores(&self, family: Family, place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        let (mut reached, mut doubts): (Vec<Reached>, Vec<Doubt>) = (Vec::new(), Vec::new());
        for candidate in self.candidates(family, place) {
            match self.open(family, &candidate) {
                Ok(memory) => {
                    let own_project = self.is_own(&candidate, memory.as_ref());
                    reached.push(Reached { memory, own_project });
                }
                Err(doubt) => {
                    if let Some(Ok(memory)) = self.in_its_place(family, &candidate, &doubt) {
                        let own_project = self.is_own(&candidate, memory.as_ref());
                        reached.push(Reached { memory, own_project });
                    }
                    if !doubts.contains(&doubt) {
                        doubts.push(doubt);
                    }
                }
            }
        }
        if reached.is_empty() && doubts.is_empty() {
            reached = self.of_missing(family, place);
            doubts.extend(
                reached.iter().map(|one| Doubt::new(Code::StoreMissing, one.memory.path())),
            );
        }
        if reached.is_empty() && doubts.is_empty() {
            let at = place.cwd.as_deref().unwrap_or(&self.setup.cwd);
            doubts.push(Doubt::new(Code::StoreMissing, at));
        }
        (reached, doubts)
    }

    fn protected(&self) -> Vec<Protected> {
        self.protected_paths()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        let mut base = self.base.borrow_mut();
        if base.0 != cwd {
            *base = (cwd.to_owned(), file::resolve(Path::new("/"), Path::new(cwd)));
        }
        file::resolve_from(&base.1, Path::new(path)).to_string_lossy().into_owned()
    }

    fn home(&self) -> &str {
        &self.home
    }

    fn definer(&self, agent_type: &str) -> Option<Definer> {
        self.agent_definer(agent_type)
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        let Setup { state, caller, call_id, .. } = &self.setup;
        let call = call_id.as_deref().unwrap_or_default();
        state.has_grant(&caller.session, store, id, action.as_str(), call)
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        let Setup { state, caller, call_id, .. } = &self.setup;
        let call = call_id.as_deref().unwrap_or_default();
        state.take_grant(&caller.session, store, id, action.as_str(), call)
    }
}

impl Files for Machine {
    fn text(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return None;
        }
        let bytes = file::read_bounded(path, SCRIPT_LIMIT).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
