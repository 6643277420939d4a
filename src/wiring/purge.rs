//! What `uninstall --purge` takes besides: our state and the notes of every project.
//!
//! Only what has our names goes: a variable may have put the state into a directory that holds other
//! things. A link in the place of a directory goes itself; what it leads to stays.

use std::path::{Path, PathBuf};

use super::install::Refused;
use super::table::Places;
use crate::state;
use crate::sys::{held, replace};

/// The name of what lies in the data directory: our stores, one folder a project.
const DATA: &[&str] = &["projects"];

/// One thing that a purge removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purged {
    /// The file or directory.
    pub path: PathBuf,
    /// How many files.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// All that would go.
pub fn look_at(places: &Places) -> Vec<Purged> {
    let below = |dir: &Path, names: &[&str]| -> Vec<PathBuf> {
        let there = replace::names_in(dir).into_iter();
        there.filter(|name| names.contains(&name.as_str())).map(|name| dir.join(name)).collect()
    };
    let state = below(&places.dirs.state, state::NAMES).into_iter();
    let paths = state.chain(below(&places.dirs.data, DATA));
    paths
        .map(|path| {
            let (files, bytes) = held::size(&path);
            Purged { path, files, bytes }
        })
        .collect()
}

/// Removes it.
///
/// # Errors
/// When one cannot be removed; what was removed before is gone.
pub fn purge(places: &Places) -> Result<Vec<Purged>, Refused> {
    let all = look_at(places);
    for one in &all {
        replace::remove_tree(&one.path)
            .map_err(|error| Refused::io("remove", &one.path, &error))?;
    }
    Ok(all)
}
