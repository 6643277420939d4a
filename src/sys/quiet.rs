//! A program run with nothing of our environment but what is given: no variable of a caller's reaches it.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// What it printed.
    pub output: Vec<u8>,
    /// What it printed as errors.
    pub errors: Vec<u8>,
}

/// Runs a program in `cwd` to its end, without input, with these variables only.
///
/// # Errors
/// When it cannot be started.
pub fn run(
    program: &str,
    args: &[OsString],
    cwd: &Path,
    env: &[(&str, OsString)],
) -> io::Result<Ended> {
    let mut command = Command::new(program);
    command.args(args).current_dir(cwd).env_clear().stdin(Stdio::null());
    command.envs(env.iter().map(|(name, value)| (name, value)));
    let ended = command.output()?;
    Ok(Ended { status: ended.status.code(), output: ended.stdout, errors: ended.stderr })
}
