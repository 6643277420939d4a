//! The owner's terminal: which commands of a text would type into, change or end a session that the
//! run did not create.
//!
//! Reading is not touching, creating is not touching, and a mention is not a call. A session is the
//! run's own by its name. What the shell reader could not read is no evidence of a terminal call.

#![forbid(unsafe_code)]

mod device;
mod inject;
mod screen;
mod target;
mod tmux;
mod verbs;
mod words;
mod zellij;

use super::OwnerTerminalGuard;
use crate::shell::{self, Files, Invocation, Reading, Word};

/// Where a text runs, as far as the rule needs it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The session's workspace, absolute; a server whose socket lies below it is the run's own.
    pub workspace: &'a str,
    /// Other directories of the run's own (scratchpads, its private TMPDIR).
    pub own: &'a [String],
    /// What a shared server starts runs outside the boundary: refuse to start anything there.
    pub starts_must_be_private: bool,
    /// Files that a command names.
    pub files: &'a dyn Files,
}

/// Why a command may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalRefusal {
    /// The command as it was read.
    pub command: String,
    /// What is wrong with it, after "the command".
    pub because: String,
    /// What to type instead, where there is something.
    pub instead: Option<String>,
}

/// What is wrong with one command; the hint is a name or flag to use.
pub(super) struct Wrong {
    because: String,
    instead: Option<String>,
}

impl Wrong {
    pub(super) fn new(because: impl Into<String>) -> Self {
        Self { because: because.into(), instead: None }
    }

    pub(super) fn instead(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

pub(super) type Judged = Result<(), Wrong>;

/// Judges every program of a reading; the first that touches a terminal of the owner's is named.
pub fn judge(
    reading: &Reading,
    guard: &OwnerTerminalGuard,
    around: &Surroundings<'_>,
) -> Option<TerminalRefusal> {
    reading.invocations.iter().find_map(|invocation| {
        let wrong = judge_one(invocation, guard, around).err()?;
        Some(TerminalRefusal {
            command: shell::spell(&invocation.argv),
            because: wrong.because,
            instead: wrong.instead,
        })
    })
}

fn judge_one(
    invocation: &Invocation,
    guard: &OwnerTerminalGuard,
    around: &Surroundings<'_>,
) -> Judged {
    device::redirects(invocation)?;
    let Some(first) = invocation.argv.first() else { return Ok(()) };
    // One of several names: each is judged, because any of them may run.
    for program in first.values().unwrap_or(&[]) {
        let name = shell::base_name(program).to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        let call = Call { name, invocation, guard, around };
        judge_program(&call)?;
    }
    Ok(())
}

/// One program start under judgement.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) invocation: &'a Invocation,
    pub(super) guard: &'a OwnerTerminalGuard,
    pub(super) around: &'a Surroundings<'a>,
}

impl<'a> Call<'a> {
    /// The words after the program.
    pub(super) fn args(&self) -> &'a [Word] {
        self.invocation.argv.get(1..).unwrap_or(&[])
    }

    /// Whether a socket's path lies where only this run puts one.
    pub(super) fn is_own_path(&self, path: &str) -> bool {
        let Some(path) = shell::absolute(self.invocation.cwd.as_deref(), path) else {
            return false;
        };
        let around = self.around;
        let below = |root: &str| !root.is_empty() && super::is_below(&path, root);
        below(around.workspace) || around.own.iter().any(|own| below(own))
    }

    /// How a session of the run's own is named to this program, for a hint.
    pub(super) fn own_target(&self) -> String {
        let name = self.own_name();
        match self.name {
            "screen" | "byobu-screen" => format!("screen -S {name} …"),
            "zellij" => format!("zellij --session {name} …"),
            program => format!("{program} … -t {name}:"),
        }
    }

    /// How a session of the run's own is called.
    pub(super) fn own_name(&self) -> String {
        if self.guard.prefix.is_empty() {
            self.guard.names.first().cloned().unwrap_or_else(|| "NAME".to_owned())
        } else {
            format!("{}NAME", self.guard.prefix)
        }
    }
}

fn judge_program(call: &Call<'_>) -> Judged {
    match call.name {
        "tmux" | "tmate" | "byobu" | "byobu-tmux" => tmux::judge(call),
        "screen" | "byobu-screen" => screen::judge(call),
        "zellij" => zellij::judge(call),
        _ => {
            device::operands(call)?;
            inject::judge(call)
        }
    }
}
