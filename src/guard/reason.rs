//! The words of a refusal. A model reads them: what was seen, whose it is, what to do instead.
//! Every clause says only what was checked, for both families of stores.

use super::case::{Effect, Found, Tamper, TouchedMemory, Whence};
use super::label::{LABEL_LENGTH, is_plain, one_line, quoted};
use crate::decision::{Doubt, GuardedAction};
use crate::request::{Caller, Proof};

/// How many targets are named; the rest is a number.
const NAMED: usize = 3;

/// The reason for what was found; something was.
pub(super) fn reason(found: &Found, action: GuardedAction, caller: &Caller) -> String {
    let who = who(caller);
    let mut lines = Vec::new();
    if let Some(first) = found.tampers.first() {
        lines.push(format!("{who} may not {}.", first.may_not));
        lines.push("This call would:".to_owned());
    } else {
        let verb = verb(action);
        let object = match caller.proof {
            // Nothing tells what is earlier work to it.
            Proof::Nothing => "memory".to_owned(),
            Proof::Hook | Proof::Session => object(&found.memories),
        };
        lines.push(format!("{who} may not {verb} {object}."));
        lines.push(count_line(&found.memories, caller));
    }
    let rows = rows(found);
    lines.extend(rows.iter().take(NAMED).map(|row| format!("  - {row}")));
    if let Some(more @ 1..) = rows.len().checked_sub(NAMED) {
        lines.push(format!("  - and {more} more"));
    }
    if found.unread {
        lines.push(
            "The text is too long or too deep to be read whole; this stands in it.".to_owned(),
        );
    }
    if found.made {
        lines.push(
            "The command runs code that is only known at run time; this stands in what it is made \
             of."
            .to_owned(),
        );
    }
    lines.push(advice(found, caller));
    lines.join("\n")
}

/// The reason of a refusal because nothing could be proved.
pub(super) fn unproven(doubts: &[&Doubt], caller: &Caller) -> String {
    let mut lines = vec![
        format!(
            "{} may not make calls that reach memory when it cannot be proved whose it is.",
            who(caller)
        ),
        "This call could not be judged:".to_owned(),
    ];
    for doubt in doubts.iter().take(NAMED) {
        let meaning = doubt.code.meaning().trim_end_matches('.');
        lines.push(format!("  - {meaning} ({})", doubt.code.as_str()));
    }
    if let Some(more @ 1..) = doubts.len().checked_sub(NAMED) {
        lines.push(format!("  - and {more} more"));
    }
    lines.push(
        "Put what you wanted to change in your final message; the parent can do it.".to_owned(),
    );
    lines.join("\n")
}

fn who(caller: &Caller) -> &'static str {
    match caller.proof {
        Proof::Session => "A call without a fresh record of Ringfence's hook",
        Proof::Nothing => "A call without a client",
        Proof::Hook if caller.agent.is_some() => "A subagent",
        Proof::Hook => "A client that a subagent started",
    }
}

/// The verb of an action; Cortex's own guard uses the same words.
fn verb(action: GuardedAction) -> &'static str {
    match action {
        GuardedAction::Retire => "retire",
        GuardedAction::Edit => "rewrite",
        GuardedAction::Delete => "delete",
        GuardedAction::Tamper => "change",
    }
}

/// Whose memory it is, as far as that is the same for all.
fn object(memories: &[TouchedMemory]) -> String {
    let here = memories.iter().map(|memory| match &memory.whence {
        Whence::Here(scope) => Some(in_this(scope)),
        Whence::Elsewhere(_) | Whence::OtherProject => None,
    });
    let all: Option<Vec<&str>> = here.collect();
    match all.as_deref() {
        Some([first, ..]) => format!("memory from earlier work {first}"),
        Some([]) | None if is_other_project(memories) => "memory of another project".to_owned(),
        Some([]) | None => "memory of another session".to_owned(),
    }
}

fn is_other_project(memories: &[TouchedMemory]) -> bool {
    memories.iter().all(|memory| memory.whence == Whence::OtherProject)
}

/// A scope's own name for "here".
fn in_this(scope: &str) -> &'static str {
    if is_directory(scope) {
        "in this directory"
    } else if scope.starts_with("detached:") {
        "on this commit"
    } else {
        "on this branch"
    }
}

/// A scope outside git: Cortex's names the directory, ours is the word alone.
fn is_directory(scope: &str) -> bool {
    scope == "project" || scope.starts_with("project:")
}

