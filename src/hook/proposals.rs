//! What is said of kept proposals: to a session's model, and to the person when a subagent ends.

use std::path::Path;

use crate::memory::store::Project;
use crate::state::State;
use crate::sys::file;
use crate::sys::git::Repository;

/// What a session's model is told of the proposals that wait in its project; `None` when there is none.
pub(super) fn reminder(state: &State, cwd: &str) -> Option<String> {
    if state.waiting() == 0 {
        return None;
    }
    let project = |dir: &str| {
        let path = file::canonical(Path::new(dir))?;
        Some(Project::of(&path, Repository::find(&path).as_ref()).id)
    };
    let here = project(cwd)?;
    let waiting = state.proposals();
    match waiting.iter().filter(|one| project(&one.cwd).as_ref() == Some(&here)).count() {
        0 => None,
        count => Some(format!(
            "Memory writes that subagents were refused and that wait in this project: {count}. \
             `ringfence pending` shows them, `ringfence accept NUMBER` writes one, `ringfence drop NUMBER` \
             throws one away."
        )),
    }
}

/// What the person is told when a subagent ends whose work is kept; `None` when there is nothing.
pub(super) fn notice(state: &State, session: &str, agent: &str) -> Option<String> {
    let count = state
        .proposals()
        .iter()
        .filter(|one| one.session == session && one.agent.as_deref() == Some(agent))
        .count();
    match count {
        0 => None,
        1 => {
            Some("Ringfence kept a note that a subagent was refused: ringfence pending".to_owned())
        }
        more => Some(format!(
            "Ringfence kept {more} notes that a subagent was refused: ringfence pending"
        )),
    }
}
