//! A scratch directory where a session's commands really run, when that is elsewhere:
//! `/tmp/scratchpad/<session>`, there by the time the first command could use it. Pure.
//!
//! Nothing is run when an environment is made: that would boot a lazy machine for a task that may
//! never run a command. The `mkdir` rides the environment's own first `exec`.

#![forbid(unsafe_code)]

pub mod adapter;
pub mod flight;

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The lanes whose commands run off this machine, in a system with a `/tmp`.
const REMOTE_LANES: [&str; 4] = ["e2b", "k8s", "local-docker", "ssh"];

/// The directory of all scratch directories there.
const PLACE: &str = "/tmp/scratchpad";

/// The longest id, in bytes.
const LONGEST_ID: usize = 128;

/// How much of what a program says is passed on as a reason, in characters.
const LONGEST_REASON: usize = 300;

/// Whether sessions on this lane get a scratch directory there. `host` has one of its own on this
/// machine, and `adb` has no usual `/tmp`.
pub fn is_remote_scratchpad_lane(lane: Option<&str>) -> bool {
    lane.is_some_and(|lane| REMOTE_LANES.contains(&lane))
}

/// The directory of a session, for a plain id only: nothing is ever quoted into a shell. What is
/// advertised and what is made both come from here, so they cannot disagree.
pub fn remote_scratchpad_dir_for(session: Option<&str>) -> Option<String> {
    let id = session?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_safe = (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(plain);
    // Both are of the class and would leave the directory.
    (is_safe && id != "." && id != "..").then(|| format!("{PLACE}/{id}"))
}

/// What is run there: makes the directory for this user alone; a status of its own when it is not
/// what it should be. `dir` is one that [`remote_scratchpad_dir_for`] gave.
pub fn make_command(dir: &str) -> String {
    // For `sh`, whatever the login shell is. No part of it needs a quote inside the quotes. Links are
    // looked for before, so that nothing is made where they lead, and after.
    format!(
        "sh -c 'umask 077; \
         [ -h {PLACE} ] || [ -h {dir} ] || mkdir -p {dir} || exit {NOT_MADE}; \
         if [ -h {PLACE} ] || [ -h {dir} ]; then exit {IS_A_LINK}; fi; \
         [ -O {dir} ] || exit {OF_ANOTHER}; \
         [ -O {PLACE} ] || [ -k {PLACE} ] || exit {OF_ANOTHER}'"
    )
}

const NOT_MADE: i32 = 73;
const IS_A_LINK: i32 = 74;
const OF_ANOTHER: i32 = 75;

/// How a command is to be run; the default is the adapter's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecOptions {
    /// Where.
    pub cwd: Option<String>,
    /// Variables.
    pub env: Vec<(String, String)>,
    /// After that it is given up, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecOutput {
    /// Its status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it printed as errors.
    pub stderr: Vec<u8>,
}

/// A command could not be run at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecFailed(pub String);

impl fmt::Display for ExecFailed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ExecFailed {}

/// Where commands run.
pub trait ExecEnv: Send + Sync {
    /// Runs a shell text to its end.
    ///
    /// # Errors
    /// When it could not be run; a command that fails is no error.
    fn exec(&self, command: &str, options: &ExecOptions) -> Result<ExecOutput, ExecFailed>;
}

/// A handle on an environment.
///
/// A decoration replaces what `exec` does inside the handle; the handle stays the same object, so a
/// registry that knows it by `Arc::ptr_eq` still does, and every clone of it is decorated too.
pub struct EnvHandle {
    exec: RwLock<Arc<dyn ExecEnv>>,
}

impl EnvHandle {
    /// A handle on `env`.
    pub fn new(env: Arc<dyn ExecEnv>) -> Arc<Self> {
        Arc::new(Self { exec: RwLock::new(env) })
    }

    /// Runs a shell text to its end.
    ///
    /// # Errors
    /// As [`ExecEnv::exec`].
    pub fn exec(&self, command: &str, options: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        // Not held while the command runs.
        let env = Arc::clone(&self.exec.read().unwrap_or_else(PoisonError::into_inner));
        env.exec(command, options)
    }

