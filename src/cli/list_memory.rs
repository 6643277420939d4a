//! `ringfence list-memory`.

use super::Answer;
use super::args::ListMemoryArgs;
use super::failure::Failure;

pub(crate) fn run(args: &ListMemoryArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
