//! Where our files live: XDG rules over `HOME`.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::path::{Path, PathBuf};

/// The name of the owner's configuration file.
const CONFIG_FILE: &str = "config.toml";

/// The directories of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// `$HOME`.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME/ringfence`.
    pub config: PathBuf,
    /// `$XDG_STATE_HOME/ringfence`.
    pub state: PathBuf,
    /// `$XDG_DATA_HOME/ringfence`.
    pub data: PathBuf,
}

impl Dirs {
    /// Reads `HOME` and `XDG_*`, the only variables that a project's settings cannot move
    /// (client-contract: the client filters them). A relative or empty XDG value counts as unset.
    pub fn from_env() -> Option<Self> {
        let home = PathBuf::from(std::env::var_os("HOME").filter(|home| !home.is_empty())?);
        // Where we happen to stand is no place to keep anything.
        if !home.is_absolute() {
            return None;
        }
        let xdg = |name: &str, below: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(below))
                .join("ringfence")
        };
        Some(Self {
            config: xdg("XDG_CONFIG_HOME", ".config"),
            state: xdg("XDG_STATE_HOME", ".local/state"),
            data: xdg("XDG_DATA_HOME", ".local/share"),
            home,
        })
    }

    /// Puts places that are named in the stead of the usual ones. The configuration's directory is
    /// that of its file, if it is called as usual; else only the file is ours.
    pub fn put(&mut self, state: Option<&Path>, data: Option<&Path>, config: Option<&Path>) {
        if let Some(state) = state {
            self.state = state.to_path_buf();
        }
        if let Some(data) = data {
            self.data = data.to_path_buf();
        }
        let usual = |file: &&Path| file.ends_with(Path::new("ringfence").join(CONFIG_FILE));
        if let Some(dir) = config.filter(usual).and_then(Path::parent) {
            self.config = dir.to_path_buf();
        }
    }

    /// The owner's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join(CONFIG_FILE)
    }

    /// Root's configuration file, which wins.
    pub fn managed_file() -> &'static Path {
        Path::new("/etc/ringfence/config.toml")
    }
}