/// Another scope in words: its branch, commit or directory.
fn of_scope(scope: &str) -> String {
    let last = scope.rsplit(':').next().unwrap_or(scope);
    if scope == "project" {
        "outside any branch".to_owned()
    } else if let Some(directory) = scope.strip_prefix("project:") {
        format!("in directory {}", super::label::quoted_path(directory))
    } else if scope.starts_with("detached:") {
        format!("on commit {}", one_line(last, 12))
    } else {
        format!("on branch {}", quoted(last, LABEL_LENGTH))
    }
}

fn count_line(memories: &[TouchedMemory], caller: &Caller) -> String {
    let count = match memories.len() {
        1 => "1 memory".to_owned(),
        more => format!("{more} memories"),
    };
    let whose = if is_other_project(memories) {
        "of another project"
    } else if memories.iter().any(|memory| memory.whence == Whence::OtherProject) {
        "of other sessions and projects"
    } else if caller.proof == Proof::Nothing {
        "that it may not have written"
    } else {
        "that this conversation did not write"
    };
    let does = match common_effect(memories) {
        Some(Effect::Supersede) => "supersede",
        Some(Effect::Resolve) => "retire",
        Some(Effect::Rewrite) => "rewrite",
        Some(Effect::Restore) => "put back to an older state",
        Some(Effect::Delete) => "delete",
        None => "change",
    };
    format!("This call would {does} {count} {whose}:")
}

fn common_effect(memories: &[TouchedMemory]) -> Option<Effect> {
    let first = memories.first()?.effect;
    memories.iter().all(|memory| memory.effect == first).then_some(first)
}

fn rows(found: &Found) -> Vec<String> {
    let with_verb = !found.tampers.is_empty() || common_effect(&found.memories).is_none();
    effects(found, with_verb)
}

/// What the call would do, one row for each target.
pub(super) fn effects(found: &Found, with_verb: bool) -> Vec<String> {
    let tampers = found.tampers.iter().map(|tamper: &Tamper| tamper.would.clone());
    let memories = found.memories.iter().map(|memory| {
        let mut row = String::new();
        if with_verb {
            row.push_str(verb(memory.effect.action()));
            row.push(' ');
        }
        row.push_str(&format!("{} ({})", memory.label, one_line(&memory.id, LABEL_LENGTH)));
        match &memory.whence {
            Whence::Here(_) => {}
            Whence::Elsewhere(Some(scope)) => {
                row.push_str(", ");
                row.push_str(&of_scope(scope));
            }
            Whence::Elsewhere(None) => row.push_str(", of another session"),
            Whence::OtherProject => row.push_str(", of another project"),
        }
        row
    });
    tampers.chain(memories).collect()
}

fn advice(found: &Found, caller: &Caller) -> String {
    if !found.tampers.is_empty() {
        return "Say in your final message what should change and why; the parent can do it."
            .into();
    }
    let mut advice = match caller.proof {
        Proof::Hook => "Put the finding in your final message instead; the parent decides about it.",
        Proof::Session => {
            "The parent or a subagent may have made it; `ringfence doctor` tells why the hook left no \
             record. Put the finding in your final message instead."
        }
        Proof::Nothing => "Nothing tells who makes it, so it may only read and add.",
    }
    .to_owned();
    if found.memories.iter().any(|memory| memory.effect == Effect::Supersede) {
        advice.push_str(" A note of kind `insight` retires nothing.");
    }
    if caller.proof != Proof::Hook {
        return advice;
    }
    match found.memories.as_slice() {
        [only] if is_plain(&only.id) => {
            let action = only.effect.action();
            advice.push_str(&format!(
                " If it must be done, ask the parent to run `ringfence grant {} --action {}`.",
                only.id,
                action.as_str()
            ));
        }
        [_] => {}
        _ => advice
            .push_str(" If it must be done, ask the parent to run `ringfence grant ID` for each."),
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_called_what_it_is() {
        for (scope, here, there) in [
            ("branch:main", "on this branch", "on branch \"main\""),
            ("branch:/r/.git:/r:main", "on this branch", "on branch \"main\""),
            ("detached:0123456789abcdef", "on this commit", "on commit 0123456789a…"),
            ("project:/r", "in this directory", "in directory \"/r\""),
            ("project", "in this directory", "outside any branch"),
        ] {
            assert_eq!((in_this(scope), of_scope(scope).as_str()), (here, there), "{scope}");
        }
    }
}
