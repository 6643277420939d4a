//! `ringfence restore-memory ID --from SNAPSHOT`: one note as a snapshot has it, in our store or in
//! Cortex's.

use serde_json::json;

use super::Answer;
use super::failure::Failure;
use super::install::refused;
use super::memory::{Here, explain};
use super::restore_memory::print;
use super::snapshot::named;
use super::{output, stores};
use crate::guard::label::{label, one_line};
use crate::memory::Family;
use crate::memory::store::native::{Reader, StoreError};
use crate::memory::store::snapshot::{Shelf, Snapshot, When, note_of, put_back, restore_to};
use crate::sys::child::Scratch;
use crate::wiring::table::Places;

pub(super) fn run(id: &str, name: &str, yes: bool, json: bool) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    let (shelf, snapshot) = named(&stores::machine(&places).shelves(), name)?;
    // Cortex's items carry their table's name.
    let id = id.strip_prefix("notes:").filter(|_| shelf.family() == Family::Cortex).unwrap_or(id);
    let missing = || {
        let shown = one_line(id, 80);
        Failure::no(format!("the snapshot `{name}` has no memory `{shown}`"))
            .hint(format!("ringfence snapshot diff {name}"))
    };
    let side = note_of(&snapshot, id).map_err(explain)?.ok_or_else(missing)?;
    if !yes {
        if json {
            output::json(&json!({
                "version": 1, "id": id, "outcome": "preview", "changed": false,
                "item": {"id": side.id, "kind": side.kind, "subject": side.subject,
                         "content": side.content, "status": side.status, "conflict": side.contested},
            }));
        } else {
            let name = label(&side.kind, side.subject.as_deref());
            output::data(&format!(
                "{name} ({}), {}\n",
                one_line(id, 80),
                one_line(&side.status, 40)
            ));
            output::data(&format!("{}\n", output::plain_text(&side.content)));
            output::talk("nothing was changed; --yes puts it back");
        }
        return Ok(Answer::Yes);
    }
    match shelf.family() {
        Family::Native => ours(&snapshot, id, json),
        Family::Cortex => cortexs(&shelf, &snapshot, id, json),
    }
}

fn ours(snapshot: &Snapshot, id: &str, json: bool) -> anyhow::Result<Answer> {
    // It may be of an older schema, and snapshots are never changed.
    let scratch = Scratch::new()?;
    let copy = scratch.path().join("memory.db");
    restore_to(Family::Native, snapshot, &copy).map_err(explain)?;
    let missing = || explain(StoreError::NoSuchNote(id.to_owned()));
    let reader = Reader::open(&copy).map_err(explain)?.ok_or_else(missing)?;
    let then = reader.entry(id).map_err(explain)?;
    let here = Here::find()?;
    let author = here.author(None);
    let restored = here.writer()?.put_back(then, &author).map_err(explain)?;
    print(&restored, json)?;
    Ok(Answer::Yes)
}

fn cortexs(shelf: &Shelf, snapshot: &Snapshot, id: &str, json: bool) -> anyhow::Result<Answer> {
    // Cortex keeps no history of what is overwritten.
    if let Err(error) = shelf.take(When::Changed) {
        output::warning(&format!("no copy was made of what is there: {error}"));
    }
    let done = put_back(snapshot, shelf.store(), id).map_err(explain)?;
    if json {
        output::json(&json!({
            "version": 1, "id": id, "changed": done.rows > 0, "was_deleted": done.was_gone,
        }));
    } else {
        let store = one_line(&shelf.store().to_string_lossy(), 300);
        output::data(&format!("restored {} in `{store}`\n", one_line(id, 80)));
    }
    Ok(Answer::Yes)
}
