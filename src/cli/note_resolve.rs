//! `ringfence note-resolve`.

use super::Answer;

use super::failure::Failure;
use super::memory::{Here, explain, one_of, report};
use super::memory_args::NoteResolveArgs;
use crate::memory::store::native::{StoreError, Which};

pub(crate) fn run(args: &NoteResolveArgs) -> anyhow::Result<Answer> {
    one_of("status to resolve to", &args.status, &["resolved", "superseded"])?;
    let given = |value: &Option<String>| value.clone().filter(|text| !text.trim().is_empty());
    // The id wins, as in Cortex.
    let (id, subject) = (given(&args.id), given(&args.subject));
    let which = match (&id, &subject) {
        (Some(id), _) => Which::Id(id),
        (None, Some(subject)) => Which::Subject(subject),
        (None, None) => {
            return Err(Failure::usage("which note is meant is not said")
                .hint("ringfence note-resolve --id ID")
                .into());
        }
    };
    let here = Here::find()?;
    let author = here.author(None);
    let missing = match which {
        Which::Id(id) => StoreError::NoSuchNote(id.to_owned()),
        Which::Subject(subject) => StoreError::NoSuchSubject(subject.to_owned()),
    };
    let mut writer = here.changer(missing)?;
    let changed = writer.resolve(which, &args.status, &author).map_err(explain)?;
    report(&changed, &args.status, args.json)?;
    Ok(Answer::Yes)
}
