//! Which client is installed, and what its version can do.

use std::time::Duration;

use super::Row;
use crate::sys::child::{self, Run, Scratch};
use crate::sys::env;

/// A version of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl std::fmt::Display for Version {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The oldest client that marks a subagent's calls; found by running older ones.
pub const AGENT_ID: Version = Version(2, 1, 69);

/// The oldest client that starts a hook without a shell.
pub const EXEC_FORM: Version = Version(2, 1, 139);

/// The oldest client that keeps a project's `env` from moving `HOME` and `XDG_*` for hooks.
pub const ENV_KEPT: Version = Version(2, 1, 251);

/// The oldest client that knows `onFailure`.
pub const ON_FAILURE: Version = Version(2, 1, 295);

/// A client's own start-up can take this long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

impl Version {
    /// Reads the first word of `2.1.328 (Claude Code)`.
    pub fn read(text: &str) -> Option<Self> {
        let word = text.split_whitespace().next()?;
        let mut parts = word.split('.').map(|part| {
            part.split(|one: char| !one.is_ascii_digit()).next().unwrap_or_default().parse().ok()
        });
        Some(Self(parts.next()??, parts.next()??, parts.next()??))
    }
}

/// The version of the client on PATH; `None` if there is none or it does not say.
pub fn installed_version() -> Option<Version> {
    let client = env::find_program("claude")?;
    let scratch = Scratch::new().ok()?;
    let home = scratch.path();
    let argv = [client.to_string_lossy().into_owned(), "--version".to_owned()];
    // With a home of its own: being asked for its version must not make files in the user's.
    let variables =
        [("HOME", Some(home.to_string_lossy().into_owned())), ("CLAUDE_CONFIG_DIR", None)];
    let run = Run { argv: &argv, cwd: &home, env: &variables, input: b"", limit: PATIENCE };
    Version::read(&String::from_utf8_lossy(&child::run(&run).ok()?.output))
}

pub(super) fn rows() -> Vec<Row> {
    if env::find_program("claude").is_none() {
        let said = "there is no `claude` on PATH";
        return vec![Row::warn("client", said, "npm install -g @anthropic-ai/claude-code")];
    }
    let update = "claude update";
    vec![match installed_version() {
        None => Row::warn("client", "the client does not say its version", update),
        Some(version) if version < AGENT_ID => Row::fail(
            "client",
            format!(
                "{version} does not mark a subagent's calls; {AGENT_ID} is the first that does"
            ),
            update,
        ),
        Some(version) if version < EXEC_FORM => Row::warn(
            "client",
            format!("{version} starts hooks by a shell; {EXEC_FORM} is the first that need not"),
            update,
        ),
        Some(version) => Row::pass("client", format!("{version} marks a subagent's calls")),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        assert_eq!(Version::read("2.1.328 (Claude Code)\n"), Some(Version(2, 1, 328)));
        assert_eq!(Version::read("2.2.0-beta.1"), Some(Version(2, 2, 0)));
        assert_eq!(Version::read("claude"), None);
        assert_eq!(Version::read(""), None);
        assert!(Version(2, 1, 68) < AGENT_ID && Version(2, 1, 328) > ON_FAILURE);
        assert!(Version(2, 10, 0) > EXEC_FORM);
    }
}
