//! `ringfence delete-memory`.

use super::Answer;
use super::args::DeleteMemoryArgs;
use super::failure::Failure;

pub(crate) fn run(args: &DeleteMemoryArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
