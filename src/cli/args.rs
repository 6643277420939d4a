//! The argument structs of all commands; the help text; nothing else.

mod looking;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::audit_args::AuditArgs;
use super::memory_args::{
    AcceptArgs, DeleteMemoryArgs, DropArgs, EditMemoryArgs, ExportArgs, ImportArgs, ListMemoryArgs,
    LogMemoryArgs, NoteArgs, NoteResolveArgs, PendingArgs, RestoreMemoryArgs, SearchMemoryArgs,
    ShowMemoryArgs, SnapshotArgs,
};
use super::posture_args::{ContainArgs, PostureArgs};
use super::scratchpad_args::ScratchpadArgs;
use crate::facts::Named;
use crate::wiring::table::Scope;
pub(crate) use looking::{ExplainArgs, LogArgs, ShellArg, StatsArgs};

/// Keep a subagent's hands off memory it did not write
#[derive(Debug, Parser)]
#[command(name = "ringfence", version, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Install(InstallArgs),
    Uninstall(UninstallArgs),
    Doctor(DoctorArgs),
    Status(StatusArgs),
    Off(OffArgs),
    Explain(ExplainArgs),
    Log(LogArgs),
    Stats(StatsArgs),
    Audit(AuditArgs),
    Posture(PostureArgs),
    Contain(ContainArgs),
    Scratchpad(ScratchpadArgs),
    Grant(GrantArgs),
    Note(NoteArgs),
    NoteResolve(NoteResolveArgs),
    EditMemory(EditMemoryArgs),
    DeleteMemory(DeleteMemoryArgs),
    ListMemory(ListMemoryArgs),
    ShowMemory(ShowMemoryArgs),
    SearchMemory(SearchMemoryArgs),
    RestoreMemory(RestoreMemoryArgs),
    LogMemory(LogMemoryArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Snapshot(SnapshotArgs),
    Pending(PendingArgs),
    Accept(AcceptArgs),
    Drop(DropArgs),
    Report(ReportArgs),
    Mcp(McpArgs),
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Register the hook with the client
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence install                  for all projects of this user
  ringfence install --dry-run        show the lines that would change
  ringfence install --scope project  for everybody who works on this project")]
pub(crate) struct InstallArgs {
    /// Arms to register, separated by commas: guard, audit, scratchpad, mcp
    #[arg(long, value_delimiter = ',', default_value = "guard,audit")]
    pub(crate) with: Vec<String>,
    /// Whose settings to edit
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Register the shell shim instead of the bare binary
    #[arg(long)]
    pub(crate) shim: bool,
    /// Keep the whole payload of each logged call, command text included
    #[arg(long)]
    pub(crate) verbose_log: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Edit the settings even where the client would not take them
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// A settings scope of the client.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ScopeArg {
    User,
    Project,
    Local,
    Managed,
}

impl ScopeArg {
    /// The word for it on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Managed => "managed",
        }
    }

    /// The scope of the wiring.
    pub(crate) fn scope(self) -> Scope {
        match self {
            Self::User => Scope::User,
            Self::Project => Scope::Project,
            Self::Local => Scope::Local,
            Self::Managed => Scope::Managed,
        }
    }
}

/// Take back everything that install wrote
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence uninstall                give the settings their old bytes back
  ringfence uninstall --purge        show what would also go: the log, the sessions, all notes
  ringfence uninstall --purge --yes  and remove it")]
pub(crate) struct UninstallArgs {
    /// Whose settings to clean besides those that install remembers
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Also remove backups, state and data: the log and every note of every project; without --yes
    /// only shows what would go
    #[arg(long)]
    pub(crate) purge: bool,
    /// Also take out entries of an earlier install whose record is lost; else such a file gets its old
    /// bytes back, entries and all
    #[arg(long)]
    pub(crate) older: bool,
    /// Really purge
    #[arg(long, requires = "purge")]
    pub(crate) yes: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check that the hook runs, is matched and finds its stores
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence doctor           one row per fact, a fix for each that is not well
  ringfence doctor --json    the same as one document; exit 1 if a row fails")]
pub(crate) struct DoctorArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what is installed and which stores are found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence status           what is on this machine
  ringfence status --json    the same as one document")]
pub(crate) struct StatusArgs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Switch the guard off for a while, from a terminal outside any client
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence off --for 30m            for everything; it comes back by itself
  ringfence off --for 30m --project  only for the project of this directory
  ringfence off --end                switch it on again now")]
pub(crate) struct OffArgs {
    /// For how long: 30s, 10m, 2h
    #[arg(long = "for", value_name = "TIME", default_value = "10m", conflicts_with = "end")]
    pub(crate) duration: String,
    /// Only for the project of this directory, with all its work trees
    #[arg(long)]
    pub(crate) project: bool,
    /// Switch it on again now
    #[arg(long)]
    pub(crate) end: bool,
}

/// Let a subagent change one memory once
#[derive(Debug, Args)]
pub(crate) struct GrantArgs {
    /// The memory's id, as the refusal named it
    pub(crate) id: String,
    /// What may be done: retire, edit or delete; without it, what was refused last
    #[arg(long)]
    pub(crate) action: Option<String>,
    /// The session whose subagents it holds for; without it, the one at hand
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// How long the grant holds: 30s, 10m, 2h
    #[arg(long = "for", value_name = "TIME", default_value = "10m")]
    pub(crate) duration: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make one page of notes, refusals and times to look at in a browser
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ringfence report --open            in the browser
  ringfence report -o memory.html    one file that needs nothing else; it holds the notes' texts
  ringfence report -o - | less       to standard output")]
pub(crate) struct ReportArgs {
    /// Open it in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Where to write it (`-` for standard output), instead of the state directory
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Serve the memory to a client over MCP, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add --scope user ringfence -- ringfence mcp
  ringfence install --with guard,mcp  the same, and taken back by uninstall

It takes its places from this line, HOME and XDG_*, not from RINGFENCE_*: a project can set those.")]
pub(crate) struct McpArgs {
    /// The store's file, instead of the project's own
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// A configuration file that wins over the user's
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The state directory that the hook writes to
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// The data directory with the stores of all projects
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The client's directory, instead of ~/.claude
    #[arg(long, value_name = "DIR")]
    pub(crate) client: Option<PathBuf>,
    /// Cortex's directory, which this server does not use
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) cortex_home: Option<PathBuf>,
}

impl McpArgs {
    /// The places as the server takes them.
    pub(crate) fn named(self) -> Named {
        let Self { store, config, state, data, client, cortex_home: _ } = self;
        Named { store, config, state, data, client }
    }
}

/// Print a completion script
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, elvish or powershell
    pub(crate) shell: clap_complete::Shell,
}
