//! The tools that change the store: `cortex_note` and `cortex_resolve`, with Cortex's outcomes.

use crate::guard::label;
use crate::memory::note::{KINDS, needs_subject};
use crate::memory::store::native::{Changed, Draft, Permit, Which, Writer, Written};

use super::arguments::Given;
use super::caller::Caller;
use super::message::Outcome;
use super::tools::LONGEST_SUBJECT;
use super::words;

/// A change as it was asked for, checked.
pub(super) enum Order<'a> {
    Note(Draft),
    Resolve { which: Which<'a>, status: &'a str, replacement: Option<&'a str> },
}

/// Reads the arguments of `cortex_note`.
pub(super) fn note<'a>(given: &Given<'a>) -> Result<Order<'a>, String> {
    let kind = given.one_of("kind", KINDS)?.ok_or("kind is missing")?;
    let content = given.required("content")?;
    let subject = given.short("subject", LONGEST_SUBJECT)?;
    if subject.is_none() && needs_subject(kind) {
        return Err(format!("subject is missing, and a note of kind {kind} needs one"));
    }
    Ok(Order::Note(Draft {
        kind: kind.to_owned(),
        subject: subject.map(str::to_owned),
        content: content.to_owned(),
        alternatives: given.texts("alternatives")?,
    }))
}

/// Reads the arguments of `cortex_resolve`.
pub(super) fn resolve<'a>(given: &Given<'a>) -> Result<Order<'a>, String> {
    let id = given.short("note_id", LONGEST_SUBJECT)?;
    let subject = given.short("subject", LONGEST_SUBJECT)?;
    let which = match (id, subject) {
        // As it is spelled: the guard has looked at that.
        (Some(id), _) => Which::Id(id),
        (None, Some(subject)) => Which::Subject(subject),
        (None, None) => return Err("note_id or subject is missing".to_owned()),
    };
    let status = given.one_of("status", &["resolved", "superseded"])?.unwrap_or("resolved");
    Ok(Order::Resolve { which, status, replacement: given.text("replacement")? })
}

/// Makes the change, if `permit` lets it.
pub(super) fn carry_out(
    order: &Order<'_>,
    writer: &mut Writer,
    permit: Option<Permit>,
    caller: &Caller,
) -> Result<Outcome, String> {
    let author = &caller.author;
    if let Some(permit) = permit {
        writer.only_if(permit);
    }
    let mut text = match order {
        Order::Note(draft) => {
            let written = writer.note(draft, author).map_err(|error| words::failure(&error))?;
            noted(draft, &author.at, &written)
        }
        Order::Resolve { which, status, replacement: None } => {
            let changed =
                writer.resolve(*which, status, author).map_err(|error| words::failure(&error))?;
            resolved(&changed, status)
        }
        Order::Resolve { which, status, replacement: Some(replacement) } => {
            let (changed, written) = writer
                .replace(*which, status, replacement, author)
                .map_err(|error| words::failure(&error))?;
            let mut text = resolved(&changed, status);
            text.push_str(&format!(
                "Replaced by {}: {}\n",
                written.id,
                words::preview(replacement)
            ));
            text.push_str(&retired(&written));
            text
        }
    };
    if !caller.is_proved() {
        text.push_str(&format!(
            "Nothing tells which agent made this call, so the session {} is written down, with the \
             agent as unknown.\n",
            label::quoted(&author.session, 60)
        ));
    }
    Ok(Outcome::done(text))
}

fn noted(draft: &Draft, at: &str, written: &Written) -> String {
    let mut text = format!(
        "Noted {} [{at}] {}\nid: {}\n",
        words::name(&draft.kind, draft.subject.as_deref()),
        words::preview(&draft.content),
        written.id
    );
    text.push_str(&retired(written));
    if !written.contested.is_empty() {
        text.push_str(&format!(
            "Contested: it contradicts {}, and all stay active until cortex_resolve ends one by \
             note_id:\n{}\n",
            counted(&written.contested, "active decision"),
            words::ids(&written.contested)
        ));
    }
    text
}

fn retired(written: &Written) -> String {
    if written.superseded.is_empty() {
        return String::new();
    }
    let ids = words::ids(&written.superseded);
    format!("Superseded {}:\n{ids}\n", counted(&written.superseded, "note"))
}

fn resolved(changed: &Changed, status: &str) -> String {
    let before = &changed.before;
    let name = words::name(&before.kind, before.subject.as_deref());
    let mut text = if changed.changed {
        format!("Marked as {status}: {name} ({})\n", before.id)
    } else {
        format!("Nothing to change: {name} ({}) is {status} already\n", before.id)
    };
    if !changed.settled.is_empty() {
        let ids = words::ids(&changed.settled);
        text.push_str(&format!("No longer contested:\n{ids}\n"));
    }
    text
}

fn counted(all: &[String], what: &str) -> String {
    if all.len() == 1 { format!("1 {what}") } else { format!("{} {what}s", all.len()) }
}
