//! How a command fails: a sentence, causes, a hint, an exit code.

use std::fmt;

/// Whose fault it was, and so the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The answer is no, or the world is not as it should be: 1.
    No,
    /// Wrong usage: 64. Never 2, which a client takes as "block".
    Usage,
    /// Our fault: 70.
    Internal,
}

impl Kind {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::No => 1,
            Self::Usage => 64,
            Self::Internal => 70,
        }
    }
}

/// An error for a person: `error: ` sentence, and `hint: ` something to type.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) sentence: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn no(sentence: impl Into<String>) -> Self {
        Self { kind: Kind::No, sentence: sentence.into(), hint: None }
    }

    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, sentence: sentence.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence)
    }
}

impl std::error::Error for Failure {}
