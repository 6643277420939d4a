//! git, run so that nothing in a repository, a configuration or our environment makes it run a program.
//!
//! No option newer than git 2.30 is used; newer variables are set too, because an older git ignores them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::{Refusal, RefusalKind};
use crate::sys::{clock, env, quiet};

/// Settings that could start a program, reach a network or hide a change, switched off.
const SETTINGS: [&str; 15] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.sparseCheckout=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.fileMode=true",
    "core.alternateRefsCommand=",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
];

/// Variables of git's, besides PATH: all others are gone.
const VARIABLES: [(&str, &str); 14] = [
    ("HOME", "/dev/null"),
    ("XDG_CONFIG_HOME", "/dev/null"),
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
];

/// git on one repository.
#[derive(Clone, Debug)]
pub struct Git {
    /// Words before the subcommand.
    before: Vec<OsString>,
    git_dir: std::path::PathBuf,
}

impl Git {
    /// git on the git directory `git_dir`, with its filters known and switched off.
    ///
    /// # Errors
    /// When there is no git, it does not accept the repository, or a filter's name cannot be given to
    /// `-c`, so that it could not be switched off.
    pub fn on(git_dir: &Path) -> Result<Self, Refusal> {
        let mut git = Self { before: Vec::new(), git_dir: git_dir.to_path_buf() };
        let mut option = OsString::from("--git-dir=");
        option.push(git_dir);
        git.before.push(option);
        for setting in SETTINGS {
            git.before.extend(["-c".into(), setting.into()]);
        }
        for driver in git.filters()? {
            for (key, value) in
                [("smudge", ""), ("clean", ""), ("process", ""), ("required", "false")]
            {
                let mut word = b"filter.".to_vec();
                word.extend_from_slice(&driver);
                word.extend_from_slice(format!(".{key}={value}").as_bytes());
                git.before.extend(["-c".into(), OsString::from_vec(word)]);
            }
        }
        Ok(git)
    }

    /// The same, on a work tree.
    #[must_use]
    pub fn with_work_tree(mut self, dir: &Path) -> Self {
        let mut option = OsString::from("--work-tree=");
        option.push(dir);
        self.before.push(option);
        self
    }

    /// The names of all filter drivers that the repository's configuration has.
    fn filters(&self) -> Result<Vec<Vec<u8>>, Refusal> {
        // `config --list` reads and runs nothing.
        let listed = self.run(&["config", "--list", "--name-only", "-z"], &[])?;
        let mut found: Vec<Vec<u8>> = Vec::new();
        for name in listed.split(|byte| *byte == 0) {
            let Some(rest) = name.strip_prefix(b"filter.") else { continue };
            let Some(dot) = rest.iter().rposition(|byte| *byte == b'.') else { continue };
            let driver = rest.get(..dot).unwrap_or_default().to_vec();
            if driver.contains(&b'=') || driver.contains(&b'\n') {
                let sentence = format!(
                    "the filter `{}` cannot be switched off: its name holds `=` or a newline",
                    String::from_utf8_lossy(&driver).escape_debug()
                );
                return Err(Refusal::new(RefusalKind::Git, sentence));
            }
            found.push(driver);
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Runs one subcommand: what it printed.
    ///
    /// # Errors
    /// When it does not start, or ends with another status than 0.
    pub fn run(&self, words: &[&str], more: &[&OsStr]) -> Result<Vec<u8>, Refusal> {
        self.run_with(words, more, &[])
    }

    /// As [`Self::run`], with more variables.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_with(
        &self,
        words: &[&str],
        more: &[&OsStr],
        variables: &[(&str, OsString)],
    ) -> Result<Vec<u8>, Refusal> {
        let mut args = self.before.clone();
        args.extend(words.iter().map(OsString::from));
        args.extend(more.iter().map(|word| (*word).to_owned()));
        let mut all: Vec<(&str, OsString)> =
            VARIABLES.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        all.push(("PATH", env::var("PATH").map_or_else(|| "/usr/bin:/bin".into(), OsString::from)));
        all.extend(variables.iter().cloned());
        let mut tries = 0;
        let ended = loop {
            let ended = quiet::run("git", &args, &self.git_dir, &all).map_err(|error| {
                Refusal::new(RefusalKind::NoGit, format!("`git` did not start: {error}"))
            })?;
            tries += 1;
            if ended.status == Some(0) || tries == MOST_TRIES || !met_another(&ended.errors) {
                break ended;
            }
            clock::pause(PAUSE_MS);
        };
        if ended.status == Some(0) {
            return Ok(ended.output);
        }
        let said = String::from_utf8_lossy(&ended.errors);
        let said = said.trim().lines().next().unwrap_or("it said nothing");
        let name = words.first().copied().unwrap_or_default();
        Err(Refusal::new(RefusalKind::Git, format!("`git {name}` failed: {said}")))
    }
}

/// How often a call is made that met another one in the middle, and the pause between.
const MOST_TRIES: usize = 50;
const PAUSE_MS: u64 = 20;

/// Whether git stumbled over the record of a work tree that another git is just making or removing:
/// it reads the records of all of them, and knows no lock for that.
fn met_another(errors: &[u8]) -> bool {
    let said = String::from_utf8_lossy(errors);
    said.contains("/worktrees/")
        && ["failed to read", "could not open", "No such file"].iter().any(|why| said.contains(why))
}

/// Whether `text` is a full object id, which is never an option and never a name.
pub fn is_full_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
