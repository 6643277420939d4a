//! The table of all that we own on a machine. `install` writes its rows, `uninstall` removes them,
//! `status` and `doctor` look at them.

use std::path::{Path, PathBuf};

use super::entry::{Entry, Form, SHIM};
use crate::guard::MEMORY_GUARD_MATCHER;
use crate::sys::dirs::Dirs;

/// Seconds after which the client goes on without us; our own backstop ends after one.
pub const TIMEOUT: u32 = 5;

/// One entry in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryRow {
    /// The client's name of the event.
    pub event: &'static str,
    /// Our word for it.
    pub word: &'static str,
    /// Which tools it is asked about; `None` for events without tools.
    pub matcher: Option<&'static str>,
    /// The arms that need it.
    pub arms: &'static [&'static str],
    /// What it is for.
    pub what: &'static str,
}

/// The entries, in the order in which they are written.
pub const ENTRIES: &[EntryRow] = &[
    EntryRow {
        event: "PreToolUse",
        word: "pre-tool-use",
        matcher: Some(MEMORY_GUARD_MATCHER),
        arms: &["guard", "scratchpad"],
        what: "judges each tool call",
    },
    EntryRow {
        event: "PostToolUseFailure",
        word: "post-tool-use-failure",
        matcher: Some(MEMORY_GUARD_MATCHER),
        arms: &["guard"],
        what: "gives back the grant of a call that failed",
    },
    EntryRow {
        event: "SessionStart",
        word: "session-start",
        matcher: None,
        arms: &["guard", "audit", "scratchpad"],
        what: "records sessions and finds child sessions",
    },
    EntryRow {
        event: "SessionEnd",
        word: "session-end",
        matcher: None,
        arms: &["guard"],
        what: "records when a session ended",
    },
    EntryRow {
        event: "SubagentStart",
        word: "subagent-start",
        matcher: None,
        arms: &["guard"],
        what: "records which subagents belong to a session",
    },
    EntryRow {
        event: "SubagentStop",
        word: "subagent-stop",
        matcher: None,
        arms: &["guard"],
        what: "records when a subagent ended",
    },
    EntryRow {
        event: "ConfigChange",
        word: "config-change",
        matcher: None,
        arms: &["guard"],
        what: "holds back settings in which these entries would not bind",
    },
];

/// What kind of thing a file row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// The shell shim beside the binary.
    Shim,
    /// The memory server among the client's servers.
    Server,
    /// The backups beside a settings file.
    Backups,
    /// What install remembers: originals, what it made.
    Record,
}

/// One kind of file that we write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// What kind.
    pub kind: FileKind,
    /// What it is, for a person.
    pub what: &'static str,
    /// How a file is recognised as ours.
    pub recognised: &'static str,
    /// When uninstall removes it.
    pub removed: &'static str,
}

/// The files.
pub const FILES: &[FileRow] = &[
    FileRow {
        kind: FileKind::Shim,
        what: "shell shim",
        recognised: "its path in the record, its text in this binary",
        removed: "with the last settings file that names it",
    },
    FileRow {
        kind: FileKind::Server,
        what: "memory server",
        recognised: "its name `ringfence`, our program and `mcp` with our flags",
        removed: "always; the file too, when install made it",
    },
    FileRow {
        kind: FileKind::Backups,
        what: "backups of settings",
        recognised: "the settings file's name, `.ringfence-`, a time, `.bak`",
        removed: "when the very original is back, or with --purge --yes",
    },
    FileRow {
        kind: FileKind::Record,
        what: "record of the installation",
        recognised: "its place in the state directory",
        removed: "always",
    },
];

/// How many backups are kept beside a settings file.
pub const BACKUPS_KEPT: usize = 5;

/// The arms that this version can register.
pub const ARMS: &[&str] = &["guard", "audit", "scratchpad", "mcp"];

/// The words for arms that later versions have.
pub const LATER_ARMS: &[&str] = &["ledger", "posture", "sandbox"];

/// Whose settings are edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// The project's, shared with others.
    Project,
    /// The project's, for this machine only.
    Local,
    /// The machine's, which users cannot switch off.
    Managed,
}

impl Scope {
    /// Permission bits of a settings file and of a directory that install makes: what others must
    /// read is open to them.
    pub fn modes(self) -> (u32, u32) {
        match self {
            Self::User | Self::Local => (0o600, 0o700),
            Self::Project | Self::Managed => (0o644, 0o755),
        }
    }
}

/// The project's settings for one machine, below its directory.
pub const LOCAL_SETTINGS: &str = ".claude/settings.local.json";

/// The client's managed settings.
pub const MANAGED_SETTINGS: &str = "/etc/claude-code/managed-settings.json";

/// Where the client and we keep things for this user and directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The client's configuration directory.
    pub client: PathBuf,
    /// The project's directory.
    pub project: PathBuf,
    /// Our directories.
    pub dirs: Dirs,
    /// The running binary, links resolved.
    pub binary: PathBuf,
    /// What must be named on the hook's line because it is not where the hook would look.
    pub on_the_line: Vec<(&'static str, String)>,
    /// What is named on the line of one user's entry: there nothing in the environment can move it.
    pub usual: Vec<(&'static str, String)>,
}

impl Places {
    /// The settings file of a scope.
    pub fn settings(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.client.join("settings.json"),
            Scope::Project => self.project.join(".claude/settings.json"),
            Scope::Local => self.project.join(LOCAL_SETTINGS),
            Scope::Managed => PathBuf::from(MANAGED_SETTINGS),
        }
    }

    /// The places that an entry in the settings of `scope` names: what several users share cannot
    /// name those of one.
    pub fn named(&self, scope: Scope) -> impl Iterator<Item = (&'static str, &str)> {
        let usual = match scope {
            Scope::User | Scope::Local => self.usual.as_slice(),
            Scope::Project | Scope::Managed => &[],
        };
        let is_said = |flag: &str| self.on_the_line.iter().any(|(said, _)| *said == flag);
        let usual =
            usual.iter().filter(move |(flag, _)| *flag == "--cortex-home" || !is_said(flag));
        self.on_the_line.iter().chain(usual).map(|(flag, value)| (*flag, value.as_str()))
    }

    /// Where the shim is installed.
    pub fn shim(&self) -> PathBuf {
        self.binary.with_file_name(SHIM)
    }

    /// The directory of the record.
    pub fn record_dir(&self) -> PathBuf {
        self.dirs.state.join("wiring")
    }
}

/// The entries that `arms` need in the settings of `scope`, for a program at `command`.
pub fn entries(
    places: &Places,
    scope: Scope,
    command: &Path,
    form: Form,
    arms: &[String],
) -> Vec<Entry> {
    // The shim is for shared dotfiles, so also for clients that would start it without arguments.
    let form = if command == places.shim() { Form::Shell } else { form };
    let needs = |row: &&EntryRow| row.arms.iter().any(|arm| arms.iter().any(|one| one == arm));
    let entry = |row: &EntryRow| {
        let mut args = vec!["hook".to_owned(), row.word.to_owned()];
        let own: Vec<_> =
            arms.iter().filter(|arm| row.arms.contains(&arm.as_str())).cloned().collect();
        args.extend(["--with".to_owned(), own.join(",")]);
        for (flag, value) in places.named(scope) {
            args.extend([flag.to_owned(), value.to_owned()]);
        }
        Entry {
            event: row.event,
            matcher: row.matcher.map(str::to_owned),
            command: command.to_string_lossy().into_owned(),
            args,
            form,
            timeout: TIMEOUT,
        }
    };
    ENTRIES.iter().filter(needs).map(entry).collect()
}
