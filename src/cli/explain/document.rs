//! What `ringfence explain --json` prints.

use serde_json::{Value, json};

use super::watched::{Known, LookedUp, Owned};
use super::{Explained, LookedAt, dialect_word, family_word, tree, unclear_word};
use crate::decision::Doubt;
use crate::guard::inspect::code_of;
use crate::memory::Family;
use crate::shell::{self, Piece, Redirect, Stdin, Word};
use crate::state::LogLine;

impl Explained {
    /// The document.
    pub(super) fn to_json(&self) -> Value {
        let caller = &self.request.caller;
        let denial = self.verdict.denial.as_ref().map(|denial| {
            let targets: Vec<Value> = denial
                .targets
                .iter()
                .map(|target| json!({"id": target.id, "label": target.label}))
                .collect();
            json!({"action": denial.action.as_str(), "targets": targets, "reason": denial.reason})
        });
        let known = self.watch.known.borrow();
        let stores: Vec<Value> = self
            .stores
            .iter()
            .map(|store| {
                let known = known.iter().find(|known| known.store == store.path);
                json!({
                    "path": store.path,
                    "family": family_word(store.family),
                    "own_project": store.own_project,
                    "caller": known.map(circle),
                })
            })
            .collect();
        let looked_up = self.watch.looked_up.borrow();
        json!({
            "version": 1,
            "tool": self.request.tool,
            "caller": {
                "session": caller.session,
                "agent": caller.agent,
                "agent_type": caller.agent_type,
                "child_of": caller.child_of,
                "cwd": self.request.cwd,
                "project": self.request.project,
                "call": self.request.call_id,
            },
            "logged": self.whence,
            "judged": self.looked_at == LookedAt::Judged,
            "shell": self.text.as_ref().map(|(_, dialect)| dialect_word(*dialect)),
            "text": self.text.as_ref().map(|(text, _)| text),
            "invocations": self.invocations(),
            "unclear": self.reading.unclear.iter().map(|unclear| json!({
                "what": unclear_word(unclear.what),
                "code": code_of(unclear).as_str(),
                "at": unclear.at,
                "detail": unclear.detail,
            })).collect::<Vec<_>>(),
            "stores": stores,
            "unreadable": self.missing.iter().map(doubt).collect::<Vec<_>>(),
            "looked_up": looked_up.iter().map(|one| self.memory(one)).collect::<Vec<_>>(),
            "verdict": if denial.is_some() { "deny" } else { "allow" },
            "code": self.code(),
            "denial": denial,
            "own": self.verdict.own,
            "doubts": self.verdict.doubts.iter().map(doubt).collect::<Vec<_>>(),
        })
    }

    /// The reason code that the log would have for the call; `None` when it would say nothing.
    pub(super) fn code(&self) -> Option<String> {
        LogLine::of(&self.request, &self.verdict).map(|line| line.code)
    }

    fn invocations(&self) -> Vec<Value> {
        let number = |index: usize| self.numbers.get(index).copied();
        let all = tree::walk(&self.parents).into_iter().filter_map(|(index, _)| {
            let invocation = self.reading.invocations.get(index)?;
            Some((index, invocation, self.inspections.get(index)?, self.parents.get(index)?))
        });
        all.map(|(index, invocation, inspection, parent)| {
            let env = invocation.env.iter().map(|(name, value)| (name.clone(), word(value)));
            json!({
                "number": number(index),
                "parent": parent.and_then(number),
                "argv": invocation.argv.iter().map(word).collect::<Vec<_>>(),
                "cwd": invocation.cwd,
                "env": env.collect::<serde_json::Map<String, Value>>(),
                "redirects": invocation.redirects.iter().map(redirect).collect::<Vec<_>>(),
                "stdin": stdin(&invocation.stdin),
                "via": invocation.via,
                "at": invocation.at,
                "end": (invocation.end > invocation.at).then_some(invocation.end),
                "remote": invocation.remote,
                "typed": invocation.typed,
                "relevant": inspection.is_relevant(),
                "program": inspection.program,
                "would": inspection.would,
                "own": inspection.own,
                "doubts": inspection.doubts.iter().map(doubt).collect::<Vec<_>>(),
            })
        })
        .collect()
    }

    fn memory(&self, looked_up: &LookedUp) -> Value {
        let one = |owned: &Owned| {
            json!({
                "id": owned.id,
                "kind": owned.kind,
                "subject": owned.subject,
                "session": owned.session,
                "agent": owned.agent,
                "scope": owned.scope,
                "own": self.is_own(looked_up, owned),
            })
        };
        json!({
            "store": looked_up.store,
            "asked": looked_up.asked,
            "found": looked_up.found.iter().map(one).collect::<Vec<_>>(),
            "doubt": looked_up.doubt.as_ref().map(doubt),
        })
    }

    /// Whether a memory is the caller's own; `None` when the store cannot tell.
    pub(super) fn is_own(&self, looked_up: &LookedUp, owned: &Owned) -> Option<bool> {
        let store = self.stores.iter().find(|store| store.path == looked_up.store)?;
        let known = self.watch.known.borrow();
        let known = known.iter().find(|known| known.store == looked_up.store)?;
        let circle = known.circle.as_ref().ok()?;
        let session = owned.session.as_deref().filter(|session| !session.is_empty())?;
        let caller = self.request.caller.agent.as_deref();
        let own_agent =
            store.family == Family::Native && caller.is_some() && owned.agent.as_deref() == caller;
        Some(store.own_project && (own_agent || circle.sessions.iter().any(|own| own == session)))
    }
}

fn circle(known: &Known) -> Value {
    match &known.circle {
        Ok(circle) => json!({
            "known": !circle.stranger,
            "sessions": circle.sessions,
            "writer": circle.writer,
            "scope": circle.scope,
            "ended_before": circle.ended_before,
        }),
        Err(reason) => json!({"known": false, "doubt": doubt(reason)}),
    }
}

/// A word: a text, `{"one_of": […]}`, or `{"unknown": as spelled, "pieces": […]}`.
fn word(word: &Word) -> Value {
    match word {
        Word::Literal(only) => json!(only),
        Word::OneOf(all) => json!({"one_of": all}),
        Word::Partial(pieces) => {
            let piece = |piece: &Piece| match piece {
                Piece::Text(text) => json!({"text": text}),
                Piece::Glob(glob) => json!({"glob": glob}),
                Piece::Hole { what, many } => {
                    json!({"run_time": shell::name_of(what), "many": many})
                }
            };
            json!({
                "unknown": shell::spell(std::slice::from_ref(word)),
                "pieces": pieces.iter().map(piece).collect::<Vec<_>>(),
            })
        }
    }
}

fn redirect(redirect: &Redirect) -> Value {
    json!({"fd": redirect.fd, "op": redirect.op, "target": word(&redirect.target)})
}

fn stdin(stdin: &Stdin) -> Value {
    match stdin {
        Stdin::Inherited => json!("inherited"),
        Stdin::Text(text) => json!({"text": text}),
        Stdin::File(file) => json!({"file": word(file)}),
        Stdin::Unknown => json!("unknown"),
    }
}

fn doubt(doubt: &Doubt) -> Value {
    json!({"code": doubt.code.as_str(), "meaning": doubt.code.meaning(), "detail": doubt.detail})
}
