//! `ringfence note`.

use serde::Serialize;

use super::Answer;

use super::failure::Failure;
use super::memory::{Here, explain, not_blank, one_of};
use super::memory_args::NoteArgs;
use super::output;
use crate::memory::note::{KINDS, needs_subject};
use crate::memory::store::native::{Draft, Written};
use crate::memory::subject;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'w> {
    version: u8,
    id: &'w str,
    superseded: &'w [String],
    contested: &'w [String],
}

pub(crate) fn run(args: &NoteArgs) -> anyhow::Result<Answer> {
    let draft = draft_of(&args.kind, &args.text, args.subject.as_deref(), &args.alternatives)?;
    if args.session.as_deref().is_some_and(|session| session.trim().is_empty()) {
        return Err(Failure::usage("the session is blank").into());
    }
    let here = Here::find()?;
    let author = here.author(args.session.as_deref());
    let written = here.writer()?.note(&draft, &author).map_err(explain)?;
    print(&written, args.json)?;
    Ok(Answer::Yes)
}

/// A note as it may be written.
///
/// # Errors
/// A usage failure when its kind is unknown, its text is blank, or the subject that its kind needs is
/// missing.
pub(super) fn draft_of(
    kind: &str,
    text: &str,
    subject: Option<&str>,
    alternatives: &[String],
) -> anyhow::Result<Draft> {
    one_of("kind of note", kind, KINDS)?;
    not_blank(text)?;
    let subject = subject.filter(|given| subject::normalise(given).is_some());
    if subject.is_none() && needs_subject(kind) {
        let article = if kind == "intent" { "an" } else { "a" };
        return Err(Failure::usage(format!("{article} {kind} needs a subject"))
            .hint(format!("ringfence note {kind} TEXT --subject 'retry ceiling'"))
            .into());
    }
    Ok(Draft {
        kind: kind.to_owned(),
        subject: subject.map(str::to_owned),
        content: text.to_owned(),
        alternatives: alternatives.to_vec(),
    })
}

fn print(written: &Written, json: bool) -> anyhow::Result<()> {
    let Written { id, superseded, contested } = written;
    if json {
        return output::document(&Document { version: 1, id, superseded, contested });
    }
    output::data(&format!("{id}\n"));
    for old in superseded {
        output::talk(&format!("superseded: {old}"));
    }
    for other in contested {
        output::talk(&format!("contested: {other} says the opposite; both stay active"));
    }
    Ok(())
}
