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
    let draft = draft(args)?;
    if args.session.as_deref().is_some_and(|session| session.trim().is_empty()) {
        return Err(Failure::usage("the session is blank").into());
    }
    let here = Here::find()?;
    let author = here.author(args.session.as_deref());
    let written = here.writer()?.note(&draft, &author).map_err(explain)?;
    print(&written, args.json)?;
    Ok(Answer::Yes)
}

fn draft(args: &NoteArgs) -> anyhow::Result<Draft> {
    one_of("kind of note", &args.kind, KINDS)?;
    not_blank(&args.text)?;
    let subject = args.subject.clone().filter(|given| subject::normalise(given).is_some());
    if subject.is_none() && needs_subject(&args.kind) {
        let article = if args.kind == "intent" { "an" } else { "a" };
        return Err(Failure::usage(format!("{article} {} needs a subject", args.kind))
            .hint(format!("ringfence note {} TEXT --subject 'retry ceiling'", args.kind))
            .into());
    }
    Ok(Draft {
        kind: args.kind.clone(),
        subject,
        content: args.text.clone(),
        alternatives: args.alternatives.clone(),
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
