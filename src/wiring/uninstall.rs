//! Takes the rows of the table back: the very bytes where nothing else changed, else only ours.

use std::io;
use std::path::{Path, PathBuf};

use super::backup;
use super::diff;
use super::document;
use super::install::{Refused, look};
use super::purge::{self, Purged};
use super::record::{self, Edit, Record, digest};
use super::settings;
use super::table::{Places, Scope};
use crate::sys::replace::{self, DirLock, Found, Seen};

/// A file that nobody recorded and that does not hold our name is none of our business, whatever
/// else is wrong with it.
const NAME: &[u8] = b"ringfence";

/// How a settings file got rid of us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It has its original bytes again.
    Restored,
    /// We had made it, so it is gone.
    Removed,
    /// Somebody changed it since: only our entries were taken out.
    Cut,
    /// There was nothing of ours in it.
    Nothing,
}

/// What became of one settings file.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The file, links resolved.
    pub settings: PathBuf,
    /// How.
    pub removal: Removal,
    /// The copy of it as it was.
    pub backup: Option<PathBuf>,
    /// The change in lines.
    pub diff: String,
    /// Entries of ours that were there before the install which is taken back.
    pub older_entries: usize,
}

/// What uninstall did, or would do.
#[derive(Clone, Debug, Default)]
pub struct Uninstalled {
    /// The settings files, in the order in which they were looked at.
    pub files: Vec<Taken>,
    /// Other files that went.
    pub removed: Vec<PathBuf>,
    /// Files of ours that stay.
    pub kept: Vec<PathBuf>,
    /// Settings files that could not be edited; they are untouched.
    pub refused: Vec<Refused>,
    /// What a purge takes of state and data.
    pub purged: Vec<Purged>,
}

/// What becomes of entries of ours that were in a file before the install which is taken back: it was
/// installed into, its record was lost, and it was installed into again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// They stay: the file gets its very bytes back.
    Stay,
    /// They go too.
    Go,
}

/// What is to be taken back.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Whose settings, besides those of the record.
    pub scope: Scope,
    /// What becomes of older entries.
    pub older: Older,
    /// Also state and data.
    pub purge: bool,
    /// Change nothing.
    pub dry_run: bool,
}

/// Takes back what install wrote, in every settings file of the record and in that of the scope.
///
/// # Errors
/// When the record or the shim cannot be written or removed.
pub fn uninstall(places: &Places, wish: Wish) -> Result<Uninstalled, Refused> {
    let Wish { scope, purge, dry_run, .. } = wish;
    let dir = places.record_dir();
    let (_lock, made) = if dry_run { (None, Vec::new()) } else { lock_record(&dir)? };
    let mut record = Record::read(&dir).unwrap_or_default();
    record.dirs.extend(made.iter().cloned());
    let mut done = Uninstalled::default();
    for path in targets(places, scope, &record) {
        let taken = match take_file(places, &record, &path, wish) {
            Ok(taken) => taken,
            Err(refused) => {
                done.refused.push(refused);
                continue;
            }
        };
        if !dry_run {
            // A copy that an earlier run left on purpose stays.
            let exact = taken.as_ref().is_some_and(|taken| taken.removal != Removal::Cut);
            take_backups(&path, exact || purge, &mut done);
            record.files.retain(|edit| edit.path != path);
        }
        done.files.extend(taken);
    }
    if dry_run {
        done.purged = if purge { purge::look_at(places) } else { Vec::new() };
        return Ok(done);
    }
    take_rest(places, &mut record, purge, &mut done)?;
    // What was not there before is no news.
    done.removed.retain(|path| !made.contains(path));
    done.purged.retain(|purged| !made.contains(&purged.path));
    Ok(done)
}

/// The lock of the record's directory, which is made for it: an install at the same time would make
/// it as well, and find it gone again. Where it cannot be made nobody can install either.
fn lock_record(dir: &Path) -> Result<(Option<DirLock>, Vec<PathBuf>), Refused> {
    match replace::make_and_lock(dir, 0o700) {
        Ok((lock, made)) => Ok((Some(lock), made)),
        Err(_) if !dir.is_dir() => Ok((None, Vec::new())),
        Err(error) => Err(Refused::io("lock", dir, &error)),
    }
}

/// The lock of a directory; none where there is no directory.
fn lock(dir: &Path) -> Result<Option<DirLock>, Refused> {
    match replace::lock_dir(dir) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Refused::io("lock", dir, &error)),
    }
}

fn take_backups(path: &Path, goes: bool, done: &mut Uninstalled) {
    for copy in backup::all(path) {
        if goes && replace::remove_file(&copy).is_ok() {
            done.removed.push(copy);
        } else {
            done.kept.push(copy);
        }
    }
}

/// The settings files to look at: those of the record, then the one of the scope. A project's file
/// that this machine has no record of is a colleague's, and is looked at only when it is asked for.
fn targets(places: &Places, scope: Scope, record: &Record) -> Vec<PathBuf> {
    let mut targets: Vec<PathBuf> = record.files.iter().map(|edit| edit.path.clone()).collect();
    let path = places.settings(scope);
    let real = match look(&path) {
        Ok(Found::File(seen)) => seen.path,
        Ok(Found::Nothing(_)) => return targets,
        // What cannot be read is named when it is taken.
        Err(_) => path,
    };
    if !targets.contains(&real) {
        targets.push(real);
    }
    targets
}

