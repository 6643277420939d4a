//! The evidence sandbox: a throw-away work tree of one commit, outside the repository, for an agent that
//! is to leave one file behind. Fails closed: whoever asks gets what was asked for, or an error.

pub mod git;
pub mod path;
pub mod record;
pub mod seal;
pub mod worktree;

pub use path::{canonicalize_path, is_inside};
pub use record::{list, prune};
pub use worktree::{EvidenceSandbox, Kind, create_in_place_sandbox, create_worktree_sandbox};

/// Why nothing was made, checked or taken out: a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Refusal {
    /// Which kind.
    pub kind: RefusalKind,
    /// What was seen, and where.
    pub sentence: String,
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, sentence: impl Into<String>) -> Self {
        Self { kind, sentence: sentence.into() }
    }
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no `git`, or it does not start.
    NoGit,
    /// The directory is in no repository.
    NotARepository,
    /// The commit is not named by its full object id, or is not there.
    NoCommit,
    /// A path cannot be resolved for certain.
    Path,
    /// The sandbox would lie inside the repository, or the repository inside it.
    NotOutside,
    /// git would not do it, or not without running a program.
    Git,
    /// What leads our git to the repository was changed from inside.
    Tampered,
    /// A file of ours could not be written or removed.
    System,
}

impl RefusalKind {
    /// The reason code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoGit => "no_git",
            Self::NotARepository => "not_a_repository",
            Self::NoCommit => "no_commit",
            Self::Path => "path_unresolved",
            Self::NotOutside => "sandbox_not_outside",
            Self::Git => "git_failed",
            Self::Tampered => "git_tampered",
            Self::System => "system",
        }
    }
}
