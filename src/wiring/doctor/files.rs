//! The settings files of all scopes: whether the client takes them, and what in them silences hooks.

use super::Row;
use crate::wiring::binding;
use crate::wiring::lint::Effect;
use crate::wiring::scopes::{Origin, SettingsFile};

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
            let matters = ours || file.origin == Origin::User;
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
    }
    rows
}

/// What silences all hooks, ours among them.
pub(super) fn switches(files: &[SettingsFile], plugin: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = binding::silenced(files, plugin)
        .into_iter()
        .map(|one| Row::fail("switches", one.said, one.mend))
        .collect();
    if !rows.is_empty() {
        return rows;
    }
    // It does nothing as long as the stronger file stays as it is.
    for file in files.iter().filter(|file| file.is_loaded() && file.disabled == Some(true)) {
        let place = file.path.display();
        let said = format!("`disableAllHooks` in {place} is overruled by a stronger file, for now");
        rows.push(Row::warn("switches", said, format!("remove `disableAllHooks` from {place}")));
    }
    if rows.is_empty() {
        rows.push(Row::pass("switches", "nothing silences hooks"));
    }
    rows
}
