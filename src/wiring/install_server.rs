//! Registers the memory server with the client: the `mcp` arm of install.

use std::path::{Path, PathBuf};

use super::diff;
use super::document;
use super::install::{Change, Installed, Order, Refused, look, under_lock};
use super::record::Record;
use super::server;
use super::settings;
use super::table::{Places, Scope};
use super::write::{Writing, write};
use crate::sys::replace::Found;

/// The arm that is no hook but a server.
pub const ARM: &str = "mcp";

/// Registers the server; with `dry_run` says what would be done.
///
/// # Errors
/// When another memory server has the place, or the file cannot be read, edited or replaced; nothing
/// is changed then.
pub fn install(order: &Order<'_>) -> Result<Installed, Refused> {
    let path = file(order.places, order.scope)?;
    if order.dry_run {
        let found = look(&path)?;
        return Ok(prepare(order, &found)?.0);
    }
    under_lock(order, &path, |made_dirs| install_locked(order, &path, made_dirs))
}

fn install_locked(
    order: &Order<'_>,
    path: &Path,
    made_dirs: &[PathBuf],
) -> Result<Installed, Refused> {
    let found = look(path)?;
    let (mut report, edited) = prepare(order, &found)?;
    if report.change == Change::Nothing {
        return Ok(report);
    }
    let record_dir = order.places.record_dir();
    let mut record = Record::read(&record_dir).unwrap_or_default();
    let old_record = record.clone();
    record.dirs.extend(made_dirs.iter().cloned());
    let writing =
        Writing { places: order.places, found: &found, edited: &edited, scope: order.scope };
    report.backup = write(&writing, record, &old_record)?;
    Ok(report)
}

/// The file in which the client keeps the servers of a scope.
fn file(places: &Places, scope: Scope) -> Result<PathBuf, Refused> {
    match scope {
        Scope::User => Ok(places.user_servers()),
        Scope::Project => Ok(places.project_servers()),
        Scope::Local | Scope::Managed => Err(Refused::new(
            "the memory server is registered for a user or for a project, nothing else",
        )
        .hint("ringfence install --with mcp --scope user")),
    }
}

fn prepare(order: &Order<'_>, found: &Found) -> Result<(Installed, settings::Edited), Refused> {
    let places = order.places;
    no_other(places)?;
    let mut argv = vec![places.binary.to_string_lossy().into_owned(), ARM.to_owned()];
    if places.binary.to_str().is_none() {
        return Err(Refused::new("the program's own path is not UTF-8, and JSON cannot hold it"));
    }
    for (flag, value) in places.named(order.scope) {
        if server::FLAGS.contains(&flag) {
            argv.extend([flag.to_owned(), value.to_owned()]);
        }
    }
    let (path, before) = match found {
        Found::Nothing(path) => (path, None),
        Found::File(seen) => (&seen.path, Some(seen)),
    };
    let text = before.map_or(&b""[..], |seen| &seen.bytes);
    let own = places.binary.to_string_lossy();
    let edited =
        server::add(text, &argv, &own).map_err(|refusal| Refused::settings(path, &refusal))?;
    let mut warnings = Vec::new();
    if order.scope == Scope::Project {
        warnings
            .push("the client asks each user once before it starts a project's server".to_owned());
    }
    let report = Installed {
        settings: path.clone(),
        change: match before {
            None => Change::Created,
            Some(seen) if seen.bytes == edited.bytes => Change::Nothing,
            Some(_) => Change::Edited,
        },
        backup: None,
        command: places.binary.clone(),
        events: Vec::new(),
        diff: diff::lines(text, &edited.bytes),
        warnings,
    };
    Ok((report, edited))
}

/// Refuses where Cortex's own server is registered: a model would see each tool twice, and write to
/// one memory and read in the other.
fn no_other(places: &Places) -> Result<(), Refused> {
    match places.servers_named(server::CORTEX).first() {
        None => Ok(()),
        Some(path) => Err(Refused::new(format!(
            "`{}` has a memory server `{}` already, with the same tools",
            path.display(),
            server::CORTEX
        ))
        .hint("ringfence install; it guards that one's memory")),
    }
}

impl Places {
    /// Where the client keeps a user's servers.
    pub fn user_servers(&self) -> PathBuf {
        // Measured: beside `~/.claude`, but inside the directory that CLAUDE_CONFIG_DIR names.
        if self.client == self.dirs.home.join(".claude") {
            self.dirs.home.join(".claude.json")
        } else {
            self.client.join(".claude.json")
        }
    }

    /// Where a project keeps servers for all who work on it.
    pub fn project_servers(&self) -> PathBuf {
        self.project.join(".mcp.json")
    }

    /// The files in which a server called `name` is registered for this user and project.
    pub fn servers_named(&self, name: &str) -> Vec<PathBuf> {
        let project = self.project.to_string_lossy();
        let files = [
            self.user_servers(),
            self.project_servers(),
            self.settings(Scope::User),
            self.settings(Scope::Project),
            self.settings(Scope::Local),
        ];
        files
            .into_iter()
            .filter(|path| {
                let Ok(Found::File(seen)) = look(path) else { return false };
                document::read(&seen.bytes)
                    .ok()
                    .flatten()
                    .is_some_and(|root| server::has(&root, name, &project))
            })
            .collect()
    }

    /// Our server where it is registered: the file, and the program with its arguments.
    pub fn own_servers(&self) -> Vec<(PathBuf, Vec<String>)> {
        let own = self.binary.to_string_lossy();
        [self.user_servers(), self.project_servers()]
            .into_iter()
            .filter_map(|path| {
                let Ok(Found::File(seen)) = look(&path) else { return None };
                let root = document::read(&seen.bytes).ok().flatten()?;
                Some((path, server::registered(&root, &own)?))
            })
            .collect()
    }
}
