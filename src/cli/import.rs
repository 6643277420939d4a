//! `ringfence import`: all or nothing; what is here already stays as it is.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Answer;
use super::failure::Failure;
use super::memory::{Here, explain};
use super::memory_args::ImportArgs;
use super::{output, stores};
use crate::guard::label::one_line;
use crate::memory::store::copy_cortex;
use crate::memory::store::native::{Import, Imported, Record, StoreError};
use crate::sys::child::Scratch;
use crate::sys::file;
use crate::sys::pieces::for_each_line;
use crate::wiring::table::Places;

/// The longest line of an export, in bytes: a text of a MiB, every byte of it escaped.
const MAX_LINE: u64 = 8 << 20;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'i> {
    version: u8,
    dry_run: bool,
    notes: u64,
    sessions: u64,
    changes: u64,
    known: u64,
    different: &'i [String],
    left_out: &'i [String],
}

pub(crate) fn run(args: &ImportArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let author = here.author(None);
    let source = source(args)?;
    let scratch = Scratch::new()?;
    let mut writer = if args.dry_run { here.trial(&scratch)? } else { here.writer()? };
    let mut import = writer.import(&author).map_err(explain)?;
    let left_out = if args.cortex {
        copy_cortex(&source, |record| import.put(record)).map_err(explain)?
    } else {
        take(&source, &mut import)?;
        Vec::new()
    };
    let done = if args.dry_run { import.look() } else { import.finish().map_err(explain)? };
    print(&done, &left_out, args)?;
    Ok(Answer::Yes)
}

/// What is read.
fn source(args: &ImportArgs) -> anyhow::Result<PathBuf> {
    if let Some(file) = &args.file {
        return Ok(file::canonical(file).unwrap_or_else(|| file.clone()));
    }
    let places = Places::find().map_err(super::install::refused)?;
    let found = stores::found(&places);
    let store = found.iter().find(|store| store.family == "cortex" && store.doubt.is_none());
    store.map(|store| PathBuf::from(&store.path)).ok_or_else(|| {
        Failure::no("there is no Cortex store for this project that can be read")
            .hint("ringfence status")
            .into()
    })
}

/// Takes in the lines of an export.
fn take(path: &Path, import: &mut Import<'_>) -> anyhow::Result<()> {
    let name = one_line(&path.to_string_lossy(), 200);
    let mut begun = false;
    for_each_line(path, MAX_LINE, |number, line| {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let record: Record = serde_json::from_slice(line).map_err(|error| {
            // Its own words may quote the line.
            let at = error.column();
            Failed::Other(
                Failure::no(format!(
                    "line {number} of `{name}` is no record of an export, at column {at}"
                ))
                .into(),
            )
        })?;
        let is_first = matches!(record, Record::Export { .. });
        if !begun && !is_first {
            let sentence = format!("`{name}` does not begin as an export does");
            return Err(Failed::Other(
                Failure::no(sentence).hint("ringfence export > memory.jsonl").into(),
            ));
        }
        begun = true;
        import.put(&record).map_err(|error| {
            let StoreError::Unfit(why) = error else { return Failed::Other(explain(error)) };
            let sentence = format!("line {number} of `{name}` cannot be taken in: {why}");
            Failed::Other(Failure::no(sentence).into())
        })
    })
    .map_err(|failed| match failed {
        Failed::Io(error) => Failure::no(format!("`{name}` cannot be read: {error}")).into(),
        Failed::Other(error) => error,
    })?;
    if !begun {
        return Err(Failure::no(format!("`{name}` is empty")).into());
    }
    Ok(())
}

/// Why an import ended early.
enum Failed {
    Io(std::io::Error),
    Other(anyhow::Error),
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

fn print(done: &Imported, left_out: &[String], args: &ImportArgs) -> anyhow::Result<()> {
    let Imported { notes, sessions, changes, known, different } = done;
    if args.json {
        return output::document(&Document {
            version: 1,
            dry_run: args.dry_run,
            notes: *notes,
            sessions: *sessions,
            changes: *changes,
            known: *known,
            different,
            left_out,
        });
    }
    let verb = if args.dry_run { "would take in" } else { "took in" };
    output::data(&format!("{verb} {}, {}\n", count(*notes, "note"), count(*sessions, "session")));
    if *known > 0 {
        output::talk(&format!("{} here already", count(*known, "note")));
    }
    for id in different {
        output::talk(&format!(
            "here, but otherwise, and left as it is here: {}",
            one_line(id, 200)
        ));
    }
    for id in left_out {
        output::talk(&format!(
            "left out, because its kind, text or subject does not fit: {}",
            one_line(id, 200)
        ));
    }
    Ok(())
}

fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
