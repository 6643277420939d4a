//! The hook's own argument list, as `install` writes it: the only source of its places besides
//! `HOME` and `XDG_*`. What it does not know it ignores, because an old entry must never block.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::wiring::entry::FLAGS;

/// What the client calls us for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    PreToolUse,
    PostToolUseFailure,
    SessionStart,
    SessionEnd,
    SubagentStart,
    SubagentStop,
    ConfigChange,
    /// Copies the stores: the hook itself starts it when a session starts, and does not wait.
    Snapshots,
    /// Fails on purpose, for the tests of the backstop.
    SelfTest(String),
    Unknown,
}

/// One hook line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) event: Event,
    /// The arms that the line selects; empty = the guard.
    arms: Vec<String>,
    /// Stores named beside those that are found.
    pub(super) stores: Vec<PathBuf>,
    /// Cortex's homes, besides its default.
    pub(super) cortex_homes: Vec<PathBuf>,
    /// The configuration file to read instead of the one at the user's place.
    pub(super) config: Option<PathBuf>,
    /// The client's own directory, as it was at install.
    pub(super) client: Option<PathBuf>,
    /// Whether the log keeps the whole payload of a logged call.
    pub(super) logs_payloads: bool,
    state: Option<PathBuf>,
    data: Option<PathBuf>,
    /// The directory and the project of the session, for [`Event::Snapshots`].
    pub(super) cwd: Option<String>,
    pub(super) project: Option<String>,
}

impl Line {
    /// Reads the words after `hook`.
    pub(super) fn read(mut args: impl Iterator<Item = OsString>) -> Self {
        let event = args.next().map_or(Event::Unknown, |word| event(&word.to_string_lossy()));
        let mut line = Self { event, ..Self::empty() };
        while let Some(word) = args.next() {
            let Some((flag, joined)) = flag(&word) else { continue };
            let Some(value) = joined.or_else(|| args.next()) else { continue };
            match flag {
                "--with" => {
                    line.arms.extend(value.to_string_lossy().split(',').map(str::to_owned));
                }
                "--store" => line.stores.push(value.into()),
                "--cortex-home" => line.cortex_homes.push(value.into()),
                "--config" => line.config = Some(value.into()),
                "--client" => line.client = Some(value.into()),
                "--state" => line.state = Some(value.into()),
                "--data" => line.data = Some(value.into()),
                "--log" => line.logs_payloads = value == "verbose",
                "--cwd" => line.cwd = value.into_string().ok(),
                "--project" => line.project = value.into_string().ok(),
                _ => {}
            }
        }
        line
    }

    fn empty() -> Self {
        Self {
            event: Event::Unknown,
            arms: Vec::new(),
            stores: Vec::new(),
            cortex_homes: Vec::new(),
            config: None,
            client: None,
            logs_payloads: false,
            state: None,
            data: None,
            cwd: None,
            project: None,
        }
    }

    /// The arguments of the line that say where things are.
    pub(super) fn places(&self) -> Vec<String> {
        let stores = self.stores.iter().map(|path| ("--store", path));
        let homes = self.cortex_homes.iter().map(|path| ("--cortex-home", path));
        let state = self.state.iter().map(|path| ("--state", path));
        let data = self.data.iter().map(|path| ("--data", path));
        stores
            .chain(homes)
            .chain(state)
            .chain(data)
            .flat_map(|(flag, path)| [flag.to_owned(), path.to_string_lossy().into_owned()])
            .collect()
    }

    /// Whether the line selects the guard.
    pub(super) fn has_guard(&self) -> bool {
        self.arms.is_empty() || self.arms.iter().any(|arm| arm == "guard")
    }

    /// Whether the line selects an arm by name.
    pub(super) fn has(&self, arm: &str) -> bool {
        self.arms.iter().any(|one| one == arm)
    }

    /// Whether the line selects the posture.
    pub(super) fn has_posture(&self) -> bool {
        self.arms.iter().any(|arm| arm == "posture")
    }

    /// The user's directories, those that the line names in their place; `None` without a home.
    pub(super) fn dirs(&self) -> Option<Dirs> {
        let mut dirs = Dirs::from_env()?;
        dirs.put(self.state.as_deref(), self.data.as_deref(), self.config.as_deref());
        Some(dirs)
    }

    /// The state directory.
    pub(super) fn state(&self, dirs: &Dirs) -> State {
        State::at(&dirs.state)
    }
}

/// Flags that only the hook itself writes, for the process that it starts.
const OWN_FLAGS: &[&str] = &["--cwd", "--project"];

/// The hook's flag that a word is, with the value that is joined to it.
fn flag(word: &OsString) -> Option<(&'static str, Option<OsString>)> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = word.as_bytes();
    FLAGS.iter().chain(OWN_FLAGS).find_map(|flag| match bytes.strip_prefix(flag.as_bytes())? {
        [] => Some((*flag, None)),
        [b'=', value @ ..] => Some((*flag, Some(OsString::from_vec(value.to_vec())))),
        _ => None,
    })
}

fn event(word: &str) -> Event {
    match word {
        "pre-tool-use" => Event::PreToolUse,
        "post-tool-use-failure" => Event::PostToolUseFailure,
        "session-start" => Event::SessionStart,
        "session-end" => Event::SessionEnd,
        "subagent-start" => Event::SubagentStart,
        "subagent-stop" => Event::SubagentStop,
        "config-change" => Event::ConfigChange,
        "snapshots" => Event::Snapshots,
        _ => match word.strip_prefix("self-test-") {
            Some(what) => Event::SelfTest(what.to_owned()),
            None => Event::Unknown,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Line {
        Line::read(words.iter().map(OsString::from))
    }

    #[test]
    fn what_is_not_known_is_ignored() {
        let line = read(&[
            "pre-tool-use",
            "--new",
            "--store",
            "/a",
            "x",
            "--with",
            "guard,audit",
            "--host",
        ]);
        assert_eq!(line.event, Event::PreToolUse);
        assert_eq!(line.stores, [PathBuf::from("/a")]);
        assert!(line.has_guard());
        assert!(!read(&["pre-tool-use", "--with", "audit"]).has_guard());
        assert!(!read(&["pre-tool-use", "--with=audit"]).has_guard());
        assert_eq!(read(&["pre-tool-use", "--state=/s"]).state, Some(PathBuf::from("/s")));
        assert_eq!(read(&["pre-tool-uze"]).event, Event::Unknown);
        assert_eq!(read(&[]).event, Event::Unknown);
    }
}
