//! Where stores are: Cortex's places and ours, for each directory that a call looks in.

use std::path::{Path, PathBuf};

use super::Machine;
use crate::guard::Place;
use crate::memory::Family;
use crate::memory::store::{Project, is_native};
use crate::sys::git::Repository;
use crate::sys::{env, file};

/// A store's file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Absolute, links resolved.
    pub(super) path: PathBuf,
    /// It is the store of the call's own project.
    pub(super) own: bool,
    /// The branch of the directory that led to it; `None` = not known.
    pub(super) scope: Option<String>,
}

/// A directory that a call looks in.
struct Directory {
    path: PathBuf,
    repository: Option<Repository>,
    project: Project,
}

impl Directory {
    fn at(path: PathBuf) -> Self {
        let repository = Repository::find(&path);
        let project = Project::of(&path, repository.as_ref());
        Self { path, repository, project }
    }

    fn scope(&self) -> Option<String> {
        match &self.repository {
            Some(repository) => repository.scope(),
            None => Some("project".to_owned()),
        }
    }

    /// Where Cortex kept its store before it had a home.
    fn legacy(&self) -> Vec<PathBuf> {
        let repository = self.repository.as_ref();
        let tops = [
            repository.and_then(Repository::main_top),
            repository.and_then(|found| found.top.as_deref()),
            Some(self.path.as_path()),
        ];
        tops.into_iter().flatten().map(|top| top.join(".cortex.db")).collect()
    }
}

impl Machine {
    /// The files of the stores of `family` that a call here would use, whether they are there or not;
    /// none is opened.
    pub fn store_files(&self, family: Family) -> Vec<PathBuf> {
        self.usual_places(family, &Place::default())
    }

    /// The stores of `family` that are there for a call at `place`, each once.
    pub(super) fn candidates(&self, family: Family, place: &Place) -> Vec<Candidate> {
        let own = self.own_project();
        let directories: Vec<Directory> =
            self.directories(place.cwd.as_deref()).into_iter().map(Directory::at).collect();
        let here = directories.first().and_then(Directory::scope);
        let mut found: Vec<Candidate> = Vec::new();
        let named = place.named.iter().map(|named| {
            let cwd = place.cwd.as_deref().unwrap_or(&self.setup.cwd);
            file::resolve(Path::new(cwd), Path::new(named))
        });
        // Where our own commands would go if the call inherits the variable: looked in as well, never
        // instead, because a project's settings can set it.
        let inherited = env::var("RINGFENCE_STORE").map(|named| {
            let cwd = place.cwd.as_deref().unwrap_or(&self.setup.cwd);
            file::resolve(Path::new(cwd), Path::new(&named))
        });
        for path in named.chain(self.setup.stores.iter().cloned()).chain(inherited) {
            let native = is_native(&path);
            if native == (family == Family::Native) {
                put(&mut found, Candidate { path, own: true, scope: here.clone() });
            }
        }
        for directory in &directories {
            for path in self.stores_of(family, place, directory) {
                let own = own.as_ref() == Some(&directory.project.id);
                put(&mut found, Candidate { path, own, scope: directory.scope() });
            }
        }
        found
    }

    /// Where the stores of `family` are for a call at `place`, whether they are there or not.
    pub(super) fn usual_places(&self, family: Family, place: &Place) -> Vec<PathBuf> {
        let directories = self.directories(place.cwd.as_deref()).into_iter().map(Directory::at);
        let mut found = self.setup.stores.clone();
        found.retain(|path| is_native(path) == (family == Family::Native));
        for directory in directories {
            for path in self.stores_of(family, place, &directory) {
                if !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// The id of the call's project: the host's project directory, or where the call is.
    fn own_project(&self) -> Option<String> {
        let dir = self.setup.project.as_deref().unwrap_or(&self.setup.cwd);
        let path = file::canonical(Path::new(dir))
            .or_else(|| file::canonical(Path::new(&self.setup.cwd)))?;
        Some(Directory::at(path).project.id)
    }

    fn stores_of(&self, family: Family, place: &Place, directory: &Directory) -> Vec<PathBuf> {
        match family {
            Family::Cortex => {
                let mut found: Vec<PathBuf> = self
                    .cortex_homes(place)
                    .iter()
                    .map(|home| directory.project.file_below(&home.join("projects"), "cortex.db"))
                    .collect();
                found.extend(directory.legacy());
                found
            }
            Family::Native => {
                let projects = self.setup.dirs.data.join("projects");
                vec![directory.project.file_below(&projects, "memory.db")]
            }
        }
    }

    /// Cortex's homes: its default, and any that a variable names. A variable never replaces the
    /// default, because a project's settings can set it.
    pub(super) fn cortex_homes(&self, place: &Place) -> Vec<PathBuf> {
        let home = &self.setup.dirs.home;
        let mut homes = vec![home.join(".cortex")];
        for named in &self.setup.cortex_homes {
            if !homes.contains(named) {
                homes.push(named.clone());
            }
        }
        for named in [env::var("CORTEX_HOME"), place.cortex_home.clone()].into_iter().flatten() {
            let named = named.trim();
            // A relative one lies below the user's home, as in Cortex.
            let path = home.join(named);
            if !named.is_empty() && !homes.contains(&path) {
                homes.push(path);
            }
        }
        homes
    }
}

/// Adds a candidate that is there, once; also one of which the system does not tell.
fn put(found: &mut Vec<Candidate>, candidate: Candidate) {
    if file::is_missing(&candidate.path) {
        return;
    }
    let path = file::canonical(&candidate.path).unwrap_or_else(|| candidate.path.clone());
    match found.iter_mut().find(|known| known.path == path) {
        Some(known) => known.own |= candidate.own,
        None => found.push(Candidate { path, ..candidate }),
    }
}
