//! `ringfence explain`.

use super::Answer;
use super::args::ExplainArgs;
use super::failure::Failure;

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
