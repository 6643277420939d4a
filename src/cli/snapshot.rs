//! `ringfence snapshot`: copies of this project's stores, ours and Cortex's.

use std::path::Path;

use serde::Serialize;

use super::Answer;
use super::failure::Failure;
use super::install::refused;
use super::memory::explain;
use super::memory_args::{SnapshotArgs, SnapshotCommand, SnapshotRestoreArgs};
use super::{output, snapshot_diff, stores};
use crate::guard::label::one_line;
use crate::memory::store::snapshot::{
    InPlace, Outcome, Shelf, Snapshot, When, restore_in_place, restore_to,
};
use crate::sys::{clock, env, file};
use crate::wiring::table::Places;

/// A snapshot as `--json` shows it.
#[derive(Serialize)]
struct Item {
    name: String,
    family: &'static str,
    store: String,
    at: String,
    bytes: u64,
}

#[derive(Serialize)]
struct ListDocument {
    version: u8,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct TakenDocument {
    version: u8,
    /// `taken`, `kept`.
    stores: Vec<TakenItem>,
}

#[derive(Serialize)]
struct TakenItem {
    outcome: &'static str,
    #[serde(flatten)]
    item: Item,
}

#[derive(Serialize)]
struct RestoredDocument<'r> {
    version: u8,
    name: &'r str,
    file: String,
    /// Where the damaged store lies now.
    moved_aside: Option<String>,
}

pub(crate) fn run(args: &SnapshotArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    match &args.command {
        None => take(&places, args.json),
        Some(SnapshotCommand::List(list)) => print_list(&places, list.json || args.json),
        Some(SnapshotCommand::Diff(diff)) => snapshot_diff::run(&places, diff, args.json),
        Some(SnapshotCommand::Restore(restore)) => bring_back(&places, restore, args.json),
    }
}

fn item(shelf: &Shelf, snapshot: &Snapshot) -> Item {
    Item {
        name: snapshot.name.clone(),
        family: shelf.family().as_str(),
        store: shelf.store().to_string_lossy().into_owned(),
        at: clock::rfc3339(snapshot.at_ms),
        bytes: snapshot.size,
    }
}

fn take(places: &Places, json: bool) -> anyhow::Result<Answer> {
    let mut done = Vec::new();
    let taken = stores::machine(places).take_snapshots(When::Changed);
    if taken.is_empty() {
        return Err(Failure::no("there is no memory store for this directory")
            .hint("ringfence status")
            .into());
    }
    let mut failed = false;
    for one in taken {
        let store = one_line(&one.shelf.store().to_string_lossy(), 300);
        match one.outcome {
            Ok(Outcome::Taken(snapshot)) => done.push(("taken", item(&one.shelf, &snapshot))),
            Ok(Outcome::Kept(snapshot)) => done.push(("kept", item(&one.shelf, &snapshot))),
            Ok(Outcome::TooLarge | Outcome::Busy) => {
                output::warning(&format!("`{store}` is being copied by another process"));
            }
            Err(error) => {
                failed = true;
                output::warning(&format!("`{store}` was not copied: {error}"));
            }
        }
    }
    if json {
        let stores = done.into_iter().map(|(outcome, item)| TakenItem { outcome, item }).collect();
        output::document(&TakenDocument { version: 1, stores })?;
    } else {
        for (outcome, item) in done {
            output::data(&format!("{}\n", item.name));
            if outcome == "kept" {
                let store = one_line(&item.store, 300);
                output::talk(&format!("nothing was changed in `{store}` since then"));
            }
        }
    }
    Ok(if failed { Answer::No } else { Answer::Yes })
}

