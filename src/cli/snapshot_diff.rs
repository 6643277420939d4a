//! `ringfence snapshot diff`: which notes differ, a line a note.

use std::path::Path;

use serde::Serialize;

use super::Answer;
use super::failure::Failure;
use super::memory::explain;
use super::memory_args::SnapshotDiffArgs;
use super::snapshot::named;
use super::{output, stores};
use crate::guard::label::{label, one_line};
use crate::memory::store::snapshot::{Difference, Fields, Shelf, Side, difference};
use crate::wiring::table::Places;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'d> {
    version: u8,
    store: String,
    /// The earlier snapshot's name; null = the store itself.
    from: Option<&'d str>,
    /// The later one's.
    to: Option<&'d str>,
    added: Vec<Item>,
    removed: Vec<Item>,
    changed: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    id: String,
    kind: String,
    subject: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Fields,
}

pub(super) fn run(places: &Places, args: &SnapshotDiffArgs, json: bool) -> anyhow::Result<Answer> {
    let shelves = stores::machine(places).shelves();
    let (shelf, from) = match &args.from {
        Some(name) => named(&shelves, name)?,
        None => newest(&shelves)?,
    };
    let json = json || args.json;
    let Some(to) = &args.to else {
        print(&shelf, &from.path, shelf.store(), (Some(&from.name), None), json)?;
        return Ok(Answer::Yes);
    };
    let (other, to) = named(&shelves, to)?;
    if other != shelf {
        return Err(Failure::usage("the two snapshots are of different stores")
            .hint("ringfence snapshot list")
            .into());
    }
    print(&shelf, &from.path, &to.path, (Some(&from.name), Some(&to.name)), json)?;
    Ok(Answer::Yes)
}

/// The newest snapshot, where it is clear of which store.
fn newest(shelves: &[Shelf]) -> anyhow::Result<(Shelf, crate::memory::store::snapshot::Snapshot)> {
    let mut found = shelves.iter().filter_map(|shelf| Some((shelf.clone(), shelf.newest()?)));
    let hint = "ringfence snapshot list";
    let first =
        found.next().ok_or_else(|| Failure::no("no snapshot here").hint("ringfence snapshot"))?;
    match found.next() {
        None => Ok(first),
        Some(_) => Err(Failure::usage("several stores have snapshots, so one must be named")
            .hint(hint)
            .into()),
    }
}

/// Prints how the state at `to` differs from the one at `from`; `names` are those of snapshots.
pub(super) fn print(
    shelf: &Shelf,
    from: &Path,
    to: &Path,
    names: (Option<&str>, Option<&str>),
    json: bool,
) -> anyhow::Result<()> {
    let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = String::new();
    difference(shelf.family(), from, to, |one| {
        if !json {
            lines.push_str(&line(&one));
            return;
        }
        match one {
            Difference::Added(side) => added.push(item(side, Vec::new())),
            Difference::Removed(side) => removed.push(item(side, Vec::new())),
            Difference::Changed(side, fields) => changed.push(item(side, fields)),
        }
    })
    .map_err(explain)?;
    if json {
        let store = shelf.store().to_string_lossy().into_owned();
        let (from, to) = names;
        return output::document(&Document {
            version: 1,
            store,
            from,
            to,
            added,
            removed,
            changed,
        });
    }
    if lines.is_empty() {
        output::talk("no note differs");
    }
    output::data(&lines);
    Ok(())
}

fn item(side: Side, fields: Fields) -> Item {
    Item { id: side.id, kind: side.kind, subject: side.subject, fields }
}

fn line(one: &Difference) -> String {
    let name = |side: &Side| {
        let id = one_line(&side.id, 80);
        format!("{} ({id})", label(&side.kind, side.subject.as_deref()))
    };
    match one {
        Difference::Added(side) => format!("+ {}\n", name(side)),
        Difference::Removed(side) => format!("- {}\n", name(side)),
        Difference::Changed(side, fields) => format!("~ {}: {}\n", name(side), fields.join(", ")),
    }
}
