//! The arguments of the commands that show what the hook decides and decided.

use std::path::PathBuf;

use clap::Args;

/// Show how a shell command or a recorded payload would be judged, step by step
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence explain 'cd /tmp && cortex delete-memory ID --yes'
  ringfence explain --shell pwsh 'iex $x'  as another shell reads it
  ringfence explain --payload call.json    a recorded call of the client
  ringfence explain --last                 the last call of the log, if kept
  ringfence explain --codes                every reason code and its meaning")]
pub(crate) struct ExplainArgs {
    /// The shell command, as one word
    #[arg(value_name = "COMMAND", conflicts_with_all = ["command", "payload", "last", "codes"])]
    pub(crate) text: Option<String>,
    /// The same as an option
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["payload", "last", "codes"])]
    pub(crate) command: Option<String>,
    /// The shell whose text the command is
    #[arg(long, value_enum, default_value = "bash", value_name = "SHELL")]
    pub(crate) shell: ShellArg,
    /// A file with a hook payload (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["last", "codes"])]
    pub(crate) payload: Option<PathBuf>,
    /// The last call of the log
    #[arg(long, conflicts_with = "codes")]
    pub(crate) last: bool,
    /// The subagent's id to judge as
    #[arg(long, value_name = "ID", default_value = "explain")]
    pub(crate) agent: String,
    /// The host session to judge in
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// List all reason codes
    #[arg(long)]
    pub(crate) codes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// A shell whose language is read.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ShellArg {
    /// bash, sh, dash, zsh
    Bash,
    /// PowerShell
    Pwsh,
    /// cmd.exe
    Cmd,
}

/// Show what the hook decided, newest last
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence log                          the last 20 calls that concerned memory
  ringfence log --denied --since 1d      refusals of the last day
  ringfence log --project                of the project of this directory
  ringfence log --unproven               let through although something could not be proved
  ringfence log --code target-runtime    by reason; `ringfence explain --codes` lists them
  ringfence log -f                       and what comes, until interrupted")]
pub(crate) struct LogArgs {
    /// How many lines
    #[arg(short = 'n', long, default_value_t = 20, value_name = "NUMBER")]
    pub(crate) lines: usize,
    /// Only refusals
    #[arg(long)]
    pub(crate) denied: bool,
    /// Only calls that were let through unproven, or because the hook failed
    #[arg(long)]
    pub(crate) unproven: bool,
    /// Only these reason codes, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub(crate) code: Vec<String>,
    /// Only this subagent
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    /// Only this session of the client
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only calls of the project of this directory
    #[arg(long)]
    pub(crate) project: bool,
    /// Only the last so long: 30s, 10m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Go on and show what comes
    #[arg(short = 'f', long)]
    pub(crate) follow: bool,
    /// Print one JSON document; with --follow one line of JSON a call
    #[arg(long)]
    pub(crate) json: bool,
}

/// Count what the hook decided and how long it took
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence stats               all that the log holds
  ringfence stats --since 1d    the last day
  ringfence stats --json        the same as one document")]
pub(crate) struct StatsArgs {
    /// Only calls of the project of this directory
    #[arg(long)]
    pub(crate) project: bool,
    /// Only the last so long: 30s, 10m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
