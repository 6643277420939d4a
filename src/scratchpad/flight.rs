//! One `mkdir` for all processes of this machine: who comes first makes the directory, the others wait
//! for it, and what came of it is kept.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::adapter::Adapter;
use super::{ExecEnv, ExecFailed, ExecOptions, ExecOutput, make};
use crate::state::{State, digest};
use crate::sys::{child, clock, file, replace};

/// How long a failure holds, in milliseconds; a success holds as long as the instance.
const FAILURE_HOLDS: i64 = 10 * 60 * 1000;

/// The largest record that is believed.
const LIMIT: u64 = 4096;

/// Where a session's directory is to be.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The lane.
    pub lane: &'a str,
    /// The target's name.
    pub target: Option<&'a str>,
    /// The session; a plain id.
    pub session: &'a str,
    /// The directory there.
    pub dir: &'a str,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The directory is there.
    Made,
    /// It was tried just now, and failed.
    Failed(String),
    /// It failed before; that was told.
    FailedBefore,
}

#[derive(Deserialize, Serialize)]
struct Record {
    made: bool,
    at: i64,
}

/// An environment behind a program.
pub struct Program<'a>(pub &'a Adapter);

impl ExecEnv for Program<'_> {
    /// The programs of lanes have no options in common, so none is passed on.
    fn exec(&self, command: &str, _: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        let argv = self.0.argv(command);
        let (status, stdout, stderr) = child::capture(&argv).map_err(|error| {
            let program = argv.first().map_or("", String::as_str);
            ExecFailed(format!("`{program}` does not start: {error}"))
        })?;
        Ok(ExecOutput { status, stdout, stderr })
    }
}

/// Sees to it that the directory is there, or that it is known not to be.
pub fn ensure(state: &State, place: &Place<'_>, adapter: &Adapter) -> Settled {
    let dir = record_dir(state, place, &instance(place, adapter));
    // A process that dies lets go of the lock, and what it had not settled is done by the next.
    let lock = replace::make_and_lock(&dir, 0o700);
    let path = dir.join("settled");
    let known = file::read_bounded(&path, LIMIT).ok();
    let known = known.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    let now = clock::now_ms();
    match known {
        Some(Record { made: true, .. }) => return Settled::Made,
        Some(Record { at, .. }) if (0..FAILURE_HOLDS).contains(&now.saturating_sub(at)) => {
            return Settled::FailedBefore;
        }
        Some(_) | None => {}
    }
    let made = make(&Program(adapter), place.dir);
    if let (Ok(_), Ok(text)) =
        (&lock, serde_json::to_vec(&Record { made: made.is_ok(), at: clock::now_ms() }))
    {
        // What is not kept is done again, which changes nothing there.
        drop(file::write_record(&path, &text));
    }
    match made {
        Ok(()) => Settled::Made,
        Err(why) => Settled::Failed(why),
    }
}

fn instance(place: &Place<'_>, adapter: &Adapter) -> String {
    let name = || place.target.unwrap_or_default().to_owned();
    let Some(argv) = &adapter.instance else { return name() };
    match child::capture(argv) {
        Ok((Some(0), id, _)) if !id.is_empty() => String::from_utf8_lossy(&id).trim().to_owned(),
        Ok(_) | Err(_) => name(),
    }
}

fn record_dir(state: &State, place: &Place<'_>, instance: &str) -> PathBuf {
    let key = format!("{}\0{}\0{}", place.lane, instance, place.session);
    state.dir().join("scratchpad").join(digest(&key))
}

/// Notes that a session's directory is being seen to; `false` when it was before.
pub fn begin(state: &State, session: &str) -> bool {
    let dir = state.dir().join("scratchpad");
    if file::private_dir(&dir).is_err() {
        return false;
    }
    file::write_new(&dir.join(format!("{}.begun", digest(session))), b"").is_ok()
}

/// Whether somebody saw to a session's directory.
pub fn has_begun(state: &State, session: &str) -> bool {
    file::exists(&state.dir().join("scratchpad").join(format!("{}.begun", digest(session))))
}
