//! Puts a new text in the place of a client's file: what undoes it is remembered first, the old file
//! is kept beside it, and the change is one step.

use std::io;
use std::path::PathBuf;

use super::backup;
use super::install::Refused;
use super::record::{self, Edit, Record, digest};
use super::settings::{self, Edited};
use super::table::{Places, Scope};
use crate::sys::replace::{self, Found};

/// A file that is to have a new text.
pub(super) struct Writing<'a> {
    pub(super) places: &'a Places,
    /// As it was looked at.
    pub(super) found: &'a Found,
    pub(super) edited: &'a Edited,
    /// Whose it is.
    pub(super) scope: Scope,
}

/// Writes it, and the record of it; returns the copy of the old file. The record and the file's
/// directory are locked by the caller.
///
/// # Errors
/// When something cannot be written; nothing is changed then.
pub(super) fn write(
    order: &Writing<'_>,
    mut record: Record,
    old_record: &Record,
) -> Result<Option<PathBuf>, Refused> {
    let record_dir = order.places.record_dir();
    let keep = |error: io::Error| Refused::io("write", &record_dir, &error);
    remember(order, &mut record).map_err(keep)?;
    // First what undoes the change, then the change.
    record.write(&record_dir).map_err(keep)?;
    let path = match order.found {
        Found::Nothing(path) => path,
        Found::File(seen) => &seen.path,
    };
    let undo = |error: &io::Error| {
        drop(old_record.write(&record_dir));
        drop(record::forget_originals(&record_dir, old_record));
        Refused::io("write", path, error)
    };
    let mut backup = None;
    match order.found {
        Found::Nothing(path) => {
            replace::create(path, &order.edited.bytes, order.scope.modes().0)
                .map_err(|error| undo(&error))?;
        }
        Found::File(seen) => {
            let copy = backup::write(seen).map_err(|error| undo(&error))?;
            if let Err(error) = replace::replace(seen, &order.edited.bytes) {
                drop(replace::remove_file(&copy));
                return Err(undo(&error));
            }
            backup::prune(&seen.path);
            backup = Some(copy);
        }
    }
    // What is left over costs a file, not the installation.
    drop(record::forget_originals(&record_dir, &record));
    Ok(backup)
}

/// Puts into the record what uninstall needs to give back the very bytes.
fn remember(order: &Writing<'_>, record: &mut Record) -> io::Result<()> {
    let dir = order.places.record_dir();
    let edited = order.edited;
    let (path, bytes) = match order.found {
        Found::Nothing(path) => (path, None),
        Found::File(seen) => (&seen.path, Some(&seen.bytes)),
    };
    let after = digest(&edited.bytes);
    let old = record.edit(path).cloned();
    let edit = match (old, bytes) {
        // Nobody touched the file since the last install: its original is still the original.
        (Some(old), Some(bytes)) if old.after == digest(bytes) => {
            let made = join(old.made, &edited.made);
            Edit { after, made, ..old }
        }
        // Somebody did: the original is the file as it is now, without us.
        (Some(old), Some(bytes)) => {
            let own = order.places.binary.to_string_lossy();
            let original =
                settings::remove(bytes, &own, Some(&old.made)).unwrap_or_else(|_| bytes.clone());
            record::keep_original(&dir, &original)?;
            let made = join(old.made, &edited.made);
            Edit { path: path.clone(), existed: true, before: digest(&original), after, made }
        }
        (_, bytes) => {
            let original = bytes.map(Vec::as_slice).unwrap_or_default();
            record::keep_original(&dir, original)?;
            Edit {
                path: path.clone(),
                existed: bytes.is_some(),
                before: digest(original),
                after,
                made: edited.made.clone(),
            }
        }
    };
    record.put(edit);
    Ok(())
}

fn join(mut old: Vec<settings::Made>, new: &[settings::Made]) -> Vec<settings::Made> {
    for made in new {
        if !old.iter().any(|one| one.event == made.event) {
            old.push(made.clone());
        }
    }
    old
}
