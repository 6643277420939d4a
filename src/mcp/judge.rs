//! The guard inside the server: what is judged are the arguments that really came, because another
//! hook may have rewritten them, and whoever the hook's records say has made the call.

use std::rc::Rc;

use crate::config;
use crate::decision::{Code, Doubt, GuardedAction, Verdict};
use crate::facts::{Machine, Setup, proposals};
use crate::guard::{Definer, Facts, Place, Policy, Protected, Reached, evaluate_memory_guard};
use crate::memory::store::NativeStore;
use crate::memory::store::native::{Author, Permit};
use crate::memory::{Family, Memory};
use crate::request::{Argument, Arguments, MemoryGuardRequest};
use crate::shell::Files;
use crate::state::LogLine;
use crate::sys::{clock, file};

use super::caller::Caller;
use super::home::Home;

/// How the hook sees our tools.
const SERVER: &str = "mcp__ringfence__";

/// The permit for a change by `caller`; none for one that nobody judges.
pub(super) fn permit(
    home: &Home,
    caller: &Caller,
    tool: &str,
    input: &Arguments,
) -> Option<Permit> {
    if caller.is_parent() {
        return None;
    }
    let request = MemoryGuardRequest {
        tool: format!("{SERVER}{tool}"),
        input: input.clone(),
        caller: caller.judged.clone(),
        cwd: caller.cwd.clone(),
        project: Some(home.dir_text()),
        call_id: caller.author.call.clone(),
    };
    if home.state.is_off(&request, clock::now_ms()) {
        let doubts = vec![Doubt::new(Code::SwitchedOff, "")];
        log(home, &request, &Verdict { doubts, ..Verdict::default() });
        return None;
    }
    let cwd = std::path::Path::new(&caller.cwd);
    let policy = config::load_for(&home.dirs, home.config.as_deref(), cwd).policy;
    let home = home.clone();
    let author = caller.author.clone();
    Some(Box::new(move || judge(&home, author, request, &policy)))
}

fn judge(
    home: &Home,
    author: Author,
    mut request: MemoryGuardRequest,
    policy: &Policy,
) -> Result<(), String> {
    // As the hook spells it, for whom a grant is.
    let store = file::canonical(&home.store).unwrap_or_else(|| home.store.clone());
    let memory = NativeStore::open(&store, home.state.clone(), author.scope.clone())
        .map_err(|doubt| format!("the store could not be read ({})", doubt.code.as_str()))?;
    name_what_is_meant(&mut request, &memory);
    let facts = OneStore { memory: Rc::new(memory), machine: Machine::new(setup(home, &request)) };
    let verdict = evaluate_memory_guard(&facts, &request, policy);
    log(home, &request, &verdict);
    let Some(denial) = verdict.denial else { return Ok(()) };
    // As the change would have been signed: also where nothing tells who made the call.
    request.caller.session = author.session;
    request.caller.agent = author.agent;
    Err(match proposals::keep(&request, &denial, &home.state, || Family::Native) {
        Some(kept_as) => format!("{}\n{kept_as}", denial.reason),
        None => denial.reason,
    })
}

fn log(home: &Home, request: &MemoryGuardRequest, verdict: &Verdict) {
    if let Some(line) = LogLine::of(request, verdict) {
        // The decision stands whether or not it can be written down.
        drop(home.state.append_log(&line));
    }
}

/// A resolve by subject changes one note for sure: what is judged is that one, as if it were named.
fn name_what_is_meant(request: &mut MemoryGuardRequest, memory: &NativeStore) {
    if request.input.text(&["note_id"]).is_some() || !request.tool.ends_with("cortex_resolve") {
        return;
    }
    let Some(subject) = request.input.text(&["subject"]) else { return };
    let Ok(active) = memory.active_like(subject) else { return };
    let Some(meant) = active.into_iter().next() else { return };
    let mut pairs: Vec<(String, Argument)> =
        request.input.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect();
    pairs.push(("note_id".to_owned(), Argument::Text(meant.id)));
    request.input = Arguments::new(pairs);
}

/// What the machine is asked about besides the store.
fn setup(home: &Home, request: &MemoryGuardRequest) -> Setup {
    Setup {
        dirs: home.dirs.clone(),
        state: home.state.clone(),
        stores: Vec::new(),
        cortex_homes: Vec::new(),
        config: home.config.clone(),
        client: home.client.clone(),
        caller: request.caller.clone(),
        cwd: request.cwd.clone(),
        project: request.project.clone(),
        call_id: request.call_id.clone(),
    }
}

/// The facts of a call of the server: one store, which is the project's own, in the state that the
/// change will find; all else as for the hook.
struct OneStore {
    memory: Rc<NativeStore>,
    machine: Machine,
}

impl Facts for OneStore {
    fn stores(&self, family: Family, _place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        let memory = (family == Family::Native).then(|| {
            let memory = Rc::clone(&self.memory) as Rc<dyn Memory>;
            Reached { memory, own_project: true }
        });
        (memory.into_iter().collect(), Vec::new())
    }

    fn protected(&self) -> Vec<Protected> {
        self.machine.protected()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        self.machine.resolve(cwd, path)
    }

    fn home(&self) -> &str {
        self.machine.home()
    }

    fn definer(&self, agent_type: &str) -> Option<Definer> {
        self.machine.definer(agent_type)
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.machine.has_grant(store, id, action)
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.machine.take_grant(store, id, action)
    }
}

impl Files for OneStore {
    fn text(&self, path: &str) -> Option<String> {
        self.machine.text(path)
    }
}
