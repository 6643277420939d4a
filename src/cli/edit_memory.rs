//! `ringfence edit-memory`.

use super::Answer;
use super::args::EditMemoryArgs;
use super::failure::Failure;

pub(crate) fn run(args: &EditMemoryArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
