//! The guard inside the server: what is judged are the arguments that really came, because another
//! hook may have rewritten them, and whoever the hook's records say has made the call.

use std::rc::Rc;

use crate::config;
use crate::decision::{Code, Doubt, GuardedAction, Verdict};
use crate::guard::{Facts, Place, Policy, Protected, Reached, evaluate_memory_guard};
use crate::memory::store::NativeStore;
use crate::memory::store::native::Permit;
use crate::memory::{Family, Memory};
use crate::request::{Argument, Arguments, MemoryGuardRequest};
use crate::shell::Files;
use crate::state::{LogLine, State};
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
    if home.state.off_until().is_some_and(|until| until > clock::now_ms()) {
        let doubts = vec![Doubt::new(Code::SwitchedOff, "")];
        log(home, &request, &Verdict { doubts, ..Verdict::default() });
        return None;
    }
    let cwd = std::path::Path::new(&caller.cwd);
    let policy = config::load_for(&home.dirs, home.config.as_deref(), cwd).policy;
    let home = home.clone();
    let scope = caller.author.scope.clone();
    Some(Box::new(move || judge(&home, scope, request, &policy)))
}

fn judge(
    home: &Home,
    scope: Option<String>,
    mut request: MemoryGuardRequest,
    policy: &Policy,
) -> Result<(), String> {
    // As the hook spells it, for whom a grant is.
    let store = file::canonical(&home.store).unwrap_or_else(|| home.store.clone());
    let memory = NativeStore::open(&store, home.state.clone(), scope)
        .map_err(|doubt| format!("the store could not be read ({})", doubt.code.as_str()))?;
    name_what_is_meant(&mut request, &memory);
    let facts = OneStore {
        memory: Rc::new(memory),
        state: &home.state,
        home: home.dirs.home.to_string_lossy().into_owned(),
        session: &request.caller.session,
        call: request.call_id.as_deref().unwrap_or_default(),
    };
    let verdict = evaluate_memory_guard(&facts, &request, policy);
    log(home, &request, &verdict);
    match verdict.denial {
        Some(denial) => Err(denial.reason),
        None => Ok(()),
    }
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

/// The facts of a call of the server: one store, which is the project's own.
struct OneStore<'h> {
    memory: Rc<NativeStore>,
    state: &'h State,
    home: String,
    session: &'h str,
    call: &'h str,
}

impl Facts for OneStore<'_> {
    fn stores(&self, family: Family, _place: &Place) -> (Vec<Reached>, Vec<Doubt>) {
        let memory = (family == Family::Native).then(|| {
            let memory = Rc::clone(&self.memory) as Rc<dyn Memory>;
            Reached { memory, own_project: true }
        });
        (memory.into_iter().collect(), Vec::new())
    }

    fn protected(&self) -> Vec<Protected> {
        Vec::new()
    }

    fn resolve(&self, cwd: &str, path: &str) -> String {
        file::resolve(cwd.as_ref(), path.as_ref()).to_string_lossy().into_owned()
    }

    fn home(&self) -> &str {
        &self.home
    }

    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.state.has_grant(self.session, store, id, action.as_str(), self.call)
    }

    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool {
        self.state.take_grant(self.session, store, id, action.as_str(), self.call)
    }
}

impl Files for OneStore<'_> {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = file::read_bounded(path.as_ref(), 256 * 1024).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
