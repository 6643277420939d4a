//! What was refused is kept: the work of a subagent is not lost by a refusal, whichever door refused it.

use std::path::Path;

use crate::decision::{GuardedAction, MemoryGuardDenial};
use crate::guard::wanted;
use crate::memory::Family;
use crate::request::MemoryGuardRequest;
use crate::state::{Proposal, State};
use crate::sys::{clock, git};

/// Keeps what a refused call wanted to write into a store of `family`; a sentence about it for the
/// model. `None` when it wanted to write nothing, or when nothing could be kept.
pub fn keep(
    request: &MemoryGuardRequest,
    denial: &MemoryGuardDenial,
    state: &State,
    family: impl FnOnce() -> Family,
) -> Option<String> {
    // A tampering call wrote past the store's program: there is no note in it.
    if denial.action == GuardedAction::Tamper {
        return None;
    }
    let wanted = wanted(request);
    if wanted.is_empty() {
        return None;
    }
    let family = family();
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