fn print_list(places: &Places, json: bool) -> anyhow::Result<Answer> {
    let shelves = stores::machine(places).shelves();
    if json {
        let items = shelves
            .iter()
            .flat_map(|shelf| shelf.snapshots().into_iter().map(|one| item(shelf, &one)))
            .collect();
        output::document(&ListDocument { version: 1, items })?;
        return Ok(Answer::Yes);
    }
    let mut lines = String::new();
    for shelf in &shelves {
        for snapshot in shelf.snapshots() {
            let store = one_line(&shelf.store().to_string_lossy(), 300);
            lines.push_str(&format!("{}  {}  {store}\n", snapshot.name, size(snapshot.size)));
        }
    }
    if lines.is_empty() {
        output::talk("no snapshot here");
    }
    output::data(&lines);
    Ok(Answer::Yes)
}

fn size(bytes: u64) -> String {
    format!("{:>7} KiB", bytes.div_ceil(1024))
}

/// The snapshot of this name, among those of this directory's stores.
pub(super) fn named(shelves: &[Shelf], name: &str) -> anyhow::Result<(Shelf, Snapshot)> {
    let mut found = shelves.iter().flat_map(|shelf| {
        shelf.snapshots().into_iter().map(move |snapshot| (shelf.clone(), snapshot))
    });
    let shown = one_line(name, 80);
    let first = found.by_ref().find(|(_, snapshot)| snapshot.name == name);
    let first = first.ok_or_else(|| {
        Failure::no(format!("there is no snapshot `{shown}` of this directory's stores"))
            .hint("ringfence snapshot list")
    })?;
    if found.any(|(_, snapshot)| snapshot.name == name) {
        return Err(Failure::no(format!("two stores have a snapshot `{shown}`"))
            .hint("ringfence snapshot list")
            .into());
    }
    Ok(first)
}

fn bring_back(places: &Places, args: &SnapshotRestoreArgs, json: bool) -> anyhow::Result<Answer> {
    let shelves = stores::machine(places).shelves();
    let (shelf, snapshot) = named(&shelves, &args.name)?;
    if args.in_place && !args.yes {
        return preview(&shelf, &snapshot, args.json || json);
    }
    let (path, moved_aside) = if args.in_place {
        (shelf.store().to_owned(), in_place(&shelf, &snapshot)?)
    } else {
        let name = format!("{}.db", snapshot.name);
        let here = env::current_dir().unwrap_or_default();
        let to = here.join(args.to.as_deref().unwrap_or(Path::new(&name)));
        restore_to(shelf.family(), &snapshot, &to).map_err(explain)?;
        (to, None)
    };
    let path = path.to_string_lossy();
    if args.json || json {
        output::document(&RestoredDocument {
            version: 1,
            name: &snapshot.name,
            file: path.into_owned(),
            moved_aside,
        })?;
        return Ok(Answer::Yes);
    }
    output::data(&format!("restored {} to `{}`\n", snapshot.name, one_line(&path, 300)));
    if let Some(aside) = moved_aside {
        output::talk(&format!("the damaged store is `{}`", one_line(&aside, 300)));
    }
    Ok(Answer::Yes)
}

/// Replaces the store, of which a copy is made first; where the damaged one went, if it was.
fn in_place(shelf: &Shelf, snapshot: &Snapshot) -> anyhow::Result<Option<String>> {
    if file::exists(shelf.store())
        && let Err(error) = shelf.take(When::Changed)
    {
        output::warning(&format!("no copy was made of what is there: {error}"));
    }
    let done = restore_in_place(shelf, snapshot).map_err(explain)?;
    Ok(match done {
        InPlace::Overwritten | InPlace::Made => None,
        InPlace::MovedAside(path) => Some(path.to_string_lossy().into_owned()),
    })
}

fn preview(shelf: &Shelf, snapshot: &Snapshot, json: bool) -> anyhow::Result<Answer> {
    if file::exists(shelf.store()) {
        snapshot_diff::print(
            shelf,
            shelf.store(),
            &snapshot.path,
            (None, Some(&snapshot.name)),
            json,
        )?;
    }
    let name = &snapshot.name;
    output::talk(&format!(
        "nothing was replaced; ringfence snapshot restore {name} --in-place --yes replaces the store"
    ));
    Ok(Answer::Yes)
}
