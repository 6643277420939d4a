//! `ringfence show-memory`.

use super::Answer;
use super::args::ShowMemoryArgs;
use super::failure::Failure;

pub(crate) fn run(args: &ShowMemoryArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
