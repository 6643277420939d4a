//! `ringfence status`.

use super::Answer;
use super::args::StatusArgs;
use super::failure::Failure;

pub(crate) fn run(args: &StatusArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
