//! `ringfence log`.

use super::Answer;
use super::args::LogArgs;
use super::failure::Failure;

pub(crate) fn run(args: &LogArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
