//! `ringfence pending`, `accept`, `drop`: what subagents were refused to write, and what becomes of it.

use std::path::Path;

use serde::Serialize;

use super::Answer;
use super::failure::Failure;
use super::memory::{Here, explain, not_blank};
use super::memory_args::{AcceptArgs, DropArgs, PendingArgs};
use super::note::draft_of;
use super::output;
use crate::guard::label::{label, one_line};
use crate::memory::note::UNKNOWN_AGENT;
use crate::memory::store::native::{StoreError, Which};
use crate::state::{Proposal, State};

/// What `--json` prints.
#[derive(Serialize)]
struct Document {
    version: u8,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    number: u64,
    #[serde(flatten)]
    proposal: Proposal,
}

/// What `accept --json` and `drop --json` print.
#[derive(Serialize)]
struct DecidedDocument {
    version: u8,
    decided: Vec<Decided>,
}

#[derive(Serialize)]
struct Decided {
    number: u64,
    /// `accepted` or `dropped`.
    outcome: &'static str,
    /// The id of the memory that was written or changed.
    id: Option<String>,
}

pub(crate) fn run(args: &PendingArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let waiting = here.proposals(args.all);
    if args.json {
        let item = |proposal: Proposal| Item { number: proposal.number, proposal };
        let items = waiting.into_iter().map(item).collect();
        output::document(&Document { version: 1, items })?;
        return Ok(Answer::Yes);
    }
    if waiting.is_empty() {
        output::talk("nothing that a subagent was refused waits here");
    }
    for proposal in &waiting {
        output::data(&shown(proposal));
    }
    Ok(Answer::Yes)
}

/// A proposal in a few lines.
fn shown(proposal: &Proposal) -> String {
    let by = match &proposal.agent {
        Some(agent) if agent == UNKNOWN_AGENT => "an agent that is not known".to_owned(),
        Some(agent) => format!("agent {}", one_line(agent, 40)),
        None => "a client that a subagent started".to_owned(),
    };
    let mut text = format!(
        "{}  {} by {by} of {} at {}\n",
        proposal.number,
        name(proposal),
        one_line(&proposal.session, 40),
        one_line(&proposal.at, 30)
    );
    for line in proposal.text.iter().flat_map(|text| text.lines()) {
        text.push_str(&format!("  | {}\n", output::plain_text(line)));
    }
    for alternative in &proposal.alternatives {
        text.push_str(&format!("  alternative: {}\n", one_line(alternative, 200)));
    }
    if proposal.family == "cortex" {
        text.push_str("  for Cortex's store, which only Cortex writes\n");
    }
    text
}

fn name(proposal: &Proposal) -> String {
    let id = proposal.target.as_deref().map(|id| one_line(id, 80));
    let subject = proposal.subject.as_deref();
    match (proposal.action.as_str(), id) {
        ("note", _) => label(proposal.kind.as_deref().unwrap_or("note"), subject),
        (action, Some(id)) => format!("{action} of {id}"),
        (action, None) => format!("{action} of {}", label("the note on", subject)),
    }
}

/// Takes in what a subagent was refused; at the first that cannot be, the rest waits on.
pub(crate) fn accept(args: &AcceptArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let mut decided = Vec::new();
    for number in &args.numbers {
        let proposal = find(&here, *number)?;
        if proposal.family == "cortex" {
            return Err(for_cortex(&proposal));
        }
        if !here.is_project_of(Path::new(&proposal.cwd)) {
            let cwd = one_line(&proposal.cwd, 200);
            return Err(Failure::no(format!("proposal {number} belongs to another project"))
                .hint(format!("cd {cwd}"))
                .into());
        }
        if !here.state().decide(*number, "accepted") {
            return Err(gone(*number));
        }
        match write(&here, &proposal) {
            Ok(id) => decided.push(Decided { number: *number, outcome: "accepted", id: Some(id) }),
            Err(error) => {
                here.state().undecide(*number, "accepted");
                return Err(error);
            }
        }
    }
    print(decided, args.json)
}

/// Throws away what a subagent was refused.
pub(crate) fn drop(args: &DropArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let mut decided = Vec::new();
    for number in &args.numbers {
        find(&here, *number)?;
        if !here.state().decide(*number, "dropped") {
            return Err(gone(*number));
        }
        decided.push(Decided { number: *number, outcome: "dropped", id: None });
    }
    print(decided, args.json)
}

fn print(decided: Vec<Decided>, json: bool) -> anyhow::Result<Answer> {
    if json {
        output::document(&DecidedDocument { version: 1, decided })?;
        return Ok(Answer::Yes);
    }
    for one in &decided {
        let id = one.id.as_ref().map_or_else(String::new, |id| format!(": {}", one_line(id, 80)));
        output::data(&format!("{} {}{id}\n", one.outcome, one.number));
    }
    Ok(Answer::Yes)
}

fn find(here: &Here, number: u64) -> anyhow::Result<Proposal> {
    let all: &State = here.state();
    let found = all.proposals().into_iter().find(|proposal| proposal.number == number);
    found.ok_or_else(|| gone(number))
}

fn gone(number: u64) -> anyhow::Error {
    Failure::no(format!("no proposal {number} waits")).hint("ringfence pending --all").into()
}

/// Cortex's store is Cortex's: what to run instead.
fn for_cortex(proposal: &Proposal) -> anyhow::Error {
    let number = proposal.number;
    let quoted = |text: &str| shell_words::quote(text).into_owned();
    let target = proposal.target.as_deref().map(quoted);
    let text = proposal.text.as_deref().map(quoted);
    let hint = match (proposal.action.as_str(), target, text) {
        ("edit", Some(id), Some(text)) => format!("cortex edit-memory {id} --text {text}"),
        ("resolve", Some(id), None) => format!("cortex note-resolve --id {id}"),
        _ => format!(
            "let the parent call its memory tool with what `ringfence pending` shows, then ringfence drop {number}"
        ),
    };
    Failure::no(format!("proposal {number} is for Cortex's store, which only Cortex writes"))
        .hint(one_line(&hint, 1_000))
        .into()
}

/// Does what was refused, in the name of the conversation that it comes from; the id of the memory.
fn write(here: &Here, proposal: &Proposal) -> anyhow::Result<String> {
    let mut author = here.author(Some(&proposal.session));
    author.scope.clone_from(&proposal.scope);
    let id = proposal.target.clone().unwrap_or_default();
    let text = proposal.text.clone().unwrap_or_default();
    let mut writer = match proposal.action.as_str() {
        "note" => {
            let kind = proposal.kind.as_deref().unwrap_or_default();
            let draft = draft_of(kind, &text, proposal.subject.as_deref(), &proposal.alternatives)?;
            return Ok(here.writer()?.note(&draft, &author).map_err(explain)?.id);
        }
        _ => here.changer(StoreError::NoSuchNote(id.clone()))?,
    };
    if proposal.action == "edit" {
        not_blank(&text)?;
        return Ok(writer.edit(&id, &text, &author).map_err(explain)?.before.id);
    }
    let which = match (&proposal.target, &proposal.subject) {
        (Some(id), _) => Which::Id(id),
        (None, subject) => Which::Subject(subject.as_deref().unwrap_or_default()),
    };
    // As Cortex: any other word means resolved.
    let superseded = proposal.status.as_deref() == Some("superseded");
    let status = if superseded { "superseded" } else { "resolved" };
    if proposal.text.is_some() {
        let (_, written) = writer.replace(which, status, &text, &author).map_err(explain)?;
        return Ok(written.id);
    }
    Ok(writer.resolve(which, status, &author).map_err(explain)?.before.id)
}
