//! Which paths only their own program may write.

use std::path::{Path, PathBuf};

use super::Machine;
use crate::guard::{Place, Protected, ProtectedKind};
use crate::memory::Family;
use crate::memory::store::is_native;
use crate::sys::dirs::Dirs;
use crate::sys::git::Repository;
use crate::sys::{env, file};

const CORTEX: &str = "the memory store";
const NATIVE: &str = "Ringfence's memory store";
const SETTINGS: &str = "the client's settings";
const PROGRAM: &str = "Ringfence's program";
const PLUGIN: &str = "Ringfence's plugin";
const PLUGIN_MANIFEST: &str = ".claude-plugin/plugin.json";
const MANAGED_SETTINGS: &str = "/etc/claude-code/managed-settings.json";

impl Machine {
    /// The stores of this call first, then all others, our own files, and the client's settings.
    pub(super) fn protected_paths(&self) -> Vec<Protected> {
        let mut found = List(Vec::new());
        let place = Place::default();
        for family in [Family::Cortex, Family::Native] {
            for candidate in self.candidates(family, &place) {
                found.store(&candidate.path);
            }
        }
        for home in self.cortex_homes(&place) {
            found.stores_below(&home.join("projects"), "cortex.db");
        }
        let dirs = &self.setup.dirs;
        found.stores_below(&dirs.data.join("projects"), "memory.db");
        found.own(self.setup.state.dir(), "Ringfence's state");
        found.own(&dirs.config, "Ringfence's configuration");
        if let Some(named) = &self.setup.config {
            found.own(named, "Ringfence's configuration");
        }
        found.own(Dirs::managed_file(), "Ringfence's configuration");
        if let Some(binary) = env::current_exe() {
            let shim = binary.with_file_name("ringfence.sh");
            found.own(&binary, PROGRAM);
            if file::exists(&shim) {
                found.own(&shim, PROGRAM);
            }
        }
        // Looked in as well as the default, never instead: a project can set the variable.
        let moved = env::var("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let named = self.setup.client.clone();
        for client in [Some(dirs.home.join(".claude")), named, moved].into_iter().flatten() {
            found.put(&client.join("settings.json"), SETTINGS, ProtectedKind::Settings);
        }
        found.put(Path::new(MANAGED_SETTINGS), SETTINGS, ProtectedKind::Settings);
        if let Some(root) = env::var("CLAUDE_PLUGIN_ROOT").map(PathBuf::from) {
            self.protect_plugin(&mut found, &root);
        }
        for dir in self.directories(None) {
            self.protect_project(&mut found, &dir);
        }
        found.0
    }

    /// What makes the plugin bind, when the client started this hook for it.
    fn protect_plugin(&self, found: &mut List, root: &Path) {
        // A program planted beside the shim would be started instead of ours.
        for below in ["hooks/hooks.json", "hooks/ringfence.sh", "hooks/ringfence", PLUGIN_MANIFEST]
        {
            found.own(&root.join(below), PLUGIN);
        }
        // And so would one at a place where the shim looks earlier.
        for below in [".local/bin/ringfence", ".cargo/bin/ringfence"] {
            found.own(&self.setup.dirs.home.join(below), PROGRAM);
        }
        let moved = env::var("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        for client in [Some(self.setup.dirs.home.join(".claude")), moved].into_iter().flatten() {
            for name in ["installed_plugins.json", "known_marketplaces.json"] {
                found.own(&client.join("plugins").join(name), PLUGIN);
            }
        }
    }

    fn protect_project(&self, found: &mut List, dir: &Path) {
        let repository = Repository::find(dir);
        let top = repository.as_ref().and_then(|found| found.top.as_deref());
        // The client in a linked work tree reads the local settings of the main one too.
        let main = repository.as_ref().and_then(Repository::main_top);
        for dir in [Some(dir), top, main].into_iter().flatten() {
            for name in [".claude/settings.json", ".claude/settings.local.json"] {
                found.put(&dir.join(name), SETTINGS, ProtectedKind::Settings);
            }
            let project = dir.join(".ringfence.toml");
            if file::exists(&project) {
                found.own(&project, "Ringfence's configuration");
            }
        }
    }
}

struct List(Vec<Protected>);

impl List {
    fn store(&mut self, path: &Path) {
        let what = if is_native(path) { NATIVE } else { CORTEX };
        self.put(path, what, ProtectedKind::Store);
    }

    fn stores_below(&mut self, projects: &Path, name: &str) {
        let mut directories = file::names(projects);
        directories.sort();
        for directory in directories {
            let path = projects.join(directory).join(name);
            if file::exists(&path) {
                self.store(&path);
            }
        }
    }

    fn own(&mut self, path: &Path, what: &'static str) {
        self.put(path, what, ProtectedKind::Own);
    }

    fn put(&mut self, path: &Path, what: &'static str, kind: ProtectedKind) {
        let path = file::resolve(Path::new("/"), path).to_string_lossy().into_owned();
        if !self.0.iter().any(|known| known.path == path) {
            self.0.push(Protected { path, what, kind });
        }
    }
}
