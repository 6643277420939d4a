//! `ringfence restore-memory`: what is there now stays in the history.

use serde::Serialize;

use super::Answer;
use super::memory::{Here, Item, explain, name};
use super::memory_args::RestoreMemoryArgs;
use super::{output, restore_from, when};
use crate::memory::store::native::{Restored, StoreError};

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'r> {
    version: u8,
    id: &'r str,
    changed: bool,
    was_deleted: bool,
    rivals: &'r [String],
    item: Item<'r>,
}

pub(crate) fn run(args: &RestoreMemoryArgs) -> anyhow::Result<Answer> {
    if let Some(snapshot) = &args.from {
        return restore_from::run(&args.id, snapshot, args.yes, args.json);
    }
    let at = args.at.as_deref().map(when::parse).transpose()?;
    let here = Here::find()?;
    let author = here.author(None);
    let restored = here
        .changer(StoreError::NoSuchNote(args.id.clone()))?
        .restore(&args.id, at.as_deref(), &author)
        .map_err(explain)?;
    print(&restored, args.json)?;
    Ok(Answer::Yes)
}

/// Prints what a restore did.
pub(super) fn print(restored: &Restored, json: bool) -> anyhow::Result<()> {
    let Restored { entry, was_deleted, changed, rivals } = restored;
    if json {
        return output::document(&Document {
            version: 1,
            id: &entry.id,
            changed: *changed,
            was_deleted: *was_deleted,
            rivals,
            item: Item::from(entry),
        });
    }
    let did = if *changed { "restored" } else { "nothing to change:" };
    output::data(&format!("{did} {} ({})\n", name(entry), entry.id));
    for rival in rivals {
        output::talk(&format!("also active on this subject: {rival}"));
    }
    Ok(())
}
