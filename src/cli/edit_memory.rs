//! `ringfence edit-memory`.

use super::Answer;
use super::args::EditMemoryArgs;
use super::failure::Failure;
use super::memory::{Here, explain, not_blank, report, text_of};
use crate::memory::store::native::StoreError;

pub(crate) fn run(args: &EditMemoryArgs) -> anyhow::Result<Answer> {
    let text = match (&args.text, &args.file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => text_of(file)?,
        (None, None) => {
            return Err(Failure::usage("the new text is missing")
                .hint("ringfence edit-memory ID --text TEXT")
                .into());
        }
    };
    not_blank(&text)?;
    let here = Here::find()?;
    let author = here.author(None);
    let changed = here
        .changer(StoreError::NoSuchNote(args.id.clone()))?
        .edit(&args.id, &text, &author)
        .map_err(explain)?;
    report(&changed, "edited", args.json)?;
    Ok(Answer::Yes)
}
