//! Where the server works: its project, store and state.

use std::path::{Path, PathBuf};

use crate::facts::Named;
use crate::memory::store::Project;
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::git::Repository;
use crate::sys::{env, file};

/// The server's places.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub(super) dirs: Dirs,
    pub(super) state: State,
    pub(super) config: Option<PathBuf>,
    pub(super) client: Option<PathBuf>,
    /// The store's file, absolute.
    pub(super) store: PathBuf,
    pub(super) project: Project,
    /// The project's directory, links resolved.
    pub(super) dir: PathBuf,
    /// The session of the client that started the server.
    pub(super) session: Option<String>,
}

impl Home {
    /// Finds out. As for the hook, no variable moves what its own line does not: a project's settings
    /// can set variables.
    ///
    /// # Errors
    /// One sentence: nothing has a place without a home and a directory.
    pub(super) fn find(named: Named) -> Result<Self, String> {
        let mut dirs = Dirs::from_env()
            .ok_or("`HOME` is not set to an absolute path, so nothing has a place")?;
        let cwd = env::current_dir().ok_or("the current directory is gone")?;
        let at = |path: PathBuf| cwd.join(path);
        if let Some(data) = named.data {
            dirs.data = at(data);
        }
        if let Some(state) = named.state {
            dirs.state = at(state);
        }
        let project = env::var("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let dir = project
            .filter(|dir| dir.is_absolute())
            .and_then(|dir| file::canonical(&dir))
            .or_else(|| file::canonical(&cwd))
            .unwrap_or_else(|| cwd.clone());
        let project = Project::of(&dir, Repository::find(&dir).as_ref());
        let store = match named.store {
            Some(store) => at(store),
            None => project.file_below(&dirs.data.join("projects"), "memory.db"),
        };
        Ok(Self {
            state: State::at(dirs.state.clone()),
            config: named.config.map(at),
            client: named.client.map(at),
            store,
            project,
            dir,
            session: env::var("CLAUDE_CODE_SESSION_ID"),
            dirs,
        })
    }

    /// The project's directory as text.
    pub(super) fn dir_text(&self) -> String {
        self.dir.to_string_lossy().into_owned()
    }

    /// Whether a directory belongs to the project.
    pub(super) fn is_here(&self, dir: &str) -> bool {
        let Some(dir) = file::canonical(Path::new(dir)) else { return false };
        Project::of(&dir, Repository::find(&dir).as_ref()).id == self.project.id
    }

    /// The newest session of the project that is running and nobody's child.
    pub(super) fn primary(&self) -> Option<String> {
        let mut running: Vec<_> = self
            .state
            .sessions()
            .into_iter()
            .filter(|record| record.ended.is_empty() && record.child_of.is_none())
            .filter(|record| self.is_here(&record.cwd))
            .collect();
        running.sort_by(|left, right| left.first_seen.cmp(&right.first_seen));
        running.pop().map(|record| record.session)
    }
}
