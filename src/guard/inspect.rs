//! The judgement taken apart, for whoever asks why: one text in one dialect, one program by itself.

use super::case::Case;
use super::program::memory_cli;
use super::{Facts, Policy, command, conclude, reason, verbs};
use crate::decision::{Code, Doubt, Verdict};
use crate::request::MemoryGuardRequest;
use crate::shell::{Dialect, Invocation, Unclear};

/// What one program start means for memory, seen by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The memory's command line that it calls, in words: `cortex delete-memory`.
    pub program: Option<String>,
    /// What it would do to memory of others or to protected files, one row each, as in a refusal.
    pub would: Vec<String>,
    /// The ids of what is the caller's own.
    pub own: Vec<String>,
    /// What could not be proved.
    pub doubts: Vec<Doubt>,
}

impl Inspection {
    /// Whether the program concerns memory at all.
    pub fn is_relevant(&self) -> bool {
        *self != Self::default()
    }
}

/// Judges a text of a dialect that no tool of a client has (`cmd.exe`), or of any other.
pub fn evaluate_text(
    facts: &dyn Facts,
    request: &MemoryGuardRequest,
    text: &str,
    dialect: Dialect,
    policy: &Policy,
) -> Verdict {
    let mut case = Case::new(facts, request, policy);
    command::judge_text(&mut case, text, dialect, &[]);
    conclude::conclude(case, policy)
}

/// Looks at one program start.
pub fn inspect(
    facts: &dyn Facts,
    request: &MemoryGuardRequest,
    invocation: &Invocation,
    dialect: Dialect,
    policy: &Policy,
) -> Inspection {
    let mut case = Case::new(facts, request, policy);
    let windows = dialect != Dialect::Posix;
    command::judge_invocation(&mut case, invocation, windows);
    Inspection {
        program: memory_cli(&invocation.argv, windows, &policy.programs)
            .filter(|cli| !cli.guessed)
            .map(|cli| verbs::spelled(&cli)),
        would: reason::effects(&case.found, true),
        own: case.found.own,
        doubts: case.found.doubts,
    }
}

/// The reason code of what the reader could not settle.
pub fn code_of(unclear: &Unclear) -> Code {
    command::code(unclear)
}