fn take_file(
    places: &Places,
    record: &Record,
    path: &Path,
    Wish { older, dry_run, .. }: Wish,
) -> Result<Option<Taken>, Refused> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    if !dir.is_dir() {
        return Ok(None);
    }
    let _lock = if dry_run { None } else { lock(dir)? };
    if !dry_run {
        replace::sweep(dir);
    }
    let Found::File(seen) = look(path)? else { return Ok(None) };
    let edit = record.edit(path);
    if edit.is_none() && !seen.bytes.windows(NAME.len()).any(|word| word == NAME) {
        return Ok(None);
    }
    let (removal, bytes) = plan(places, &seen, edit, older)?;
    if removal == Removal::Nothing && edit.is_none() {
        return Ok(None);
    }
    let write = |error| Refused::io("write", path, &error);
    let mut copy = None;
    if !dry_run {
        match removal {
            Removal::Nothing => {}
            Removal::Removed => replace::remove(&seen).map_err(write)?,
            Removal::Restored => replace::replace(&seen, &bytes).map_err(write)?,
            Removal::Cut => {
                copy = Some(backup::write(&seen).map_err(write)?);
                replace::replace(&seen, &bytes).map_err(write)?;
                backup::prune(&seen.path);
            }
        }
    }
    Ok(Some(Taken {
        settings: path.to_path_buf(),
        removal,
        backup: copy,
        diff: diff::lines(&seen.bytes, &bytes),
        older_entries: entries(places, &bytes),
    }))
}

/// How many entries of ours a settings text holds.
fn entries(places: &Places, bytes: &[u8]) -> usize {
    let own = places.binary.to_string_lossy();
    settings::read(bytes).ok().flatten().map_or(0, |root| settings::registered(&root, &own).len())
}

/// How the file gets rid of us, and its bytes then.
fn plan(
    places: &Places,
    seen: &Seen,
    edit: Option<&Edit>,
    older: Older,
) -> Result<(Removal, Vec<u8>), Refused> {
    let now = digest(&seen.bytes);
    let own = places.binary.to_string_lossy();
    let original = edit.and_then(|edit| edit.original(&places.record_dir()));
    let is_end = older == Older::Stay
        || original.as_ref().is_none_or(|original| entries(places, original) == 0);
    if let Some(edit) = edit.filter(|edit| edit.after == now) {
        if !edit.existed {
            return Ok((Removal::Removed, Vec::new()));
        }
        if let Some(original) = original.filter(|_| is_end) {
            return Ok((Removal::Restored, original));
        }
    }
    if is_end && edit.is_some_and(|edit| edit.existed && edit.before == now) {
        return Ok((Removal::Nothing, seen.bytes.clone()));
    }
    // What an install without a record made is not known: each container left empty is taken for ours.
    let made = edit.filter(|_| is_end).map(|edit| edit.made.as_slice());
    let bytes = settings::remove(&seen.bytes, &own, made)
        .map_err(|refusal| Refused::settings(&seen.path, &refusal))?;
    if bytes == seen.bytes {
        return Ok((Removal::Nothing, bytes));
    }
    let is_bare =
        document::read(&bytes).is_ok_and(|root| root.is_none_or(|root| root.members().is_empty()));
    if is_bare && edit.is_some_and(|edit| !edit.existed) {
        return Ok((Removal::Removed, Vec::new()));
    }
    Ok((Removal::Cut, bytes))
}

/// Shim, record, directories; with `purge` also state and data.
fn take_rest(
    places: &Places,
    record: &mut Record,
    purge: bool,
    done: &mut Uninstalled,
) -> Result<(), Refused> {
    if let Some(shim) = record.shim.take() {
        if let Ok(Found::File(seen)) = look(&shim)
            && seen.bytes != super::shim::TEXT.as_bytes()
        {
            done.kept.push(shim);
        } else {
            replace::remove_file(&shim).map_err(|error| Refused::io("remove", &shim, &error))?;
            done.removed.push(shim);
        }
    }
    let dir = places.record_dir();
    if dir.is_dir() {
        replace::sweep(&dir);
        let done = record.write(&dir).and_then(|()| record::forget_originals(&dir, record));
        done.map_err(|error| Refused::io("write", &dir, &error))?;
    }
    let mut dirs = std::mem::take(&mut record.dirs);
    // The record of a file that still holds our entries is needed for the next try.
    if purge && done.refused.is_empty() {
        done.purged = purge::purge(places)?;
        dirs.push(places.dirs.data.clone());
    }
    // Ours whoever made them; they go only when nothing is left in them.
    dirs.extend([dir, places.dirs.state.clone()]);
    done.removed.extend(replace::remove_empty_dirs(&dirs));
    let kept = [&places.dirs.state, &places.dirs.data].into_iter().filter(|dir| dir.is_dir());
    done.kept.extend(kept.cloned());
    Ok(())
}