    fn decorate(&self, wrap: impl FnOnce(Arc<dyn ExecEnv>) -> Arc<dyn ExecEnv>) {
        let mut exec = self.exec.write().unwrap_or_else(PoisonError::into_inner);
        *exec = wrap(Arc::clone(&exec));
    }
}

/// Makes environments.
pub trait ExecEnvFactory: Send + Sync {
    /// The environment of a session's task.
    ///
    /// # Errors
    /// When there is none.
    fn make(&self, session: Option<&str>) -> Result<Arc<EnvHandle>, ExecFailed>;
}

/// Where warnings go.
pub trait ScratchpadLogger: Send + Sync {
    /// One warning: its event, and names with values.
    fn warn(&self, event: &str, fields: &[(&str, &str)]);
}

/// The event of an id that names no directory.
pub const UNSAFE_ID: &str = "remote_scratchpad_unsafe_session_id";

/// The event of a directory that could not be made.
pub const FAILED: &str = "remote_scratchpad_mkdir_failed";

/// Decorates each environment that `factory` makes. The lane is not tested: that is the caller's part.
pub fn with_remote_scratchpad(
    factory: Arc<dyn ExecEnvFactory>,
    logger: Arc<dyn ScratchpadLogger>,
) -> Arc<dyn ExecEnvFactory> {
    Arc::new(Decorating { factory, logger })
}

struct Decorating {
    factory: Arc<dyn ExecEnvFactory>,
    logger: Arc<dyn ScratchpadLogger>,
}

impl ExecEnvFactory for Decorating {
    fn make(&self, session: Option<&str>) -> Result<Arc<EnvHandle>, ExecFailed> {
        let handle = self.factory.make(session)?;
        let Some(dir) = remote_scratchpad_dir_for(session) else {
            // The id itself is hostile text: only its length is told.
            let length = session.map_or(0, str::len).to_string();
            self.logger.warn(UNSAFE_ID, &[("bytes", &length)]);
            return Ok(handle);
        };
        let logger = Arc::clone(&self.logger);
        handle.decorate(|original| {
            Arc::new(Decorated { original, dir, logger, settled: OnceLock::new() })
        });
        Ok(handle)
    }
}

struct Decorated {
    original: Arc<dyn ExecEnv>,
    dir: String,
    logger: Arc<dyn ScratchpadLogger>,
    /// Set once, also by a failure: whoever comes meanwhile waits for it.
    settled: OnceLock<()>,
}

impl ExecEnv for Decorated {
    fn exec(&self, command: &str, options: &ExecOptions) -> Result<ExecOutput, ExecFailed> {
        self.settled.get_or_init(|| {
            if let Err(why) = make(self.original.as_ref(), &self.dir) {
                self.logger.warn(FAILED, &[("dir", &self.dir), ("why", &why)]);
            }
        });
        self.original.exec(command, options)
    }
}

/// Makes the directory by the environment's own exec, with its default options.
///
/// # Errors
/// Why it is not there, or not ours, in words.
pub fn make(env: &dyn ExecEnv, dir: &str) -> Result<(), String> {
    let ended = env.exec(&make_command(dir), &ExecOptions::default()).map_err(|error| error.0)?;
    match ended.status {
        Some(0) => Ok(()),
        Some(IS_A_LINK) => Err(format!("{dir} or a directory above it is a link")),
        Some(OF_ANOTHER) => Err(format!("{dir} belongs to another user")),
        status => {
            let said = String::from_utf8_lossy(&ended.stderr);
            let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            let last: String = last.unwrap_or_default().chars().take(LONGEST_REASON).collect();
            let status = status.map_or("a signal".to_owned(), |status| format!("status {status}"));
            Err(if last.is_empty() {
                format!("it ended with {status}")
            } else {
                format!("{last} ({status})")
            })
        }
    }
}
