//! What was refused is kept: the work of a subagent is not lost by a refusal.

use std::path::Path;

use crate::decision::MemoryGuardDenial;
use crate::facts::Machine;
use crate::guard::wanted;
use crate::memory::Family;
use crate::memory::store::Project;
use crate::request::MemoryGuardRequest;
use crate::state::{Proposal, State};
use crate::sys::git::{self, Repository};
use crate::sys::{clock, file};

/// Keeps what a refused call wanted to write; a sentence about it for the model.
pub(super) fn keep(
    request: &MemoryGuardRequest,
    denial: &MemoryGuardDenial,
    machine: &Machine,
    state: &State,
) -> Option<String> {
    let wanted = wanted(request);
    if wanted.is_empty() {
        return None;
    }
    let ids = denial.targets.iter().map(|target| target.id.as_str());
    let family = machine.family_of(ids);
    let at = clock::rfc3339(clock::now_ms());
    let scope = git::scope_of(Path::new(&request.cwd));
    let numbers: Vec<String> = wanted
        .into_iter()
        .filter_map(|one| {
            state.keep_proposal(&Proposal {
                number: 0,
                at: at.clone(),
                session: request.caller.session.clone(),
                agent: request.caller.agent.clone(),
                call: request.call_id.clone().unwrap_or_default(),
                cwd: request.cwd.clone(),
                scope: scope.clone(),
                family: family.as_str().to_owned(),
                action: one.action.to_owned(),
                target: one.target,
                kind: one.kind,
                subject: one.subject,
                text: one.text,
                alternatives: one.alternatives,
                status: one.status,
            })
        })
        .map(|number| number.to_string())
        .collect();
    let first = numbers.first()?;
    let (what, them) = match numbers.as_slice() {
        [_] => (format!("proposal {first}"), "it"),
        _ => (format!("proposals {}", numbers.join(", ")), "them"),
    };
    let command = match family {
        Family::Native => format!("take {them} in with `ringfence accept {}`", numbers.join(" ")),
        Family::Cortex => format!("read {them} with `ringfence pending`"),
    };
    Some(format!(
        "What you wanted to write is kept as {what}; say so in your final message, so that the parent can {command}."
    ))
}

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
