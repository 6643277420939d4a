//! The words of the answers: notes and changes as a model reads them. Pure.
//!
//! Texts of notes are others' texts: each of their lines is indented below a line of ours, and what
//! could mislead a reader is written out.

#![forbid(unsafe_code)]

use crate::guard::label;
use crate::memory::store::native::{Change, Entry, StoreError};

/// How much of a new note's text is repeated.
const PREVIEW: usize = 60;

/// How much of a text a list shows.
const LINE: usize = 120;

/// How many ids a sentence names.
const NAMED: usize = 3;

/// A note's kind and subject: `decision [retry ceiling]`.
pub(super) fn name(kind: &str, subject: Option<&str>) -> String {
    let kind = label::one_line(kind, 20);
    match subject {
        Some(subject) => format!("{kind} [{}]", label::one_line(subject, LINE)),
        None => kind,
    }
}

/// The beginning of a text in quotes.
pub(super) fn preview(text: &str) -> String {
    label::quoted(text, PREVIEW + 2)
}

/// A note with its whole text.
pub(super) fn whole(entry: &Entry) -> String {
    let mut text = format!("{}\n{}\n", head(entry), indented(&entry.content, "  "));
    if !entry.alternatives.is_empty() {
        text.push_str("  alternatives:\n");
        for one in &entry.alternatives {
            text.push_str(&format!("{}\n", indented(one, "    ")));
        }
    }
    text
}

/// Leaves about `letters` letters of a note.
pub(super) fn cut(entry: &mut Entry, letters: usize) {
    if entry.content.chars().count() > letters {
        entry.content = entry.content.chars().take(letters).collect();
        entry.content.push('…');
        entry.alternatives.clear();
    }
}

/// A note on two lines, with the beginning of its text.
pub(super) fn short(entry: &Entry) -> String {
    format!("{}\n  {}\n", head(entry), label::one_line(&entry.content, LINE))
}

fn head(entry: &Entry) -> String {
    let mut facts = vec![entry.created_at.clone(), format!("id {}", entry.id)];
    if entry.status != "active" {
        facts.push(entry.status.clone());
    }
    if entry.conflict {
        facts.push("contested".to_owned());
    }
    facts.extend(entry.scope.as_deref().map(|scope| label::one_line(scope, LINE)));
    facts.push(who(&entry.session, entry.agent.as_deref()));
    format!("{} ({})", name(&entry.kind, entry.subject.as_deref()), facts.join(", "))
}

/// Whose a note or a change is.
fn who(session: &str, agent: Option<&str>) -> String {
    let session = label::one_line(session, 40);
    match agent {
        Some(agent) => format!("session {session}, agent {}", label::one_line(agent, 40)),
        None => format!("session {session}"),
    }
}

/// A change of a note, with the text before it where that was another one.
pub(super) fn change(change: &Change) -> String {
    let who = who(&change.session, change.agent.as_deref());
    let mut text = format!("{} {} by {who}\n", change.at, change.action);
    // The other actions leave the text as it is.
    let changes_text = matches!(change.action.as_str(), "edit" | "delete" | "restore" | "import");
    if let Some(before) = change.before.as_ref().filter(|_| changes_text) {
        text.push_str(&format!("  before:\n{}\n", indented(before, "    ")));
    }
    text
}

fn indented(text: &str, indent: &str) -> String {
    let lines: Vec<String> =
        label::lines(text).lines().map(|line| format!("{indent}{line}")).collect();
    lines.join("\n")
}

/// Up to three ids, one a line, then a count.
pub(super) fn ids(ids: &[String]) -> String {
    let mut lines: Vec<String> =
        ids.iter().take(NAMED).map(|id| format!("  - {}", label::one_line(id, LINE))).collect();
    if let Some(more @ 1..) = ids.len().checked_sub(NAMED) {
        lines.push(format!("  - and {more} more"));
    }
    lines.join("\n")
}

/// A store's failure as a sentence for a model, with what it can do.
pub(super) fn failure(error: &StoreError) -> String {
    if let StoreError::Refused(reason) = error {
        // The guard's own words, of which every line is ours.
        return reason.clone();
    }
    if let StoreError::NoSuchNote(id) = error {
        let id = label::quoted(id, LINE);
        return format!("there is no note {id}; cortex_list shows what there is");
    }
    if let StoreError::NoSuchSubject(subject) = error {
        let subject = label::quoted(subject, LINE);
        return format!("there is no active note on {subject}; cortex_list shows what there is");
    }
    if let StoreError::Ambiguous { subject, ids: all } = error {
        return format!(
            "{} contested notes are active on {}; name one of them by note_id:\n{}",
            all.len(),
            label::quoted(subject, LINE),
            ids(all)
        );
    }
    label::one_line(&error.to_string(), 400)
}
