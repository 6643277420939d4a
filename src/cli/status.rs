//! `ringfence status`: what of ours is on this machine, short.

use serde_json::json;

use super::Answer;
use super::args::StatusArgs;
use super::install::refused;
use super::{off, output, screen, stores};
use crate::guard::label;
use crate::state::State;
use crate::sys::clock;
use crate::wiring::change;
use crate::wiring::owned::{self, Owned};
use crate::wiring::table::Places;

pub(crate) fn run(args: &StatusArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    let owned = owned::look_at(&places);
    let stores = stores::found(&places);
    let state = State::at(&places.dirs.state);
    let pauses = state.pauses(clock::now_ms());
    let everything = pauses.iter().find(|pause| pause.project.is_none());
    // The client shows nothing of a change that was held back: here it is seen.
    let installed = !owned.is_empty();
    let loose = installed.then(|| change::standing(&places)).flatten();
    if args.json {
        output::json(&json!({
            "version": 1,
            "program": places.binary,
            "release": env!("CARGO_PKG_VERSION"),
            "not_asked": loose.as_ref().map(|loose| json!({"said": loose.said, "mend": loose.mend})),
            "off_until": everything.map(|pause| clock::rfc3339(pause.until)),
            "off_projects": pauses.iter().filter_map(|pause| {
                let project = pause.project.as_ref()?;
                Some(json!({"project": project, "until": clock::rfc3339(pause.until)}))
            }).collect::<Vec<_>>(),
            "owned": owned.iter().map(document).collect::<Vec<_>>(),
            "pending": state.waiting(),
            "stores": stores.iter().map(|store| json!({
                "family": store.family,
                "path": store.path,
                "doubt": store.doubt,
            })).collect::<Vec<_>>(),
        }));
        return Ok(Answer::Yes);
    }
    let mut lines =
        format!("program   {} {}\n", output::place(&places.binary), env!("CARGO_PKG_VERSION"));
    for one in &owned {
        lines.push_str(&line(one));
    }
    if !owned.iter().any(|one| one.kind == owned::ENTRIES) {
        lines.push_str("entries   none: not installed\n");
    }
    if let Some(loose) = &loose {
        let told = format!("not asked {}; to mend it: {}", loose.said, loose.mend);
        lines.push_str(&(label::one_line(&told, usize::MAX) + "\n"));
    }
    for store in &stores {
        let doubt = store.doubt.as_ref().map_or_else(String::new, |doubt| format!(", {doubt}"));
        let path = label::one_line(&store.path, usize::MAX);
        lines.push_str(&format!("store     {path} ({}{doubt})\n", store.family));
    }
    if let waiting @ 1.. = state.waiting() {
        lines.push_str(&format!("pending   {waiting} refused to subagents (ringfence pending)\n"));
    }
    if everything.is_none() {
        lines.push_str("guard     on\n");
    }
    for pause in &pauses {
        lines.push_str(&format!("guard     {}\n", off::words(pause)));
    }
    output::data(&lines);
    Ok(Answer::Yes)
}

/// Columns of the word before each line.
const LABEL: usize = 10;

fn line(one: &Owned) -> String {
    let place = format!("{} ({})", output::place(&one.path), one.what);
    format!("{:<8}  {}\n", one.kind, screen::hanging(&place, LABEL))
}

fn document(one: &Owned) -> serde_json::Value {
    json!({"kind": one.kind, "path": one.path, "what": one.what})
}
