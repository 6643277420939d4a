//! The judge of memory stores below a client with settings of its own: each store by the channel that
//! really writes it. Pure.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use super::{WarningTag, is_inside};

/// What writes a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The client's own file tools; no sandbox holds them, rules do.
    FileTools,
    /// A command in the client's shell; its sandbox holds it.
    Shell,
    /// A server of its own, which nothing fences.
    Server,
}

impl Channel {
    /// For people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FileTools => "file tools",
            Self::Shell => "shell command",
            Self::Server => "server",
        }
    }
}

/// A store that is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Whose: `ringfence`, `cortex`, `auto memory`.
    pub name: &'static str,
    /// The directory in which files must be made; canonical where it could be resolved.
    pub root: PathBuf,
    /// The same as it is named, links and all.
    pub named: PathBuf,
    /// Where the system does not tell what it leads to, it is compared with nothing.
    pub is_resolved: bool,
    /// The store's own file, where it is one.
    pub file: Option<PathBuf>,
    /// What writes it.
    pub channel: Channel,
    /// The program whose command writes it.
    pub program: &'static str,
    /// What registers a server for it, to type.
    pub server: &'static str,
}

/// The client's sandbox around shell commands, of all settings together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// The file that switched it on.
    pub from: String,
    /// What a command may write below; canonical.
    pub inside: Vec<PathBuf>,
    /// What it may not, also below those.
    pub closed: Vec<PathBuf>,
    /// The first words of commands that run outside of it.
    pub excluded: Vec<String>,
}

/// A rule that keeps a file tool from a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// As it is written.
    pub rule: String,
    /// In which file.
    pub from: String,
}

/// A warning of any judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The name of the event.
    pub tag: &'static str,
    /// One sentence.
    pub detail: String,
}

/// The tag of a store that a rule closes.
pub const DENIED_BY_RULE: &str = "memory_write_denied_by_rule";

/// Whether a command of the sandbox may write below `root`.
pub fn sandbox_reaches(sandbox: &Sandbox, root: &Path) -> bool {
    let below = |all: &[PathBuf]| all.iter().any(|one| is_inside(root, one));
    below(&sandbox.inside) && !below(&sandbox.closed)
}

/// Judges one store. `sandbox`: there is one, and it can be computed. `denial`: a rule against the
/// file tools.
pub fn judge(store: &Store, sandbox: Option<&Sandbox>, denial: Option<&Denial>) -> Option<Told> {
    match store.channel {
        Channel::Server => None,
        Channel::FileTools => denial.map(|denial| Told {
            tag: DENIED_BY_RULE,
            detail: format!(
                "The client tells the model to write its {} below `{}`, and the rule `{}` in `{}` \
                 refuses it, so what it is asked to remember is lost: take that path out of the rule, \
                 or set `autoMemoryEnabled` to false so that the model knows.",
                store.name,
                store.root.display(),
                denial.rule,
                denial.from,
            ),
        }),
        Channel::Shell => {
            let sandbox = sandbox.filter(|_| store.is_resolved)?;
            if sandbox_reaches(sandbox, &store.root)
                || sandbox.excluded.iter().any(|word| word == store.program)
            {
                return None;
            }
            Some(Told {
                tag: WarningTag::MemoryRootOutsideWriteBoundary.as_str(),
                detail: format!(
                    "A note that `{}` writes from the client's shell is lost: its sandbox, which `{}` \
                     switches on, keeps commands from writing below `{}`; let a server write it \
                     (`{}`), or name exactly that directory in `sandbox.filesystem.allowWrite`.",
                    store.program,
                    sandbox.from,
                    store.root.display(),
                    store.server,
                ),
            })
        }
    }
}
