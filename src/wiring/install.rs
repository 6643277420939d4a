//! Writes the rows of the table: settings entries, shim, record. Refuses and changes nothing, or
//! does all of it; every change is backed up and replaced in one step.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::diff;
use super::entry::Form;
use super::lint::{self, Effect};
use super::record::{LARGEST, Record};
use super::settings::{self, Edited, Refusal};
use super::table::{self, MANAGED_SETTINGS, Places, Scope};
use super::write::{Writing, write};
use crate::sys::env;
use crate::sys::replace::{self, Found, Seen};

/// What is to be installed.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// Where things are.
    pub places: &'a Places,
    /// Whose settings.
    pub scope: Scope,
    /// The arms.
    pub arms: &'a [String],
    /// Register the shim instead of the binary.
    pub shim: bool,
    /// How the client on this machine can start it.
    pub form: Form,
    /// Change nothing.
    pub dry_run: bool,
    /// Edit also a file whose settings the client would not take.
    pub force: bool,
}

/// What became of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was made.
    Created,
    /// Our entries were written into it.
    Edited,
    /// It was right already.
    Nothing,
}

/// What install did, or would do.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The settings file, links resolved.
    pub settings: PathBuf,
    /// What became of it.
    pub change: Change,
    /// The copy of it as it was.
    pub backup: Option<PathBuf>,
    /// The program that is registered.
    pub command: PathBuf,
    /// The events it is registered for.
    pub events: Vec<&'static str>,
    /// The change in lines.
    pub diff: String,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// One sentence.
    pub sentence: String,
    /// Something to type, or to do.
    pub hint: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    /// A refusal with one sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: None }
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A refusal for a file that could not be read or written.
    pub fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        let refused = Self::new(format!("could not {what} `{}`: {}", path.display(), plain(error)));
        let of_the_machine =
            Path::new(MANAGED_SETTINGS).parent().is_some_and(|dir| path.starts_with(dir));
        if of_the_machine && error.kind() == io::ErrorKind::PermissionDenied {
            return refused.hint("run it as root: the settings of the machine are root's");
        }
        refused
    }

    /// A refusal for settings that cannot be edited.
    pub fn settings(path: &Path, refusal: &Refusal) -> Self {
        let refused = Self::new(format!("`{}` is left as it is: {refusal}", path.display()));
        match refusal {
            Refusal::Fault(_) => refused.hint("mend the file; the client does not load it either"),
            Refusal::Kind { .. } => refused.hint("mend or remove that key, then run this again"),
            Refusal::Utf16 => refused.hint("save it as UTF-8, then run this again"),
        }
    }
}

/// A system's error without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Registers the hook.
///
/// # Errors
/// When the settings cannot be read, edited or replaced; nothing is changed then.
pub fn install(order: &Order<'_>) -> Result<Installed, Refused> {
    let path = order.places.settings(order.scope);
    if order.dry_run {
        let found = look(&path)?;
        return Ok(prepare(order, &found)?.report);
    }
    under_lock(order, &path, |made_dirs| install_locked(order, &path, made_dirs))
}

/// Does what changes a file of the client and the record, under the locks of both directories, which
/// are made where they are missing: `change` gets those that were. They go again when it fails.
pub(super) fn under_lock<T>(
    order: &Order<'_>,
    path: &Path,
    change: impl FnOnce(&[PathBuf]) -> Result<T, Refused>,
) -> Result<T, Refused> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    let record_dir = order.places.record_dir();
    let lock = |dir: &Path, mode| {
        replace::make_and_lock(dir, mode).map_err(|error| Refused::io("make", dir, &error))
    };
    // The record is one for all settings files, so it is locked first and by everybody.
    let (_record_lock, of_record) = lock(&record_dir, 0o700)?;
    let mut made_dirs = Vec::new();
    let done = lock(dir, order.scope.modes().1).and_then(|(_settings_lock, of_settings)| {
        made_dirs.extend(of_settings);
        made_dirs.extend(of_record.iter().cloned());
        for dir in [dir, &record_dir] {
            replace::sweep(dir);
        }
        change(&made_dirs)
    });
    if done.is_err() {
        made_dirs.extend(of_record);
        replace::remove_empty_dirs(&made_dirs);
    }
    done
}

fn install_locked(
    order: &Order<'_>,
    path: &Path,
    made_dirs: &[PathBuf],
) -> Result<Installed, Refused> {
    let record_dir = order.places.record_dir();
    let found = look(path)?;
    let Prepared { mut report, edited } = prepare(order, &found)?;

    let mut record = Record::read(&record_dir).unwrap_or_default();
    let old_record = record.clone();
    record.dirs.extend(made_dirs.iter().cloned());
    if order.shim {
        write_shim(order.places, &mut record)?;
    }
    let keep = |error: io::Error| Refused::io("write", &record_dir, &error);
    if report.change == Change::Nothing {
        if record != old_record {
            record.write(&record_dir).map_err(keep)?;
        }
        return Ok(report);
    }
    let order =
        Writing { places: order.places, found: &found, edited: &edited, scope: order.scope };
    report.backup = write(&order, record, &old_record)?;
    Ok(report)
}

