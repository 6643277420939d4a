//! The call to explain: typed, recorded, or the last one of the log.

use std::path::Path;

use super::super::args::{ExplainArgs, ShellArg};
use super::super::failure::Failure;
use crate::cli::screen::shown;
use crate::payload::Payload;
use crate::request::{Argument, Arguments, Caller, MemoryGuardRequest};
use crate::shell::Dialect;
use crate::state::State;
use crate::sys::{env, file};

/// The largest payload that is read.
const PAYLOAD_LIMIT: u64 = 16 << 20;

/// A call to explain.
pub(super) struct Given {
    pub(super) request: MemoryGuardRequest,
    /// Where it was found, when it was.
    pub(super) whence: Option<String>,
    /// The language of its text, when the person says so.
    pub(super) dialect: Option<Dialect>,
}

/// Finds the call.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(super) fn given(args: &ExplainArgs, cwd: &Path, state: &State) -> anyhow::Result<Given> {
    let here = cwd.to_string_lossy().into_owned();
    if let Some(command) = args.command.as_ref().or(args.text.as_ref()) {
        return Ok(typed(args, command, here));
    }
    let (bytes, whence) = if args.last {
        let (text, whence) = last(state)?;
        (text.into_bytes(), Some(whence))
    } else {
        let Some(path) = &args.payload else {
            return Err(Failure::usage("there is nothing to explain")
                .hint("ringfence explain 'cortex delete-memory ID --yes'")
                .into());
        };
        (read(path)?, None)
    };
    let Some(mut payload) = Payload::read(&bytes) else {
        let what = args
            .payload
            .as_ref()
            .map_or_else(|| "what the log kept".to_owned(), |path| format!("`{}`", path.display()));
        return Err(Failure::no(format!("{what} is no JSON object")).into());
    };
    if payload.cwd.is_empty() {
        payload.cwd = here;
    }
    let child_of = payload.agent.is_none().then(|| state.parent_of(&payload.session)).flatten();
    let request = payload.request(child_of, env::var("CLAUDE_PROJECT_DIR"));
    Ok(Given { request, whence, dialect: None })
}

fn typed(args: &ExplainArgs, command: &str, cwd: String) -> Given {
    let dialect = match args.shell {
        ShellArg::Bash => Dialect::Posix,
        ShellArg::Pwsh => Dialect::PowerShell,
        ShellArg::Cmd => Dialect::Cmd,
    };
    let tool = if dialect == Dialect::PowerShell { "PowerShell" } else { "Bash" };
    let request = MemoryGuardRequest {
        tool: tool.into(),
        input: Arguments::new(vec![("command".into(), Argument::Text(command.to_owned()))]),
        caller: Caller {
            session: args.session.clone().unwrap_or_else(|| "explain".into()),
            agent: Some(args.agent.clone()),
            ..Caller::default()
        },
        cwd,
        ..MemoryGuardRequest::default()
    };
    Given { request, whence: None, dialect: Some(dialect) }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = if path.as_os_str() == "-" {
        file::read_input(PAYLOAD_LIMIT)
    } else {
        file::read_bounded(path, PAYLOAD_LIMIT)
    };
    bytes.map_err(|error| {
        anyhow::Error::from(error)
            .context(Failure::no(format!("`{}` cannot be read", path.display())))
    })
}

/// The payload of the last logged call, and when that was.
fn last(state: &State) -> anyhow::Result<(String, String)> {
    let log = super::super::log::read(state)?;
    let Some(line) = log.lines.into_iter().next_back() else {
        return Err(Failure::no("no call concerned memory yet, so there is no last one")
            .hint("ringfence explain --command 'cortex delete-memory ID --yes'")
            .into());
    };
    let whence = format!("{} ({}) at {}", shown(&line.verdict), shown(&line.code), shown(&line.at));
    match line.payload {
        Some(payload) => Ok((payload, whence)),
        None => Err(Failure::no(format!("the log kept nothing of its last call, {whence}"))
            .hint("ringfence install --verbose-log, and the next one can be explained")
            .into()),
    }
}
