//! The audit's arm: when a session starts, one sentence to the person if its memory cannot be written.

use std::path::Path;

use crate::audit::gather::{self, Question, canonical};
use crate::audit::report::Report;
use crate::facts::{Machine, Setup};
use crate::guard::label;
use crate::memory::Family;
use crate::payload;
use crate::request::Caller;
use crate::sys::env;
use crate::wiring::change;

use super::line::Line;
use super::{config_change, lifecycle};

/// The longest sentence, in characters: a path in it may be anything.
const LONGEST: usize = 1_000;

/// The sentence; `None` when all is well or nothing can be told.
pub(super) fn sentence(raw: &[u8], line: &Line, cwd: &str) -> Option<String> {
    let dirs = line.dirs()?;
    let transcript = payload::text_at(raw, "transcript_path").map(Into::into);
    let places = config_change::places(line, dirs.clone(), transcript.as_ref(), cwd)?;
    let machine = Machine::new(Setup {
        state: line.state(&dirs),
        dirs,
        stores: line.stores.clone(),
        cortex_homes: line.cortex_homes.clone(),
        caller: Caller::default(),
        cwd: cwd.to_owned(),
        project: env::var("CLAUDE_PROJECT_DIR"),
        call_id: None,
        client: Some(places.client.clone()),
        config: None,
    });
    let stores: Vec<_> = [Family::Native, Family::Cortex]
        .into_iter()
        .flat_map(|family| machine.store_files(family).into_iter().map(move |path| (family, path)))
        .collect();
    let files = change::files_of(&places, lifecycle::client().map(|client| client.pid));
    let cwd = canonical(Path::new(cwd))?;
    let mut report = Report::default();
    gather::audit(
        &mut report,
        &Question { places: &places, files: &files, stores: &stores, cwd: &cwd },
    );
    report.sentence().map(|sentence| format!("Ringfence: {}", label::one_line(&sentence, LONGEST)))
}
