//! What of the table is on this machine now.

use std::path::PathBuf;

use super::document;
use super::install::look;
use super::plugin;
use super::record::Record;
use super::settings;
use super::table::{FILES, FileKind, Places, Scope};
use super::{backup, entry::Registered};
use crate::sys::env;
use crate::sys::replace::Found;

/// The word for settings entries.
pub const ENTRIES: &str = "entries";

/// One thing of ours that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// What kind of thing.
    pub kind: &'static str,
    /// Where.
    pub path: PathBuf,
    /// What about it.
    pub what: String,
}

/// Walks the table.
pub fn look_at(places: &Places) -> Vec<Owned> {
    let mut owned = Vec::new();
    let record = Record::read(&places.record_dir()).unwrap_or_default();
    let settings = settings_files(places, &record);
    for path in &settings {
        let found = entries(places, path);
        if found.is_empty() {
            continue;
        }
        let mut events: Vec<String> = Vec::new();
        for entry in found {
            if !events.contains(&entry.event) {
                events.push(entry.event);
            }
        }
        owned.push(Owned { kind: ENTRIES, path: path.clone(), what: events.join(", ") });
    }
    for plugin in plugin::find(places) {
        let events: Vec<&str> = plugin.registered.iter().map(|one| one.event.as_str()).collect();
        let what = match (plugin.enabled, events.as_slice()) {
            (false, _) => format!("{}, not enabled", plugin.id),
            (true, events) => format!("{}: {}", plugin.id, events.join(", ")),
        };
        owned.push(Owned {
            kind: if plugin.enabled { ENTRIES } else { "plugin" },
            path: plugin.hooks,
            what,
        });
    }
    for row in FILES {
        let (kind, paths): (_, Vec<PathBuf>) = match row.kind {
            FileKind::Server => {
                ("server", places.own_servers().into_iter().map(|(path, _)| path).collect())
            }
            FileKind::Shim => ("shim", record.shim.iter().cloned().collect()),
            FileKind::Backups => {
                ("backup", settings.iter().flat_map(|path| backup::all(path)).collect())
            }
            FileKind::Record => ("record", vec![places.record_dir()]),
        };
        let there = paths.into_iter().filter(|path| env::mode(path).is_some());
        owned.extend(there.map(|path| Owned { kind, path, what: row.what.to_owned() }));
    }
    owned
}

/// The settings files that may hold entries of ours.
fn settings_files(places: &Places, record: &Record) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = record.files.iter().map(|edit| edit.path.clone()).collect();
    for scope in [Scope::User, Scope::Project, Scope::Local, Scope::Managed] {
        let path = places.settings(scope);
        if let Ok(Found::File(seen)) = look(&path)
            && !files.contains(&seen.path)
        {
            files.push(seen.path);
        }
    }
    files
}

/// Whether a settings file holds entries of ours.
pub fn holds_entries(places: &Places, path: &std::path::Path) -> bool {
    !entries(places, path).is_empty()
}

fn entries(places: &Places, path: &std::path::Path) -> Vec<Registered> {
    let Ok(Found::File(seen)) = look(path) else { return Vec::new() };
    match document::read(&seen.bytes) {
        Ok(Some(root)) => settings::registered(&root, &places.binary.to_string_lossy()),
        Ok(None) | Err(_) => Vec::new(),
    }
}
