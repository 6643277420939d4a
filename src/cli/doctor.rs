//! `ringfence doctor`.

use super::Answer;
use super::args::DoctorArgs;
use super::failure::Failure;

pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<Answer> {
    Err(Failure::internal(format!("not built yet: {args:?}")).into())
}
