//! The argument structs of the remote scratchpad.

use clap::{Args, Subcommand};

/// Give a session whose commands run elsewhere a scratch directory there
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence scratchpad dir --session ID                                      where it would be
  ringfence scratchpad exec --lane ssh --target build --session ID -- make   run there, with it made first

Exit status of exec: the command's own; 125 when none is run, 126 and 127 when the lane's program does
not start or is not there.")]
pub(crate) struct ScratchpadArgs {
    #[command(subcommand)]
    pub(crate) command: ScratchpadCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum ScratchpadCommand {
    /// Print the session's directory, or say why it has none
    Dir {
        /// The session
        #[arg(long, value_name = "ID", allow_hyphen_values = true)]
        session: String,
    },
    /// Run one command on the lane; the directory is made before the first one
    Exec(ExecArgs),
    /// Make the directory as the configuration says; nobody waits for it
    #[command(hide = true)]
    Begin {
        /// The session
        #[arg(long)]
        session: String,
    },
}

/// One command.
#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// ssh, local-docker, k8s or e2b; without one the configuration's
    #[arg(long)]
    pub(crate) lane: Option<String>,
    /// The session
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) session: String,
    /// The host, container, pod or sandbox; without one the configuration's
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) target: Option<String>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
