//! `cortex_note` and `ringfence note`: which active notes the write would retire.

use super::Place;
use super::case::{Case, Effect, Store};
use super::owner::{Aim, weigh_note};
use crate::memory::note::supersedes;
use crate::memory::supersede::{Detection, Reach, Write, preview};
use crate::memory::{Family, Note, subject};
use crate::request::{Argument, MemoryGuardRequest};

/// A note as it would be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft<'a> {
    pub(super) kind: &'a str,
    pub(super) subject: Option<&'a str>,
    pub(super) content: &'a str,
}

/// Judges a call of the tool.
pub(super) fn judge_tool(case: &mut Case, families: &[Family]) {
    let request: &MemoryGuardRequest = case.request;
    let Some(kind) = request.input.text(&["kind"]) else { return };
    // A content that is no text makes the handler fail before it writes.
    let Some(Argument::Text(content)) = request.input.get("content") else { return };
    let draft = Draft { kind, subject: request.input.text(&["subject"]), content };
    let place = case.place_of_call();
    for family in families {
        judge(case, *family, &place, draft);
    }
}

/// Judges a write in the stores of `family` at `place`.
pub(super) fn judge(case: &mut Case, family: Family, place: &Place, draft: Draft) {
    if !case.may_ask() {
        return;
    }
    for store in case.stores(family, place).iter() {
        weigh(case, store, draft, Detection::On);
    }
}

/// Weighs what a resolved note's replacement would retire: written with that note's kind and
/// subject, and never checked for contradictions.
pub(super) fn weigh_replacement(case: &mut Case, store: &Store, named: &Note, text: &str) {
    let draft = Draft { kind: &named.kind, subject: named.subject.as_deref(), content: text };
    weigh(case, store, draft, Detection::Skipped);
}

fn weigh(case: &mut Case, store: &Store, draft: Draft, detection: Detection) {
    let memory = &store.reached.memory;
    let Some(subject) = draft.subject.and_then(subject::normalise) else { return };
    if !supersedes(draft.kind) {
        return;
    }
    let priors = match memory.active_on(&subject) {
        Ok(priors) => priors,
        Err(doubt) => return case.doubt(doubt),
    };
    let write = Write {
        kind: draft.kind,
        content: draft.content,
        // Without a circle nothing can be called foreign; the weighing says why.
        scope: store.circle.as_ref().ok().and_then(|circle| circle.scope.as_deref()),
        detection,
        reach: match memory.family() {
            Family::Cortex => Reach::Store,
            Family::Native => Reach::Scope,
        },
    };
    let retired = preview(&write, &priors).superseded;
    for note in priors.iter().filter(|prior| retired.contains(&prior.id)) {
        weigh_note(case, store, note, Aim::Implied, Effect::Supersede);
    }
}
