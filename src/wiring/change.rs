//! A change of the client's settings, judged on the files as they are now: do our entries still bind?
//!
//! The client asks about one file and, when nobody objects, reads all of them again, also one whose
//! change was refused before. So all of them are looked at each time.

use std::path::{Path, PathBuf};

use super::binding::{self, Loose, Terms};
use super::doctor::{ENV_KEPT, Version};
use super::entry::SHIM;
use super::plugin;
use super::record::Record;
use super::scopes::{self, Origin, SettingsFile};
use super::shim;
use super::table::Places;
use crate::sys::{env, file, process};

/// How much of a transcript's end is read for the client's version, in bytes.
const TRANSCRIPT_TAIL: u64 = 64 << 10;

/// What the client says of a change.
#[derive(Clone, Debug)]
pub struct Change {
    /// Whose file changed.
    pub origin: Origin,
    /// Which.
    pub path: PathBuf,
    /// The session's transcript, whose lines name the client's version.
    pub transcript: Option<PathBuf>,
    /// The client's own process.
    pub client: Option<u32>,
}

/// What keeps our entries from binding after the change; `None` = they bind.
pub fn judge(change: &Change, places: &Places) -> Option<Loose> {
    let line = change.client.map(process::arguments).unwrap_or_default();
    let mut paths = scopes::paths(places);
    // The client says best which file it means.
    let changed = (change.origin, change.path.clone());
    if !paths.contains(&changed) {
        if change.origin != Origin::Local {
            paths.retain(|(origin, _)| *origin != change.origin);
        }
        paths.push(changed);
        paths.sort_by_key(|(origin, _)| *origin);
    }
    let installed = installed_in(&paths, places).unwrap_or(change.origin);
    paths.retain(|(origin, _)| reads(&line, *origin));
    let mut files = scopes::read(&paths, &places.binary);
    files.extend(settings_of_line(&line, change.client, &places.binary));
    files.sort_by_key(|file| file.origin);
    let plugin = plugin::entries(places, &files, &plugin_dirs(&line, change.client));
    let env_moves_home =
        || version(change.transcript.as_deref()).is_some_and(|version| version < ENV_KEPT);
    let is_own = |program: &Path| is_own(program, places);
    let terms =
        Terms { is_own: &is_own, env_moves_home: &env_moves_home, plugin: &plugin, installed };
    binding::loose(&files, &terms)
}

/// What keeps our entries from binding for a client that is started here without any words.
pub fn standing(places: &Places) -> Option<Loose> {
    let paths = scopes::paths(places);
    let installed = installed_in(&paths, places).unwrap_or(Origin::User);
    let files = scopes::read(&paths, &places.binary);
    let plugin = plugin::entries(places, &files, &[]);
    // A person may ask with another copy of this program than the one that is registered.
    let starts = |program: &Path| {
        program.is_absolute()
            && plugin::behind(program, &places.dirs.home)
                .is_some_and(|found| env::is_program(&found))
    };
    let env_moves_home = || false;
    let terms =
        Terms { is_own: &starts, env_moves_home: &env_moves_home, plugin: &plugin, installed };
    binding::loose(&files, &terms)
}

/// The settings files that a running client reads, with those of its own line; the weakest first.
pub fn files_of(places: &Places, client: Option<u32>) -> Vec<SettingsFile> {
    let line = client.map(process::arguments).unwrap_or_default();
    let mut paths = scopes::paths(places);
    paths.retain(|(origin, _)| reads(&line, *origin));
    let mut files = scopes::read(&paths, &places.binary);
    files.extend(settings_of_line(&line, client, &places.binary));
    files.sort_by_key(|file| file.origin);
    files
}

/// Whose file install has written our entries into.
fn installed_in(paths: &[(Origin, PathBuf)], places: &Places) -> Option<Origin> {
    let record = Record::read(&places.record_dir()).unwrap_or_default();
    let is_written = |path: &Path| {
        record.edit(path).is_some()
            || file::canonical(path).is_some_and(|real| record.edit(&real).is_some())
    };
    paths.iter().find(|(_, path)| is_written(path)).map(|(origin, _)| *origin)
}

/// Whether a program on a line is the one that runs now, or the shim that starts it.
fn is_own(program: &Path, places: &Places) -> bool {
    if !program.is_absolute() {
        return false;
    }
    let same = |path: &Path| file::canonical(path).as_ref() == Some(&places.binary);
    if same(program) {
        return true;
    }
    if program.file_name().is_none_or(|name| name != SHIM) {
        return false;
    }
    // The shim of another version is ours when it is the one that started this very call.
    let started_us = || {
        let parent = process::own().map(|own| process::arguments(own.parent)).unwrap_or_default();
        parent.iter().any(|word| Path::new(word) == program)
    };
    let is_text =
        || file::read_bounded(program, 1 << 20).is_ok_and(|text| text == shim::TEXT.as_bytes());
    plugin::behind(program, &places.dirs.home).is_some_and(|found| same(&found))
        && (is_text() || started_us())
}

/// The folders of plugins that the client was started with.
fn plugin_dirs(line: &[String], client: Option<u32>) -> Vec<PathBuf> {
    let Some(base) = client.and_then(process::directory) else { return Vec::new() };
    binding::values(line, "--plugin-dir").map(|dir| base.join(dir)).collect()
}

/// Whether a client that was started with these words reads the settings of `origin`.
fn reads(line: &[String], origin: Origin) -> bool {
    let word = match origin {
        Origin::User => "user",
        Origin::Project => "project",
        Origin::Local => "local",
        Origin::Line | Origin::Managed => return true,
    };
    match binding::values(line, "--setting-sources").last() {
        Some(sources) => sources.split(',').any(|source| source.trim() == word),
        None => true,
    }
}

/// The settings that the client was started with.
fn settings_of_line(line: &[String], client: Option<u32>, own: &Path) -> Option<SettingsFile> {
    let value = binding::values(line, "--settings").last()?;
    if value.trim_start().starts_with('{') {
        let (path, text) = (PathBuf::from("--settings"), value.as_bytes());
        return Some(SettingsFile::of_text(Origin::Line, path, text, &own.to_string_lossy()));
    }
    let base = process::directory(client?)?;
    scopes::read(&[(Origin::Line, base.join(value))], own).pop()
}

/// The version of the client that wrote the transcript.
fn version(transcript: Option<&Path>) -> Option<Version> {
    let tail = file::read_tail(transcript?, TRANSCRIPT_TAIL).ok()?;
    let text = String::from_utf8_lossy(&tail);
    let (_, rest) = text.rsplit_once("\"version\":\"")?;
    Version::read(rest.split('"').next()?)
}
