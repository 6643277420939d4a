//! The owner's pause: for everything, or for one project. Each ends by itself.

use std::path::{Path, PathBuf};

use super::{State, digest};
use crate::request::MemoryGuardRequest;
use crate::sys::file;
use crate::sys::git::Repository;

/// The longest pause, in milliseconds: a later end than this from now is not believed.
pub const LONGEST: i64 = 7 * 24 * 3600 * 1000;

/// A pause that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Off {
    /// Its end, in milliseconds since 1970.
    pub until: i64,
    /// The project that it is for, links resolved; `None` = for everything.
    pub project: Option<PathBuf>,
}

impl State {
    fn off_dir(&self) -> PathBuf {
        self.dir().join("off.d")
    }

    /// All pauses that are on, the one for everything first.
    pub fn pauses(&self, now: i64) -> Vec<Off> {
        let everything = read(&self.dir().join("off"), now).map(|(until, _)| until);
        let mut pauses: Vec<Off> =
            everything.map(|until| Off { until, project: None }).into_iter().collect();
        let mut names = file::names(&self.off_dir());
        names.sort();
        pauses.extend(names.iter().filter_map(|name| {
            let (until, project) = read(&self.off_dir().join(name), now)?;
            Some(Off { until, project: Some(PathBuf::from(project?)) })
        }));
        pauses
    }

    /// The pause that holds for a call in `dir`.
    pub fn pause_at(&self, dir: &Path, now: i64) -> Option<Off> {
        let pauses = self.pauses(now);
        if let Some(everything) = pauses.iter().find(|pause| pause.project.is_none()) {
            return Some(everything.clone());
        }
        if pauses.is_empty() {
            return None;
        }
        let here = [file::canonical(dir)?, project_of(dir)];
        let is_within = |project: &PathBuf| here.iter().any(|dir| dir.starts_with(project));
        pauses.into_iter().find(|pause| pause.project.as_ref().is_some_and(is_within))
    }

    /// Whether the owner has paused the guard for this call.
    ///
    /// A child session counts as where its parent is too: a subagent must not get into a pause by
    /// starting a client in another project.
    pub fn is_off(&self, request: &MemoryGuardRequest, now: i64) -> bool {
        let Some(pause) = self.pause_at(Path::new(&request.cwd), now) else { return false };
        match &request.caller.child_of {
            Some(parent) if pause.project.is_some() => {
                let root = self.session(&self.root_of(parent)).unwrap_or_default();
                self.pause_at(Path::new(&root.cwd), now).is_some()
            }
            Some(_) | None => true,
        }
    }

    /// Switches the guard off until `until`, for everything or for one project.
    ///
    /// # Errors
    /// As the system says.
    pub fn switch_off(&self, off: &Off) -> std::io::Result<()> {
        file::private_dir(self.dir())?;
        let Some(project) = &off.project else {
            return file::write_record(
                &self.dir().join("off"),
                format!("{}\n", off.until).as_bytes(),
            );
        };
        file::private_dir(&self.off_dir())?;
        let path = self.off_dir().join(digest(&project.to_string_lossy()));
        let text = format!("{}\n{}\n", off.until, project.display());
        file::write_record(&path, text.as_bytes())
    }

    /// Ends the pause for everything, or the one for a project; says whether there was one.
    ///
    /// # Errors
    /// As the system says.
    pub fn switch_on(&self, project: Option<&Path>, now: i64) -> std::io::Result<bool> {
        let path = match project {
            None => self.dir().join("off"),
            Some(project) => self.off_dir().join(digest(&project.to_string_lossy())),
        };
        let was_off = read(&path, now).is_some();
        if file::exists(&path) {
            file::remove(&path)?;
        }
        Ok(was_off)
    }
}

/// The project that a directory belongs to: the main work tree of its repository, else itself.
pub fn project_of(dir: &Path) -> PathBuf {
    let repository = Repository::find(dir);
    let top = repository.as_ref().and_then(|found| found.main_top().or(found.top.as_deref()));
    top.map(Path::to_path_buf).or_else(|| file::canonical(dir)).unwrap_or_else(|| dir.to_path_buf())
}

/// The end of a pause that is on, and the project in its second line.
fn read(path: &Path, now: i64) -> Option<(i64, Option<String>)> {
    let text = String::from_utf8(file::read_bounded(path, 8192).ok()?).ok()?;
    let (until, project) = text.split_once('\n').unwrap_or((&text, ""));
    let until: i64 = until.trim().parse().ok()?;
    let project = project.strip_suffix('\n').unwrap_or(project);
    let is_on = until > now && until - now <= LONGEST;
    is_on.then(|| (until, (!project.is_empty()).then(|| project.to_owned())))
}
