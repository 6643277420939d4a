//! The hook's own argument list, as `install` writes it: the only source of its places besides
//! `HOME` and `XDG_*`. What it does not know it ignores, because an old entry must never block.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::state::State;
use crate::sys::dirs::Dirs;

/// What the client calls us for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    PreToolUse,
    PostToolUseFailure,
    SessionStart,
    SessionEnd,
    SubagentStart,
    SubagentStop,
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
    /// A configuration file that wins over the user's.
    pub(super) config: Option<PathBuf>,
    /// Whether the log keeps the whole payload of a logged call.
    pub(super) logs_payloads: bool,
    state: Option<PathBuf>,
}

impl Line {
    /// Reads the words after `hook`.
    pub(super) fn read(mut args: impl Iterator<Item = OsString>) -> Self {
        let event = args.next().map_or(Event::Unknown, |word| event(&word.to_string_lossy()));
        let mut line = Self {
            event,
            arms: Vec::new(),
            stores: Vec::new(),
            cortex_homes: Vec::new(),
            config: None,
            logs_payloads: false,
            state: None,
        };
        while let Some(word) = args.next() {
            match word.to_str() {
                Some("--with") => {
                    let arms = args.next().unwrap_or_default();
                    line.arms.extend(arms.to_string_lossy().split(',').map(str::to_owned));
                }
                Some("--store") => line.stores.extend(args.next().map(PathBuf::from)),
                Some("--cortex-home") => line.cortex_homes.extend(args.next().map(PathBuf::from)),
                Some("--config") => line.config = args.next().map(PathBuf::from),
                Some("--state") => line.state = args.next().map(PathBuf::from),
                Some("--log") => {
                    line.logs_payloads = args.next().is_some_and(|how| how == "verbose");
                }
                Some("--host") => drop(args.next()),
                _ => {}
            }
        }
        line
    }

    /// Whether the line selects the guard.
    pub(super) fn has_guard(&self) -> bool {
        self.arms.is_empty() || self.arms.iter().any(|arm| arm == "guard")
    }

    /// The user's directories; `None` without a home.
    pub(super) fn dirs(&self) -> Option<Dirs> {
        Dirs::from_env()
    }

    /// The state directory of the line, or the user's.
    pub(super) fn state(&self, dirs: &Dirs) -> State {
        State::at(self.state.clone().unwrap_or_else(|| dirs.state.clone()))
    }
}

fn event(word: &str) -> Event {
    match word {
        "pre-tool-use" => Event::PreToolUse,
        "post-tool-use-failure" => Event::PostToolUseFailure,
        "session-start" => Event::SessionStart,
        "session-end" => Event::SessionEnd,
        "subagent-start" => Event::SubagentStart,
        "subagent-stop" => Event::SubagentStop,
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
        assert_eq!(read(&["pre-tool-uze"]).event, Event::Unknown);
        assert_eq!(read(&[]).event, Event::Unknown);
    }
}
