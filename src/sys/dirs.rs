//! Where our files live: XDG rules over `HOME`.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::path::{Path, PathBuf};

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

    /// The owner's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Root's configuration file, which wins.
    pub fn managed_file() -> &'static Path {
        Path::new("/etc/ringfence/config.toml")
    }
}
