//! `ringfence note-resolve`.

use super::Answer;
use super::args::NoteResolveArgs;
use super::failure::Failure;

pub(crate) fn run(args: &NoteResolveArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
