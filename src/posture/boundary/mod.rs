//! The boundary around a hosted run's commands: what it closes, and how it is drawn and proved.
//!
//! `ringfence contain` starts itself once more inside the boundary; that second process proves the
//! boundary by trying to break it, gives up what is left, and only then becomes the command.

pub mod ground;
pub mod inside;
pub mod layout;
pub mod plan;
pub mod probe;
pub mod start;
pub mod tracking;

/// How a boundary is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// bubblewrap: namespaces and mounts.
    Bwrap,
    /// Landlock and seccomp: the process restricts itself.
    Landlock,
}

impl Backend {
    /// All, the best first.
    pub const ALL: [Self; 2] = [Self::Bwrap, Self::Landlock];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bwrap => "bwrap",
            Self::Landlock => "landlock",
        }
    }
}
