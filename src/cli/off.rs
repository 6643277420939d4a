//! `ringfence off`.

use super::Answer;
use super::args::OffArgs;
use super::failure::Failure;

pub(crate) fn run(args: &OffArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
