//! Where things are on this machine, for the commands of a person. Reads the environment.

use std::path::{Path, PathBuf};

use super::install::Refused;
use super::table::Places;
use crate::sys::dirs::Dirs;
use crate::sys::env;

impl Places {
    /// Finds out. The hook itself never reads these variables: a project can set them.
    ///
    /// # Errors
    /// When `HOME` is not set or our own program cannot be found.
    pub fn find() -> Result<Self, Refused> {
        let mut dirs = Dirs::from_env()
            .ok_or_else(|| Refused::new("`HOME` is not set to an absolute path"))?;
        let binary = env::current_exe()
            .ok_or_else(|| Refused::new("the program's own path cannot be found"))?;
        let cwd = env::current_dir().ok_or_else(|| {
            Refused::new("the current directory is gone").hint("cd into one that exists")
        })?;
        let absolute = |path: String| cwd.join(path);
        let mut on_the_line = Vec::new();
        let mut name = |flag, path: &Path| {
            on_the_line.push((flag, path.to_string_lossy().into_owned()));
        };
        if let Some(store) = env::var("RINGFENCE_STORE").map(absolute) {
            name("--store", &store);
        }
        if let Some(config) = env::var("RINGFENCE_CONFIG").map(absolute) {
            name("--config", &config);
        }
        if let Some(state) = env::var("RINGFENCE_STATE").map(absolute) {
            name("--state", &state);
            dirs.state = state;
        }
        if let Some(cortex) = env::var("CORTEX_HOME") {
            // Cortex takes a relative one from the user's home, not from here.
            let cortex = dirs.home.join(cortex.trim());
            if cortex != dirs.home.join(".cortex") {
                name("--cortex-home", &cortex);
            }
        }
        let client =
            env::var("CLAUDE_CONFIG_DIR").map_or_else(|| dirs.home.join(".claude"), absolute);
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let usual = vec![
            ("--config", text(&dirs.config_file())),
            ("--state", text(&dirs.state)),
            ("--data", text(&dirs.data)),
            ("--client", text(&client)),
            ("--cortex-home", text(&dirs.home.join(".cortex"))),
        ];
        Ok(Self { client, project: project_of(&cwd), dirs, binary, on_the_line, usual })
    }
}

/// The nearest directory above with a `.git`, else the directory itself.
fn project_of(cwd: &Path) -> PathBuf {
    let top = cwd.ancestors().find(|dir| dir.join(".git").exists());
    top.unwrap_or(cwd).to_path_buf()
}
