//! The argument structs of the audit.

use std::path::PathBuf;

use clap::Args;

/// Say whether the memory in use here can be written at all, and the way out where it cannot
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence audit             the facts, each with where it comes from, and what follows
  ringfence audit --strict    the same; exit 1 if there is a warning
  ringfence audit --probe     prove it: write, read back and remove a file where each store lies")]
pub(crate) struct AuditArgs {
    /// Exit 1 when there is a warning or a probe fails
    #[arg(long)]
    pub(crate) strict: bool,
    /// Try every known cause out; nothing is left behind
    #[arg(long)]
    pub(crate) probe: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Only try one directory, as the process that this is
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) prove: Option<PathBuf>,
}
