//! The commands for people: parse, run, print the failure, exit code.

mod args;
mod audit_args;
mod failure;
mod manual;
mod memory;
mod memory_args;
mod output;
mod posture;
mod posture_args;
mod scratchpad_args;

mod audit;
mod contain;
mod delete_memory;
mod doctor;
mod duration;
mod edit_memory;
mod explain;
mod export;
mod grant;
mod import;
mod install;
mod list_memory;
mod log;
mod log_memory;
mod note;
mod note_resolve;
mod off;
mod pending;
mod report;
mod restore_from;
mod restore_memory;
mod scratchpad;
mod screen;
mod search_memory;
mod show_memory;
mod snapshot;
mod snapshot_diff;
mod stats;
mod status;
mod stores;
mod uninstall;
mod when;

use std::path::Path;

use clap::Parser;
use clap::error::ErrorKind;

use crate::facts::Named;
use crate::sys::dirs::Dirs;
use crate::sys::env;
use args::{Cli, Command};
pub(crate) use contain::inside as contain_inside;
use failure::{Failure, Kind};

/// Runs one command: its exit code.
pub(crate) fn run(serve: Serve) -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            drop(error.print());
            let helped = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if helped { 0 } else { Kind::Usage.exit_code() };
        }
    };
    match dispatch(cli.command, serve) {
        Ok(_) if output::lost().is_some() => {
            let error = output::lost().map_or_else(String::new, ToString::to_string);
            let error = Failure::no(format!("standard output could not be written: {error}"));
            output::failure(&error.into());
            Kind::No.exit_code()
        }
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => Kind::No.exit_code(),
        Ok(Answer::Status(status)) => status,
        Err(error) => {
            output::failure(&error);
            let kind =
                error.downcast_ref::<Failure>().map_or(Kind::Internal, |failure| failure.kind);
            kind.exit_code()
        }
    }
}

/// What a command that did its work found: exit 0 or 1, or what it ran for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// Another program's own status, passed on.
    Status(u8),
}

/// The user's directories.
///
/// # Errors
/// Without `HOME` nothing of ours has a place.
pub(crate) fn dirs() -> anyhow::Result<Dirs> {
    Dirs::from_env().ok_or_else(|| {
        Failure::no("`HOME` is not set to an absolute path, so nothing has a place")
            .hint("export HOME=~")
            .into()
    })
}

/// Runs the memory server with these places; fails with a sentence.
type Serve = fn(Named) -> Result<(), String>;

/// The user's directories, with the state where the variable for commands says.
///
/// # Errors
/// As [`dirs`].
pub(crate) fn named_dirs(cwd: &Path) -> anyhow::Result<Dirs> {
    let mut dirs = dirs()?;
    if let Some(state) = env::var("RINGFENCE_STATE") {
        dirs.state = cwd.join(state);
    }
    Ok(dirs)
}

fn dispatch(command: Command, serve: Serve) -> anyhow::Result<Answer> {
    match command {
        Command::Report(args) => report::run(&args),
        Command::Mcp(args) => match serve(args.named()) {
            Ok(()) => Ok(Answer::Yes),
            Err(sentence) => Err(Failure::no(sentence).into()),
        },
        Command::Install(args) => install::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Off(args) => off::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Posture(args) => posture::run(&args),
        Command::Contain(args) => contain::run(&args),
        Command::Scratchpad(args) => scratchpad::run(&args),
        Command::Grant(args) => grant::run(&args),
        Command::Note(args) => note::run(&args),
        Command::NoteResolve(args) => note_resolve::run(&args),
        Command::EditMemory(args) => edit_memory::run(&args),
        Command::DeleteMemory(args) => delete_memory::run(&args),
        Command::ListMemory(args) => list_memory::run(&args),
        Command::ShowMemory(args) => show_memory::run(&args),
        Command::SearchMemory(args) => search_memory::run(&args),
        Command::RestoreMemory(args) => restore_memory::run(&args),
        Command::LogMemory(args) => log_memory::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Snapshot(args) => snapshot::run(&args),
        Command::Pending(args) => pending::run(&args),
        Command::Accept(args) => pending::accept(&args),
        Command::Drop(args) => pending::drop(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man => manual::man(),
    }
}
