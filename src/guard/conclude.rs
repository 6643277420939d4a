//! From what was found to the verdict: grants, trusted agents, the owner's wish for proof.

use super::case::{Case, Found, TouchedMemory};
use super::{Facts, Policy, reason};
use crate::decision::{Code, Doubt, GuardedAction, GuardedTarget, MemoryGuardDenial, Verdict};

/// Makes the verdict.
pub(super) fn conclude(case: Case, policy: &Policy) -> Verdict {
    let Case { facts, request, mut found, .. } = case;
    let caller = &request.caller;
    if is_trusted(facts, request, policy) && !found.memories.is_empty() {
        // Upkeep of memories is the job; the store's file and the guard itself are not.
        found.memories.clear();
        let agent_type = caller.agent_type.as_deref().unwrap_or_default();
        note(&mut found, Code::AgentTrusted, agent_type);
    }
    if found.tampers.is_empty() {
        take_grants(facts, &mut found);
    }
    let action = found
        .tampers
        .iter()
        .map(|_| GuardedAction::Tamper)
        .chain(found.memories.iter().map(|memory| memory.effect.action()))
        .max();
    let denial = match action {
        Some(action) => Some(MemoryGuardDenial {
            action,
            targets: targets(&found),
            reason: reason::reason(&found, action, caller),
        }),
        None if policy.deny_unproven => unproven(&mut found, caller),
        None => None,
    };
    Verdict { denial, doubts: found.doubts, own: found.own }
}

fn note(found: &mut Found, code: Code, detail: &str) {
    found.doubts.push(Doubt::new(code, super::label::one_line(detail, 200)));
}

/// Whether the caller's type is on the owner's list and its definition is the owner's: a file of
/// that name in the project would let anyone in the working tree be the trusted agent.
fn is_trusted(
    facts: &dyn Facts,
    request: &crate::request::MemoryGuardRequest,
    policy: &Policy,
) -> bool {
    let Some(agent_type) = request.caller.agent_type.as_deref() else { return false };
    policy.trusted_agents.iter().any(|trusted| trusted == agent_type)
        && facts.definer(agent_type) == Some(super::Definer::Owner)
}

/// Takes the grants, if every memory has one: a call that stays refused must not use any up.
fn take_grants(facts: &dyn Facts, found: &mut Found) {
    let granted = |memory: &TouchedMemory, id: &str| {
        facts.has_grant(&memory.store, id, memory.effect.action())
    };
    let all: Option<Vec<&str>> = found
        .memories
        .iter()
        .map(|memory| {
            [memory.id.as_str(), memory.stored_id.as_str()]
                .into_iter()
                .find(|id| granted(memory, id))
        })
        .collect();
    let Some(ids) = all.filter(|ids| !ids.is_empty()) else { return };
    // Between looking and taking another call may have won one: then this one stays refused.
    let mut left = Vec::new();
    let mut taken = Vec::new();
    for (memory, id) in found.memories.iter().zip(&ids) {
        if facts.take_grant(&memory.store, id, memory.effect.action()) {
            taken.push((*id).to_owned());
        } else {
            left.push(memory.clone());
        }
    }
    found.memories = left;
    for id in taken {
        note(found, Code::Granted, &id);
    }
}

fn targets(found: &Found) -> Vec<GuardedTarget> {
    let tampers = found
        .tampers
        .iter()
        .map(|tamper| GuardedTarget { id: tamper.path.clone(), label: tamper.label.clone() });
    let memories = found
        .memories
        .iter()
        .map(|memory| GuardedTarget { id: memory.id.clone(), label: memory.label.clone() });
    tampers.chain(memories).collect()
}

fn unproven(found: &mut Found, caller: &crate::request::Caller) -> Option<MemoryGuardDenial> {
    let open: Vec<&Doubt> = found.doubts.iter().filter(|doubt| is_open(doubt.code)).collect();
    if open.is_empty() {
        return None;
    }
    let reason = reason::unproven(&open, caller);
    note(found, Code::DeniedUnproven, "");
    // Nothing is known of a target, so nothing graver than the mildest action is said.
    Some(MemoryGuardDenial { action: GuardedAction::Retire, targets: Vec::new(), reason })
}

/// Whether a doubt leaves the question open; the others are answers.
fn is_open(code: Code) -> bool {
    !matches!(
        code,
        Code::MaintenanceAllowed
            | Code::AgentTrusted
            | Code::Granted
            | Code::SwitchedOff
            | Code::StoreMissing
    )
}
