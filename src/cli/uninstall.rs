//! `ringfence uninstall`.

use super::Answer;
use super::args::UninstallArgs;
use super::failure::Failure;

pub(crate) fn run(args: &UninstallArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
