//! Whose is it? A memory is outside when its session is known and not in the caller's circle.

use super::case::{Case, Effect, Store, TouchedMemory, Whence};
use super::label::label;
use crate::decision::{Code, Doubt};
use crate::memory::{Circle, Family, Item, Note};

/// How a call came to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim<'a> {
    /// The call spells the memory's id so: it counts in every scope.
    Named(&'a str),
    /// By a subject, or as a consequence of a write: it counts in the caller's scope only.
    Implied,
}

/// What is asked about an owner.
struct Owned<'a> {
    session: Option<&'a str>,
    agent: Option<&'a str>,
    scope: Option<&'a str>,
    id: &'a str,
}

/// Notes `note` as a target, if it is outside.
pub(super) fn weigh_note(case: &mut Case, store: &Store, note: &Note, aim: Aim, effect: Effect) {
    let owned = Owned {
        session: Some(note.session.as_str()),
        agent: note.agent.as_deref(),
        scope: note.scope.as_deref(),
        id: &note.id,
    };
    let label = label(&note.kind, note.subject.as_deref());
    weigh(case, store, &owned, label, aim, effect);
}

/// Notes `item` as a target, if it is outside.
pub(super) fn weigh_item(case: &mut Case, store: &Store, item: &Item, aim: Aim, effect: Effect) {
    let owned = Owned {
        session: item.session.as_deref(),
        agent: None,
        scope: item.scope.as_deref(),
        id: &item.id,
    };
    weigh(case, store, &owned, label(&item.kind, item.subject.as_deref()), aim, effect);
}

fn weigh(case: &mut Case, store: &Store, owned: &Owned, label: String, aim: Aim, effect: Effect) {
    match whence(case, store, owned, aim) {
        Ok(Owner::Foreign(whence)) => case.touch(TouchedMemory {
            effect,
            id: match aim {
                Aim::Named(spelled) => spelled.to_owned(),
                Aim::Implied => owned.id.to_owned(),
            },
            stored_id: owned.id.to_owned(),
            label,
            whence,
            store: store.reached.memory.path().to_owned(),
        }),
        Ok(Owner::Caller) => {
            if !case.found.own.iter().any(|known| known == owned.id) {
                case.found.own.push(owned.id.to_owned());
            }
        }
        Ok(Owner::NoTarget) => {}
        Err(doubt) => case.doubt(doubt),
    }
}

/// Whose a memory is, seen from the caller.
enum Owner {
    Caller,
    Foreign(Whence),
    /// It is of another scope, which an implicit write does not reach.
    NoTarget,
}

fn whence(case: &Case, store: &Store, owned: &Owned, aim: Aim) -> Result<Owner, Doubt> {
    if !store.reached.own_project {
        return match aim {
            Aim::Named(_) => Ok(Owner::Foreign(Whence::OtherProject)),
            Aim::Implied => {
                let circle = store.circle.as_ref().map_err(Doubt::clone)?;
                Ok(match in_scope(circle, owned)? {
                    true => Owner::Foreign(Whence::OtherProject),
                    false => Owner::NoTarget,
                })
            }
        };
    }
    let circle = store.circle.as_ref().map_err(Doubt::clone)?;
    if is_own(case, store, circle, owned) {
        return Ok(Owner::Caller);
    }
    // A Cortex primary without a scope is a row that Cortex itself has not placed yet.
    let unplaced = circle.scope.is_none() && !circle.stranger;
    if store.reached.memory.family() == Family::Cortex && unplaced {
        return Err(Doubt::new(Code::ScopeUnknown, owned.id));
    }
    // The scope decides first: a memory of another branch is no target of an implicit write,
    // whoever owns it.
    if aim == Aim::Implied && !in_scope(circle, owned)? {
        return Ok(Owner::NoTarget);
    }
    outlives_this_sitting(store, circle, owned)?;
    Ok(Owner::Foreign(match (&circle.scope, owned.scope) {
        (Some(here), Some(there)) if here == there => Whence::Here(here.clone()),
        (_, there) => Whence::Elsewhere(there.map(str::to_owned)),
    }))
}

fn is_own(case: &Case, store: &Store, circle: &Circle, owned: &Owned) -> bool {
    let own_session = owned.session.is_some_and(|id| circle.sessions.iter().any(|own| own == id));
    // Our own store records the writer exactly, so an agent's notes are its own wherever it runs.
    let own_agent = store.reached.memory.family() == Family::Native
        && owned.agent.is_some_and(|agent| case.request.caller.agent.as_deref() == Some(agent));
    own_session || own_agent
}

fn in_scope(circle: &Circle, owned: &Owned) -> Result<bool, Doubt> {
    match &circle.scope {
        Some(here) => Ok(owned.scope == Some(here.as_str())),
        None => Err(Doubt::new(Code::ScopeUnknown, owned.id)),
    }
}

/// Fails with the doubt unless the owner is known and its session surely was another sitting.
fn outlives_this_sitting(store: &Store, circle: &Circle, owned: &Owned) -> Result<(), Doubt> {
    let session = match owned.session {
        Some(session) if !session.is_empty() => session,
        Some(_) | None => return Err(Doubt::new(Code::TargetOwnerless, owned.id)),
    };
    let Some(session) = store.reached.memory.session(session)? else {
        return Err(Doubt::new(Code::OwnerUnknown, owned.id));
    };
    let Some(limit) = &circle.ended_before else { return Ok(()) };
    match &session.ended_at {
        Some(ended) if ended < limit => Ok(()),
        Some(_) | None => Err(Doubt::new(Code::SameSitting, owned.id)),
    }
}
