//! Which paths a boundary shows, hides and freezes, and bubblewrap's arguments for them.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where our own binary lies inside.
pub const INNER: &str = "/run/.ringfence";

/// What is known of the machine; every path absolute, links resolved, and there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// The user's home.
    pub home: PathBuf,
    /// The directory that the command may change.
    pub workspace: PathBuf,
    /// Where the command starts.
    pub cwd: PathBuf,
    /// More that it may change.
    pub write: Vec<PathBuf>,
    /// What stays readable below hidden directories: tool chains, the resolver's file.
    pub read: Vec<PathBuf>,
    /// Directories that are hidden with all below: homes, places of sockets.
    pub hidden: Vec<PathBuf>,
    /// Files that are hidden.
    pub hidden_files: Vec<PathBuf>,
    /// What must not be readable inside, each with something in it.
    pub secrets: Vec<PathBuf>,
    /// What lies in the workspace and stays as it is: it starts programs outside.
    pub frozen: Vec<PathBuf>,
    /// Our own binary.
    pub binary: PathBuf,
    /// The network stays.
    pub net: bool,
}

/// Why no boundary can be drawn here, as a sentence.
pub fn refuse(ground: &Ground) -> Option<String> {
    let (workspace, home) = (&ground.workspace, &ground.home);
    let holds = |path: &Path| path.starts_with(workspace);
    if workspace == Path::new("/") {
        return Some("the workspace is the whole file system".to_owned());
    }
    if holds(home) {
        return Some(format!(
            "the workspace {} holds the home directory, with all its secrets",
            workspace.display()
        ));
    }
    let hidden = ground.hidden.iter().find(|hidden| holds(hidden));
    hidden.map(|hidden| {
        format!(
            "the workspace {} holds {}, which must stay hidden",
            workspace.display(),
            hidden.display()
        )
    })
}

/// bubblewrap's arguments, up to the command.
pub fn bwrap(ground: &Ground) -> Vec<OsString> {
    let mut args = Args::default();
    args.words(&[
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
    ]);
    if !ground.net {
        args.words(&["--unshare-net"]);
    }
    args.words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    for hidden in by_depth(&ground.hidden) {
        args.one("--tmpfs", hidden);
    }
    // Programs expect a home; this one is empty and gone afterwards.
    args.one("--dir", &ground.home);
    for read in by_depth(&ground.read) {
        args.pair("--ro-bind", read, read);
    }
    // What the command may change may lie below what is hidden, so it comes after it.
    let writable = std::iter::once(&ground.workspace).chain(&ground.write);
    for write in by_depth(&writable.cloned().collect::<Vec<_>>()) {
        args.pair("--bind", write, write);
    }
    for frozen in by_depth(&ground.frozen) {
        args.pair("--ro-bind", frozen, frozen);
    }
    for hidden in &ground.hidden_files {
        args.pair("--ro-bind", Path::new("/dev/null"), hidden);
    }
    args.pair("--ro-bind", &ground.binary, Path::new(INNER));
    args.one("--chdir", &ground.cwd);
    args.0
}

/// Outer ones first: a mount covers what was mounted below its place before.
fn by_depth(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut sorted: Vec<&PathBuf> = paths.iter().collect();
    sorted.sort_by_key(|path| path.components().count());
    sorted.dedup();
    sorted
}

#[derive(Default)]
struct Args(Vec<OsString>);

impl Args {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn one(&mut self, option: &str, path: &Path) {
        self.0.extend([option.into(), path.into()]);
    }

    fn pair(&mut self, option: &str, from: &Path, to: &Path) {
        self.0.extend([option.into(), from.into(), to.into()]);
    }
}

/// What stands between a directory and what is hidden below it: Landlock only allows, so around a
/// hidden directory each neighbour is allowed by itself.
pub fn is_above_hidden(ground: &Ground, dir: &Path) -> bool {
    all_hidden(ground).any(|hidden| hidden.starts_with(dir))
}

/// Whether a path is hidden itself.
pub fn is_hidden(ground: &Ground, path: &Path) -> bool {
    all_hidden(ground).any(|hidden| path.starts_with(hidden))
}

fn all_hidden(ground: &Ground) -> impl Iterator<Item = &PathBuf> {
    ground.hidden.iter().chain(&ground.hidden_files)
}
