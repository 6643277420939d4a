//! `ringfence install`.

use super::Answer;
use super::args::InstallArgs;
use super::failure::Failure;

pub(crate) fn run(args: &InstallArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
