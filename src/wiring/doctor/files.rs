//! The settings files of all scopes: whether the client takes them, and what in them silences hooks.

use std::path::PathBuf;

use super::Row;
use crate::sys::replace::Found;
use crate::wiring::document::{self, Node};
use crate::wiring::entry::Registered;
use crate::wiring::install::look;
use crate::wiring::lint::{self, Effect, Finding};
use crate::wiring::settings;
use crate::wiring::table::{Places, Scope};

/// One settings file that is there.
pub(super) struct SettingsFile {
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    pub(super) findings: Vec<Finding>,
    /// Why it could not be read.
    pub(super) unreadable: Option<String>,
    /// Permission bits.
    pub(super) mode: u32,
    /// Entries of ours.
    pub(super) registered: Vec<Registered>,
    /// `disableAllHooks`, if the file says.
    disabled: Option<bool>,
    managed_only: bool,
}

impl SettingsFile {
    /// Whether the client takes it.
    pub(super) fn is_loaded(&self) -> bool {
        self.unreadable.is_none() && lint::is_loaded(&self.findings)
    }
}

/// Reads the files of all scopes, the weakest first.
pub(super) fn read(places: &Places) -> Vec<SettingsFile> {
    let scopes = [Scope::User, Scope::Project, Scope::Local, Scope::Managed];
    let mut files: Vec<SettingsFile> = Vec::new();
    for scope in scopes {
        let path = places.settings(scope);
        // In the home directory the user's and the project's file are one.
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        let mut file = SettingsFile {
            scope,
            path,
            findings: Vec::new(),
            unreadable: None,
            mode: 0,
            registered: Vec::new(),
            disabled: None,
            managed_only: false,
        };
        match look(&file.path) {
            Ok(Found::Nothing(_)) => continue,
            Err(refused) => file.unreadable = Some(refused.sentence),
            Ok(Found::File(seen)) => {
                file.mode = seen.mode;
                file.findings = lint::lint(&seen.bytes);
                if let Ok(Some(root)) = document::read(&lint::as_decoded(&seen.bytes)) {
                    let truth = |key| root.get(key).and_then(Node::truth);
                    file.registered = settings::registered(&root, &places.binary.to_string_lossy());
                    file.disabled = truth("disableAllHooks");
                    file.managed_only = truth("allowManagedHooksOnly") == Some(true);
                }
            }
        }
        files.push(file);
    }
    files
}

/// Whether the client takes each file.
pub(super) fn rows(files: &[SettingsFile]) -> Vec<Row> {
    let mut rows = Vec::new();
    for file in files {
        let place = file.path.display();
        let ours = !file.registered.is_empty();
        let fault = file.unreadable.clone().or_else(|| {
            let void = file.findings.iter().find(|one| one.effect == Effect::Voids)?;
            Some(format!("{place} is not loaded by the client: {}", void.sentence()))
        });
        if let Some(fault) = fault {
            let fix = match file.unreadable {
                Some(_) => format!("ls -ld {place}"),
                None => format!("edit {place}, then run `ringfence doctor` again"),
            };
            // What is void in another scope does not touch our entries.
            let matters = ours || file.scope == Scope::User;
            rows.push(if matters {
                Row::fail("settings", fault, fix)
            } else {
                Row::warn("settings", fault, fix)
            });
            continue;
        }
        let dropped: Vec<_> =
            file.findings.iter().filter(|one| one.effect == Effect::Dropped).collect();
        rows.push(match dropped.first() {
            Some(first) => Row::warn(
                "settings",
                format!("{place} is loaded, but the client drops parts: {}", first.sentence()),
                format!("edit {place}"),
            ),
            None => Row::pass("settings", format!("{place} is loaded by the client")),
        });
        if ours && file.mode & 0o022 != 0 {
            rows.push(Row::warn(
                "settings",
                format!("{place} can be changed by other users (mode {:o})", file.mode),
                format!("chmod go-w {place}"),
            ));
        }
    }
    rows
}

/// What silences all hooks, ours among them.
pub(super) fn switches(files: &[SettingsFile]) -> Vec<Row> {
    let mut rows = Vec::new();
    let loaded = || files.iter().filter(|file| file.is_loaded());
    let managed = |file: &&SettingsFile| file.scope == Scope::Managed;
    let ours_managed = loaded().filter(managed).any(|file| !file.registered.is_empty());
    // The last file that says decides; managed settings decide before all.
    let decides = loaded().rfind(|file| file.disabled.is_some());
    if let Some(file) = decides.filter(|file| file.disabled == Some(true)) {
        let place = file.path.display();
        if file.scope == Scope::Managed || !ours_managed {
            rows.push(Row::fail(
                "switches",
                format!("`disableAllHooks` in {place} switches every hook off"),
                format!("remove `disableAllHooks` from {place}"),
            ));
        }
    }
    if let Some(file) = loaded().filter(managed).find(|file| file.managed_only)
        && !ours_managed
    {
        rows.push(Row::fail(
            "switches",
            format!("`allowManagedHooksOnly` in {} shuts our hook out", file.path.display()),
            "ringfence install --scope managed",
        ));
    }
    for file in loaded() {
        let silent =
            |one: &&Finding| one.effect == Effect::Silences && one.path.starts_with("env.");
        for finding in file.findings.iter().filter(silent) {
            let place = file.path.display();
            let said = format!("in {place} {}", finding.sentence());
            rows.push(Row::fail(
                "switches",
                said,
                format!("remove `{}` from {place}", finding.path),
            ));
        }
    }
    if rows.is_empty() {
        rows.push(Row::pass("switches", "nothing silences hooks"));
    }
    rows
}
