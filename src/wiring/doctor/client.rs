//! Which client is installed, and what its version can do.

use std::time::Duration;

use super::Row;
use super::entries::Bound;
use crate::sys::child::{self, Run, Scratch};
use crate::sys::env;
use crate::wiring::binding;
use crate::wiring::scopes::SettingsFile;

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

pub(super) fn rows(found: &[Bound<'_>], files: &[SettingsFile]) -> Vec<Row> {
    if env::find_program("claude").is_none() {
        let said = "there is no `claude` on PATH";
        let install = "npm install -g @anthropic-ai/claude-code";
        return vec![Row::warn("client", said, install), places(found, None)];
    }
    let version = installed_version();
    let mut rows = vec![marks(version)];
    rows.push(places(found, version));
    let ignored = files.iter().filter(|file| file.is_loaded()).find(|file| {
        let ours = file.registered.iter().any(|entry| entry.blocks_on_failure);
        ours || file.others.iter().any(|other| other.blocks_on_failure)
    });
    if let Some(file) = ignored
        && let Some(version) = version.filter(|version| *version < ON_FAILURE)
    {
        let place = file.path.display();
        let said = format!(
            "{version} ignores `onFailure` in {place}: a hook that fails lets the call through; \
             {ON_FAILURE} is the first that does not"
        );
        rows.push(Row::warn("client", said, UPDATE));
    }
    rows
}

const UPDATE: &str = "claude update";

fn marks(version: Option<Version>) -> Row {
    match version {
        None => Row::warn("client", "the client does not say its version", UPDATE),
        Some(version) if version < AGENT_ID => Row::fail(
            "client",
            format!(
                "{version} does not mark a subagent's calls; {AGENT_ID} is the first that does"
            ),
            UPDATE,
        ),
        Some(version) if version < EXEC_FORM => Row::warn(
            "client",
            format!("{version} starts hooks by a shell; {EXEC_FORM} is the first that need not"),
            UPDATE,
        ),
        Some(version) => Row::pass("client", format!("{version} marks a subagent's calls")),
    }
}

/// Whether the lines name their places, and what may move them where they do not.
fn places(found: &[Bound<'_>], version: Option<Version>) -> Row {
    let names = |bound: &&Bound<'_>| {
        let named = |flag| binding::values(&bound.entry.argv, flag).next().is_some();
        ["--config", "--state", "--data"].into_iter().all(named)
    };
    let Some(open) = found.iter().find(|bound| !names(bound)) else {
        return Row::pass("places", "the hook's lines name them: no `env` moves them");
    };
    let place = open.path.display();
    match version {
        Some(version) if version >= ENV_KEPT => {
            let said = format!("not named in {place}; {version} keeps a project's `env` off them");
            Row::pass("places", said)
        }
        Some(version) => {
            let said = format!(
                "not named in {place}, and {version} lets a project's `env` move them; \
                 {ENV_KEPT} is the first that does not"
            );
            Row::warn("places", said, "ringfence install")
        }
        None => Row::warn(
            "places",
            format!("not named in {place}; a client before {ENV_KEPT} lets a project move them"),
            "ringfence install",
        ),
    }
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
