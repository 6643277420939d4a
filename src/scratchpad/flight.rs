//! One `mkdir` for all processes of this machine: who comes first makes the directory, the others wait
//! for it, and what came of it is kept.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::adapter::Adapter;
use super::{ExecEnv, ExecFailed, ExecOptions, ExecOutput, make};
use crate::state::{State, digest};
use crate::sys::child::{self, Bounds, Captured};
use crate::sys::{clock, file, place, replace};

/// How long a failure holds, in milliseconds; a success holds as long as the instance.
const FAILURE_HOLDS: i64 = 10 * 60 * 1000;

/// How long a lane has to make a directory: time for a machine to boot, and no longer, because a command
/// waits for it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How much longer than that others wait.
const GRACE: Duration = Duration::from_secs(5);

/// What is kept of what the lane's program prints then.
const KEPT: usize = 64 << 10;

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
    /// How long it may take.
    pub patience: Duration,
    /// Somebody hears what came of it.
    pub is_heard: bool,
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
    /// Somebody heard of it. A failure of which nobody did, of a process without the caller's
    /// environment, holds for nobody else.
    #[serde(default)]
    told: bool,
}

/// An environment behind a program.
pub struct Program<'a>(pub &'a Adapter);

impl ExecEnv for Program<'_> {
    /// The programs of lanes have no options in common, so none is passed on.
    fn exec(&self, command: &str, options: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        let time = options.timeout_ms.map(Duration::from_millis);
        exec(self.0, command, Bounds { time, bytes: usize::MAX }).map_err(|(_, failed)| failed)
    }
}

/// The same for the one command that is ours. Its options are the lane's own; who waits for it sets
/// bounds from here.
struct Making<'a> {
    adapter: &'a Adapter,
    patience: Duration,
    /// The lane's program did not even start.
    never_ran: AtomicBool,
}

impl ExecEnv for Making<'_> {
    fn exec(&self, command: &str, _: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        let bounds = Bounds { time: Some(self.patience), bytes: KEPT };
        exec(self.adapter, command, bounds).map_err(|(started, failed)| {
            self.never_ran.store(!started, Ordering::Relaxed);
            failed
        })
    }
}

/// Runs a command; a failure says whether the lane's program was started.
fn exec(
    adapter: &Adapter,
    command: &str,
    bounds: Bounds,
) -> Result<ExecOutput, (bool, ExecFailed)> {
    let argv = adapter.argv(command);
    let program = argv.first().map_or("", String::as_str);
    let ended = child::capture(&argv, bounds)
        .map_err(|error| (false, ExecFailed(format!("`{program}` does not start: {error}"))))?;
    if ended.too_late {
        return Err((true, ExecFailed(format!("`{program}` did not end in time"))));
    }
    Ok(ExecOutput { status: ended.status, stdout: ended.output, stderr: ended.errors })
}

/// Sees to it that the directory is there, or that it is known not to be.
pub fn ensure(state: &State, place: &Place<'_>, adapter: &Adapter) -> Settled {
    let dir = record_dir(state, place, &instance(place, adapter));
    // A process that dies lets go of the lock, and what it had not settled is done by the next.
    let lock = private(state)
        .and_then(|()| replace::make_dirs(&dir, 0o700))
        .and_then(|_| replace::lock_dir_within(&dir, place.patience.saturating_add(GRACE)));
    if let Ok(None) = lock {
        return Settled::Failed("another process is at it and does not end".to_owned());
    }
    let path = dir.join("settled");
    let known = file::read_bounded(&path, LIMIT).ok();
    let known = known.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    let now = clock::now_ms();
    match known {
        Some(Record { made: true, .. }) if adapter.is_lasting => return Settled::Made,
        // It is made again each time.
        Some(Record { made: true, .. }) => {}
        Some(Record { at, told, .. })
            if (told || !place.is_heard)
                && (0..FAILURE_HOLDS).contains(&now.saturating_sub(at)) =>
        {
            return Settled::FailedBefore;
        }
        Some(_) | None => {}
    }
    let making = Making { adapter, patience: place.patience, never_ran: AtomicBool::new(false) };
    let made = make(&making, place.dir);
    // Nothing came of it there.
    if making.never_ran.into_inner() {
        return made.map_or_else(Settled::Failed, |()| Settled::Made);
    }
    let record = Record { made: made.is_ok(), at: clock::now_ms(), told: place.is_heard };
    if let (Ok(_), Ok(text)) = (&lock, serde_json::to_vec(&record)) {
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
    match child::capture(argv, Bounds { time: Some(place.patience), bytes: KEPT }) {
        Ok(Captured { status: Some(0), output, .. }) if !output.is_empty() => {
            String::from_utf8_lossy(&output).trim().to_owned()
        }
        Ok(_) | Err(_) => name(),
    }
}

fn record_dir(state: &State, place: &Place<'_>, instance: &str) -> PathBuf {
    let key = format!("{}\0{}\0{}", place.lane, instance, place.session);
    state.dir().join("scratchpad").join(digest(&key))
}

/// Notes that a session's directory is being seen to; `false` when it was before.
pub fn begin(state: &State, session: &str) -> bool {
    private(state).is_ok()
        && file::write_new(
            &state.dir().join("scratchpad").join(format!("{}.begun", digest(session))),
            b"",
        )
        .is_ok()
}

/// Our directory in the state, which is no link.
fn private(state: &State) -> io::Result<()> {
    let dir = state.dir().join("scratchpad");
    file::private_dir(&dir)?;
    if place::is_link(&dir) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is a link"));
    }
    Ok(())
}

/// Whether somebody saw to a session's directory.
pub fn has_begun(state: &State, session: &str) -> bool {
    file::exists(&state.dir().join("scratchpad").join(format!("{}.begun", digest(session))))
}
