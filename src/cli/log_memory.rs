//! `ringfence log-memory`: who did what to which note.

use serde::Serialize;

use super::Answer;
use super::memory::{Here, explain};
use super::memory_args::LogMemoryArgs;
use super::output;
use super::show_memory::{ChangeItem, by, change_item};
use crate::guard::label::{label, one_line};
use crate::memory::store::native::Logged;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'l> {
    version: u8,
    changes: Vec<ChangeOfNote<'l>>,
}

#[derive(Serialize)]
struct ChangeOfNote<'l> {
    id: &'l str,
    kind: Option<&'l str>,
    subject: Option<&'l str>,
    #[serde(flatten)]
    change: ChangeItem<'l>,
}

pub(crate) fn run(args: &LogMemoryArgs) -> anyhow::Result<Answer> {
    let changes = match Here::find()?.reader()? {
        Some(reader) => reader.log(args.lines, args.session.as_deref()).map_err(explain)?,
        None => Vec::new(),
    };
    if args.json {
        let changes = changes.iter().map(of_note).collect();
        output::document(&Document { version: 1, changes })?;
        return Ok(Answer::Yes);
    }
    if changes.is_empty() {
        output::talk("nothing was written here yet");
    }
    output::data(&changes.iter().map(line).collect::<String>());
    Ok(Answer::Yes)
}

fn of_note(logged: &Logged) -> ChangeOfNote<'_> {
    ChangeOfNote {
        id: &logged.note,
        kind: logged.kind.as_deref(),
        subject: logged.subject.as_deref(),
        change: change_item(&logged.change),
    }
}

fn line(logged: &Logged) -> String {
    let name = match &logged.kind {
        Some(kind) => label(kind, logged.subject.as_deref()),
        None => "note".to_owned(),
    };
    let change = &logged.change;
    let id = one_line(&logged.note, 80);
    format!("{} {:<9} {name} ({id}) {}\n", change.at, change.action, by(change))
}
