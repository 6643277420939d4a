//! `ringfence export`: the same store always gives the same bytes.

use super::Answer;
use super::failure::Failure;
use super::memory::{Here, explain};
use super::memory_args::ExportArgs;
use super::output;
use crate::guard::label::one_line;
use crate::memory::store::native::{Record, StoreError};
use crate::sys::file;
use crate::sys::pieces::NewFile;

/// Standard output gets pieces of this size, in bytes.
const PIECE: usize = 1 << 16;

pub(crate) fn run(args: &ExportArgs) -> anyhow::Result<Answer> {
    let Some(reader) = Here::find()?.reader()? else {
        return Err(Failure::no("there is no memory here to export")
            .hint("ringfence status")
            .into());
    };
    let Some(path) = &args.file else {
        let mut piece = String::new();
        reader
            .export(|record| {
                line(record, &mut piece)?;
                if piece.len() >= PIECE {
                    output::data(&piece);
                    piece.clear();
                }
                Ok(())
            })
            .map_err(shown)?;
        output::data(&piece);
        return Ok(Answer::Yes);
    };
    let name = one_line(&path.to_string_lossy(), 200);
    let refused =
        |error: std::io::Error| Failure::no(format!("`{name}` cannot be written: {error}"));
    if file::exists(path) {
        return Err(Failure::no(format!("`{name}` is there already"))
            .hint("name a new file")
            .into());
    }
    let mut target = NewFile::begin(path).map_err(refused)?;
    let mut text = String::new();
    reader
        .export(|record| {
            text.clear();
            line(record, &mut text)?;
            target.write(text.as_bytes()).map_err(|error| Failed::Other(refused(error).into()))
        })
        .map_err(shown)?;
    target.finish().map_err(refused)?;
    Ok(Answer::Yes)
}

/// Why an export ended early.
enum Failed {
    Store(StoreError),
    Other(anyhow::Error),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn shown(failed: Failed) -> anyhow::Error {
    match failed {
        Failed::Store(error) => explain(error),
        Failed::Other(error) => error,
    }
}

fn line(record: &Record, text: &mut String) -> Result<(), Failed> {
    let json = serde_json::to_string(record).map_err(|error| Failed::Other(error.into()))?;
    text.push_str(&output::plain_json(&json));
    text.push('\n');
    Ok(())
}
