//! `ringfence note`.

use super::Answer;
use super::args::NoteArgs;
use super::failure::Failure;

pub(crate) fn run(args: &NoteArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
