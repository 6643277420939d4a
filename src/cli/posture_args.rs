//! The argument structs of the commands around a hosted run.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Run one command inside a boundary: only the workspace can be changed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence contain -- cargo test           no network, home hidden, only this work tree writable
  ringfence contain --net -- npm install    the same with the network
  ringfence contain -c 'make && ls'         a shell text, by bash
  ringfence contain --probe                 what would bound it here, and what would not

Exit status: the command's own; 125 when the boundary is refused or does not hold, 126 and 127 when
the command does not start.")]
pub(crate) struct ContainArgs {
    /// The directory that the command may change; without one the work tree around it
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Leave the network open
    #[arg(long)]
    pub(crate) net: bool,
    /// One more path that it may change
    #[arg(long, value_name = "PATH")]
    pub(crate) write: Vec<PathBuf>,
    /// One more path below home that it may read
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<PathBuf>,
    /// How to draw the boundary
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) backend: BackendArg,
    /// Prove the boundary, print what it bounds and what it does not, and run nothing
    #[arg(long)]
    pub(crate) probe: bool,
    /// Print one JSON document (with --probe)
    #[arg(long, requires = "probe")]
    pub(crate) json: bool,
    /// A text for bash instead of a command
    #[arg(short = 'c', value_name = "TEXT", conflicts_with_all = ["command", "probe"])]
    pub(crate) text: Option<String>,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["probe", "text"])]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// How a boundary is drawn.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum BackendArg {
    Auto,
    Bwrap,
    Landlock,
}

/// Show what a hosted run may do here, and why
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence posture                   for a hosted run that starts in this directory
  ringfence posture --session ID      what was decided when that session started
  eval \"$(ringfence posture env)\"     what a launcher sets before it starts a hosted client")]
pub(crate) struct PostureArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PostureCommand>,
    /// The client's session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// What else to print.
#[derive(Debug, Subcommand)]
pub(crate) enum PostureCommand {
    /// Print the variables that a launcher sets for a hosted client
    Env,
}
