//! `ringfence show-memory`.

use serde::Serialize;

use super::Answer;

use super::memory::{Here, Item, explain};
use super::memory_args::ShowMemoryArgs;
use super::output;
use crate::guard::label::one_line;
use crate::memory::store::native::{Change, Entry, StoreError};

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'e> {
    version: u8,
    #[serde(flatten)]
    item: Item<'e>,
    alternatives: &'e [String],
    history: Vec<ChangeItem<'e>>,
}

/// A change as `--json` shows it.
#[derive(Serialize)]
pub(super) struct ChangeItem<'c> {
    at: &'c str,
    action: &'c str,
    before: Option<&'c str>,
    session: &'c str,
    agent: Option<&'c str>,
    tool_use_id: Option<&'c str>,
    pid: Option<u32>,
}

pub(crate) fn run(args: &ShowMemoryArgs) -> anyhow::Result<Answer> {
    let missing = || explain(StoreError::NoSuchNote(args.id.clone()));
    let reader = Here::find()?.reader()?.ok_or_else(missing)?;
    let history = reader.history(&args.id).map_err(explain)?;
    match reader.entry(&args.id) {
        Ok(entry) if args.json => output::document(&Document {
            version: 1,
            item: Item::from(&entry),
            alternatives: &entry.alternatives,
            history: history.iter().map(change_item).collect(),
        })?,
        Ok(entry) => {
            output::data(&note(&entry));
            if args.history {
                output::data(&changes(&history));
            }
        }
        // What is left of a deleted note is its history.
        Err(StoreError::Deleted { .. }) if args.history && !args.json => {
            output::data(changes(&history).trim_start());
        }
        Err(error) => return Err(explain(error)),
    }
    Ok(Answer::Yes)
}

pub(super) fn change_item(change: &Change) -> ChangeItem<'_> {
    ChangeItem {
        at: &change.at,
        action: &change.action,
        before: change.before.as_deref(),
        session: &change.session,
        agent: change.agent.as_deref(),
        tool_use_id: change.tool_use_id.as_deref(),
        pid: change.pid,
    }
}

fn note(entry: &Entry) -> String {
    let contested = if entry.conflict { ", contested" } else { "" };
    let status = format!("{}{contested}", entry.status);
    let facts = [
        ("id", Some(entry.id.as_str())),
        ("kind", Some(entry.kind.as_str())),
        ("subject", entry.subject.as_deref()),
        ("status", Some(status.as_str())),
        ("session", Some(entry.session.as_str())),
        ("agent", entry.agent.as_deref()),
        ("scope", entry.scope.as_deref()),
        ("created", Some(entry.created_at.as_str())),
        ("updated", Some(entry.updated_at.as_str())),
    ];
    let mut text = String::new();
    for (name, value) in facts {
        if let Some(value) = value {
            text.push_str(&format!("{name:<9}{}\n", one_line(value, 300)));
        }
    }
    text.push_str(&format!("\n{}\n", output::plain_text(&entry.content)));
    if !entry.alternatives.is_empty() {
        text.push_str("\nalternatives:\n");
        for alternative in &entry.alternatives {
            text.push_str(&format!("- {}\n", one_line(alternative, 300)));
        }
    }
    text
}

fn changes(history: &[Change]) -> String {
    let mut text = String::from("\nhistory:\n");
    for change in history {
        text.push_str(&format!("{} {} {}\n", change.at, change.action, by(change)));
        for line in change.before.iter().flat_map(|before| before.lines()) {
            text.push_str(&format!("  | {}\n", output::plain_text(line)));
        }
    }
    text
}

/// Who made a change, as the end of a line.
pub(super) fn by(change: &Change) -> String {
    let mut by = format!("by {}", one_line(&change.session, 80));
    if let Some(agent) = &change.agent {
        by.push_str(&format!(", agent {}", one_line(agent, 80)));
    }
    if let Some(call) = &change.tool_use_id {
        by.push_str(&format!(", call {}", one_line(call, 80)));
    }
    if let Some(pid) = change.pid {
        by.push_str(&format!(", process {pid}"));
    }
    by
}
