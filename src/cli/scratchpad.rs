//! `ringfence scratchpad`: a session's scratch directory where its commands run.

use std::ffi::OsString;

use super::failure::Failure;
use super::scratchpad_args::{ExecArgs, ScratchpadArgs, ScratchpadCommand};
use super::{Answer, named_dirs, output};
use crate::config::{self, Scratchpad};
use crate::guard::label;
use crate::scratchpad::adapter::Adapter;
use crate::scratchpad::flight::{self, Place, Settled};
use crate::scratchpad::{is_remote_scratchpad_lane, remote_scratchpad_dir_for};
use crate::state::State;
use crate::sys::env;
use crate::sys::ward::{self, Ward};

/// The status where nothing could be run; the lane's program itself as env(1) has it.
const NOT_STARTED: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs the command.
pub(crate) fn run(args: &ScratchpadArgs) -> anyhow::Result<Answer> {
    match &args.command {
        ScratchpadCommand::Dir { session } => match remote_scratchpad_dir_for(Some(session)) {
            Some(dir) => {
                output::data(&format!("{dir}\n"));
                Ok(Answer::Yes)
            }
            None => Err(Failure::no(no_dir(session)).into()),
        },
        ScratchpadCommand::Exec(args) => exec(args),
        ScratchpadCommand::Begin { session } => begin(session),
    }
}

fn no_dir(session: &str) -> String {
    format!(
        "a session called {} gets no directory: only letters, digits, `.`, `_` and `-` are taken, at \
         most 128 of them",
        label::quoted(session, label::LABEL_LENGTH)
    )
}

/// The configuration, the state, and the directory in which we are.
fn settings() -> anyhow::Result<(Scratchpad, State)> {
    let cwd = env::current_dir().unwrap_or_default();
    let dirs = named_dirs(&cwd)?;
    let named = env::var("RINGFENCE_CONFIG").map(|named| cwd.join(named));
    let config = config::load_for(&dirs, named.as_deref(), &cwd);
    Ok((config.scratchpad, State::at(&dirs.state)))
}

fn exec(args: &ExecArgs) -> anyhow::Result<Answer> {
    let (config, state) = settings()?;
    let lane = args.lane.as_ref().or(config.lane.as_ref());
    let Some(lane) = lane.filter(|lane| is_remote_scratchpad_lane(Some(lane))) else {
        let failure = Failure::no(match lane {
            None => "no lane is named, and the configuration names none".to_owned(),
            Some(lane) => format!(
                "{} is no remote lane: those are ssh, local-docker, k8s and e2b",
                label::quoted(lane, label::LABEL_LENGTH)
            ),
        });
        return not_started(failure.hint("ringfence scratchpad exec --lane ssh --target HOST …"));
    };
    // Of another lane than the configuration's its target and command line say nothing.
    let same = config.lane.as_ref() == Some(lane);
    let target = args.target.as_ref().or(config.target.as_ref().filter(|_| same));
    let template = config.exec.as_ref().filter(|_| same);
    let adapter = match Adapter::new(lane, target.map(String::as_str), template.map(String::as_str))
    {
        Ok(adapter) => adapter,
        Err(sentence) => return not_started(Failure::no(sentence)),
    };
    // It would run on another machine than the one that was named.
    if args.target.is_some() && args.target != config.target && !adapter.takes_target {
        let said =
            "the configured command line has no `{target}`, so it reaches no other than its own";
        return not_started(Failure::no(said));
    }
    match remote_scratchpad_dir_for(Some(&args.session)) {
        None => output::warning(&no_dir(&args.session)),
        Some(dir) => {
            let place = Place {
                lane,
                target: target.map(String::as_str),
                session: &args.session,
                dir: &dir,
                patience: flight::PATIENCE,
                is_heard: true,
            };
            if let Settled::Failed(why) = flight::ensure(&state, &place, &adapter) {
                let why = label::one_line(&why, 300);
                output::warning(&format!("the scratch directory {dir} was not made: {why}"));
            }
        }
    }
    let argv: Vec<OsString> =
        adapter.argv(&shell_words::join(&args.command)).into_iter().map(Into::into).collect();
    // A directory that is gone here says nothing of the lane.
    let cwd = env::current_dir().unwrap_or_else(|| "/".into());
    match ward::run(&Ward { argv: &argv, cwd: &cwd, env: &[], tells_pid_on: None }) {
        Ok(status) => Ok(Answer::Status(u8::try_from(status).unwrap_or(NOT_STARTED))),
        Err(error) => {
            let program = argv.first().map(|word| word.to_string_lossy()).unwrap_or_default();
            output::failure(&Failure::no(format!("`{program}` does not start: {error}")).into());
            let is_missing = error.kind() == std::io::ErrorKind::NotFound;
            Ok(Answer::Status(if is_missing { NOT_FOUND } else { NOT_EXECUTABLE }))
        }
    }
}

fn not_started(failure: Failure) -> anyhow::Result<Answer> {
    output::failure(&failure.into());
    Ok(Answer::Status(NOT_STARTED))
}

/// Is the process that the hook starts.
fn begin(session: &str) -> anyhow::Result<Answer> {
    let (config, state) = settings()?;
    let (Some(lane), Some(dir)) = (config.lane, remote_scratchpad_dir_for(Some(session))) else {
        return Ok(Answer::No);
    };
    let target = config.target.as_deref();
    let adapter = Adapter::new(&lane, target, config.exec.as_deref()).map_err(Failure::no)?;
    let patience = flight::PATIENCE;
    let place = Place { lane: &lane, target, session, dir: &dir, patience, is_heard: false };
    Ok(match flight::ensure(&state, &place, &adapter) {
        Settled::Made => Answer::Yes,
        Settled::Failed(_) | Settled::FailedBefore => Answer::No,
    })
}
