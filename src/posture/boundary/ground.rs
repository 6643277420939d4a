//! Looks at the machine: what must be hidden here, what stays readable, what is frozen.

use std::path::{Path, PathBuf};

use super::layout::Ground;
use crate::sys::dirs::Dirs;
use crate::sys::git::Repository;
use crate::sys::{env, file};

/// Below home and readable: tool chains and their caches, without the files that hold credentials.
const TOOL_CHAINS: [&str; 36] = [
    ".cargo/bin",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/config.toml",
    ".cargo/env",
    ".rustup",
    ".pyenv",
    ".nvm",
    ".fnm",
    ".volta",
    ".asdf",
    ".rbenv",
    ".rvm",
    ".gem/ruby",
    ".sdkman",
    ".jenv",
    ".ghcup",
    ".cabal/bin",
    ".cabal/packages",
    ".stack/programs",
    ".opam",
    ".bun/bin",
    ".bun/install",
    ".deno/bin",
    ".m2/repository",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/mise",
    ".local/share/uv",
    ".local/share/pnpm",
    ".local/share/pipx",
    ".npm/_cacache",
    "go",
    ".gitconfig",
    ".config/git/config",
];

/// Places of other users' homes, temporary files and sockets.
const HIDDEN: [&str; 7] =
    ["/home", "/root", "/tmp", "/var/tmp", "/run", "/var/run", "/etc/ringfence"];

/// Files that only root should read, for a run that is root's.
const HIDDEN_FILES: [&str; 2] = ["/etc/shadow", "/etc/gshadow"];

/// Below home, and readable by nobody inside.
const SECRETS: [&str; 9] = [
    ".ssh",
    ".aws",
    ".config/gh",
    ".gnupg",
    ".netrc",
    ".npmrc",
    ".claude",
    ".codex",
    ".cargo/credentials.toml",
];

/// In the workspace, but read by programs outside.
const FROZEN: [&str; 5] = [".claude", ".mcp.json", ".ringfence.toml", ".git/hooks", ".git/config"];

/// Variables that lead to someone's terminal, keys or display.
pub const LEADS_OUT: [&str; 9] = [
    "TMUX",
    "TMUX_PANE",
    "TMUX_TMPDIR",
    "STY",
    "SSH_AUTH_SOCK",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "WAYLAND_DISPLAY",
    "DISPLAY",
];

/// What the caller asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The workspace; the top of the work tree, or the current directory, without one.
    pub workspace: Option<PathBuf>,
    /// More that may be changed.
    pub write: Vec<PathBuf>,
    /// More below home that may be read.
    pub read: Vec<PathBuf>,
    /// The network stays.
    pub net: bool,
}

/// Looks at the machine.
///
/// # Errors
/// A sentence, when something that is needed is not there.
pub fn look(dirs: &Dirs, wish: &Wish) -> Result<Ground, String> {
    let real = |path: &Path| {
        file::canonical(path).ok_or_else(|| format!("`{}` is not there", path.display()))
    };
    let cwd = env::current_dir().ok_or("the current directory is gone")?;
    let cwd = real(&cwd)?;
    let workspace = match &wish.workspace {
        Some(workspace) => real(workspace)?,
        None => Repository::find(&cwd).and_then(|found| found.top).unwrap_or_else(|| cwd.clone()),
    };
    let home = real(&dirs.home)?;
    let mut ground = Ground {
        cwd,
        net: wish.net,
        binary: env::current_exe().ok_or("the running binary's own path is not known")?,
        hidden: hidden(dirs, &home),
        hidden_files: existing(HIDDEN_FILES.iter().map(PathBuf::from)),
        read: existing(TOOL_CHAINS.iter().map(|below| home.join(below))),
        write: wish.write.iter().map(|path| real(path)).collect::<Result<_, _>>()?,
        home,
        workspace,
        frozen: Vec::new(),
        secrets: Vec::new(),
    };
    ground.read.extend(wish.read.iter().map(|path| real(path)).collect::<Result<Vec<_>, _>>()?);
    if wish.net {
        // The resolver's file is often a link into a hidden directory.
        ground.read.extend(file::canonical(Path::new("/etc/resolv.conf")));
    }
    ground.write.extend(shared_git(&ground.workspace));
    let tops = std::iter::once(&ground.workspace).chain(&ground.write);
    ground.frozen = tops
        .flat_map(|top| FROZEN.iter().map(move |below| top.join(below)))
        .filter(|path| file::exists(path))
        .filter_map(|path| file::canonical(&path))
        .collect();
    ground.secrets = secrets(dirs, &ground);
    let starts_inside = ground.cwd.starts_with(&ground.workspace)
        || ground.write.iter().chain(&ground.read).any(|open| ground.cwd.starts_with(open));
    if !starts_inside {
        ground.cwd = ground.workspace.clone();
    }
    Ok(ground)
}

/// Whatever holds secrets, sockets or our own things.
fn hidden(dirs: &Dirs, home: &Path) -> Vec<PathBuf> {
    let ours = [&dirs.config, &dirs.state, &dirs.data].into_iter().cloned();
    let client = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "CORTEX_HOME", "XDG_CONFIG_HOME"];
    let sockets = ["TMUX_TMPDIR", "XDG_RUNTIME_DIR", "TMPDIR"];
    let named = client.iter().chain(&sockets).filter_map(|name| env::var(name)).map(PathBuf::from);
    let fixed = HIDDEN.iter().map(PathBuf::from);
    let mut all = existing(fixed.chain(ours).chain(named).filter(|path| path.is_absolute()));
    all.push(home.to_path_buf());
    all.sort();
    all.dedup();
    // What lies below another one is hidden with it.
    let outer = all.clone();
    all.retain(|path| !outer.iter().any(|other| other != path && path.starts_with(other)));
    all.retain(|path| path != Path::new("/"));
    all
}

/// What is there, and hidden as a whole.
fn secrets(dirs: &Dirs, ground: &Ground) -> Vec<PathBuf> {
    let below_home = SECRETS.iter().map(|below| ground.home.join(below));
    let ours = [&dirs.config, &dirs.state, &dirs.data].into_iter().cloned();
    let files = ground.hidden_files.iter().cloned();
    let mut all = existing(below_home.chain(ours).chain(files));
    let opened = |path: &PathBuf| {
        let mut open = ground.write.iter().chain(&ground.read).chain([&ground.workspace]);
        open.any(|open| open.starts_with(path) || path.starts_with(open))
    };
    all.retain(|path| !opened(path));
    all
}

fn existing(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.filter_map(|path| file::canonical(&path)).collect();
    found.sort();
    found.dedup();
    found
}

/// Of a linked work tree, the parts of the shared repository that a commit writes.
fn shared_git(workspace: &Path) -> Vec<PathBuf> {
    let Some(found) = Repository::find(workspace) else { return Vec::new() };
    if found.git_dir.starts_with(workspace) {
        return Vec::new();
    }
    let parts = ["objects", "refs", "logs"].map(|part| found.common_dir.join(part));
    existing(parts.into_iter().chain([found.git_dir]))
}
