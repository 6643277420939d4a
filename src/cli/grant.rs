//! `ringfence grant`.

use super::Answer;
use super::args::GrantArgs;
use super::failure::Failure;

pub(crate) fn run(args: &GrantArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
