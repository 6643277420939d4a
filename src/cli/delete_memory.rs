//! `ringfence delete-memory`: without `--yes` it only shows what would go.

use super::Answer;

use super::memory::{ChangeDocument, Here, Item, explain, name, report};
use super::memory_args::DeleteMemoryArgs;
use super::output;
use crate::memory::store::native::{Entry, StoreError};

pub(crate) fn run(args: &DeleteMemoryArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    if !args.yes {
        let missing = || explain(StoreError::NoSuchNote(args.id.clone()));
        let entry = here.reader()?.ok_or_else(missing)?.entry(&args.id).map_err(explain)?;
        preview(&entry, args.json)?;
        return Ok(Answer::Yes);
    }
    let author = here.author(None);
    let changed = here
        .changer(StoreError::NoSuchNote(args.id.clone()))?
        .delete(&args.id, &author)
        .map_err(explain)?;
    report(&changed, "deleted", args.json)?;
    Ok(Answer::Yes)
}

fn preview(entry: &Entry, json: bool) -> anyhow::Result<()> {
    let id = &entry.id;
    if json {
        return output::document(&ChangeDocument {
            version: 1,
            id,
            outcome: "preview",
            changed: false,
            settled: &[],
            item: Some(Item::from(entry)),
        });
    }
    output::data(&format!("{} ({id})\n{}\n", name(entry), output::plain_text(&entry.content)));
    output::talk(&format!("nothing was deleted; ringfence delete-memory {id} --yes deletes it"));
    Ok(())
}