/// Looks at a settings file.
///
/// # Errors
/// When something else stands there, or it cannot be read.
pub fn look(path: &Path) -> Result<Found, Refused> {
    replace::look(path, LARGEST).map_err(|error| Refused::io("read", path, &error))
}

struct Prepared {
    report: Installed,
    edited: Edited,
}

/// Works out the new text and what to say about it.
fn prepare(order: &Order<'_>, found: &Found) -> Result<Prepared, Refused> {
    let places = order.places;
    let command = if order.shim { places.shim() } else { places.binary.clone() };
    if command.to_str().is_none() {
        return Err(Refused::new("the program's own path is not UTF-8, and JSON cannot hold it"));
    }
    let mut warnings = Vec::new();
    for_others(order, &command, &mut warnings)?;
    let entries = table::entries(places, order.scope, &command, order.form, order.arms);
    let own = places.binary.to_string_lossy();
    let (path, before) = match found {
        Found::Nothing(path) => (path, None),
        Found::File(seen) => (&seen.path, Some(seen)),
    };
    let text = before.map_or(&b""[..], |seen| &seen.bytes);
    judge(path, text, order.force, &mut warnings)?;
    let edited =
        settings::add(text, &entries, &own).map_err(|refusal| Refused::settings(path, &refusal))?;
    let change = match before {
        None => Change::Created,
        Some(seen) if seen.bytes == edited.bytes => Change::Nothing,
        Some(_) => Change::Edited,
    };
    if change == Change::Edited && before.is_some_and(|seen| seen.names > 1) {
        warnings.push(format!(
            "`{}` has other names (hard links), which keep the old text",
            path.display()
        ));
    }
    let report = Installed {
        settings: path.clone(),
        change,
        backup: None,
        command,
        events: entries.iter().map(|entry| entry.event).collect(),
        diff: diff::lines(text, &edited.bytes),
        warnings,
    };
    Ok(Prepared { report, edited })
}

/// Settings that others read name a program that they must be able to start: where they cannot, their
/// tools run unguarded, and nobody is told.
fn for_others(
    order: &Order<'_>,
    command: &Path,
    warnings: &mut Vec<String>,
) -> Result<(), Refused> {
    let place = command.display();
    match order.scope {
        Scope::User | Scope::Local => {}
        Scope::Managed if env::starts_for_all(&order.places.binary) => {}
        Scope::Managed => {
            let sentence = format!("other users of this machine cannot start `{place}`");
            if !order.force {
                return Err(Refused::new(sentence)
                    .hint("./install.sh --prefix /usr/local --no-register, then `/usr/local/bin/ringfence install --scope managed`"));
            }
            warnings.push(sentence);
        }
        Scope::Project => warnings.push(format!(
            "the project's settings are for all who work on it: where there is no `{place}`, nothing guards"
        )),
    }
    Ok(())
}

/// Asks whether the client takes the file as it is; what it costs us goes into the warnings.
fn judge(path: &Path, text: &[u8], force: bool, warnings: &mut Vec<String>) -> Result<(), Refused> {
    let findings = lint::lint(text);
    let place = path.display();
    if let Some(void) = findings.iter().find(|finding| finding.effect == Effect::Voids) {
        let sentence = format!("the client does not load it: {}", void.sentence());
        if !force {
            return Err(Refused::new(format!("`{place}` is left as it is: {sentence}"))
                .hint("mend the file, then run this again"));
        }
        warnings.push(format!("`{place}`: {sentence}"));
    }
    let silent = findings.iter().filter(|finding| finding.effect == Effect::Silences);
    warnings.extend(silent.map(|one| format!("no hook runs: in `{place}` {}", one.sentence())));
    Ok(())
}

fn write_shim(places: &Places, record: &mut Record) -> Result<(), Refused> {
    let path = places.shim();
    let text = super::shim::TEXT.as_bytes();
    // Beside the program, which is ours to keep tidy.
    replace::sweep(path.parent().unwrap_or(Path::new("/")));
    let found = look(&path)?;
    let done = match &found {
        Found::File(Seen { bytes, .. }) if bytes == text => Ok(()),
        Found::File(_) if record.shim.as_ref() != Some(&path) => {
            return Err(Refused::new(format!(
                "`{}` is there already and is not ours",
                path.display()
            ))
            .hint("move it away, or install without --shim"));
        }
        Found::File(seen) => replace::replace(seen, text),
        Found::Nothing(path) => replace::create(path, text, 0o755),
    };
    done.map_err(|error| Refused::io("write", &path, &error))?;
    record.shim = Some(path);
    Ok(())
}
