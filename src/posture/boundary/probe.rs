//! Which backend holds on this machine, found by really running it, and remembered.
//!
//! What is remembered only saves a trial: the process inside proves its boundary at every start.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Backend;
use super::layout::Ground;
use super::start::{self, Task};
use crate::sys::dirs::Dirs;
use crate::sys::{confine, file, place, process};

/// A backend that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Which.
    pub backend: Backend,
    /// Why, as a sentence.
    pub why: String,
}

#[derive(Deserialize, Serialize)]
struct Remembered {
    key: String,
    backend: String,
}

/// The first of `backends` that holds here.
///
/// # Errors
/// All that were tried, and why each does not hold.
pub fn prove(backends: &[Backend], ground: &Ground) -> Result<Backend, Vec<Tried>> {
    let mut tried = Vec::new();
    for backend in backends.iter().copied() {
        match start::run(backend, ground, &Task::Proof) {
            Ok(0) => return Ok(backend),
            Ok(status) => {
                let why = format!("its proof ended with status {status}");
                tried.push(Tried { backend, why });
            }
            Err(why) => tried.push(Tried { backend, why }),
        }
    }
    Err(tried)
}

/// The backend that held here before, or the first that holds now.
///
/// # Errors
/// As [`prove`].
pub fn choose(dirs: &Dirs, ground: &Ground) -> Result<Backend, Vec<Tried>> {
    let path = dirs.state.join("probe.json");
    let key = key(&ground.binary);
    if let Some(backend) = remembered(&path, &key) {
        return Ok(backend);
    }
    let backend = prove(&Backend::ALL, ground)?;
    let record = Remembered { key, backend: backend.as_str().to_owned() };
    // Not being able to remember costs a trial each time, nothing else.
    if let Ok(text) = serde_json::to_vec(&record)
        && file::private_dir(&dirs.state).is_ok()
    {
        drop(file::write_record(&path, &text));
    }
    Ok(backend)
}

/// Why nothing holds, in one sentence.
pub fn lack(tried: &[Tried]) -> String {
    let all: Vec<String> =
        tried.iter().map(|tried| format!("{}: {}", tried.backend.as_str(), tried.why)).collect();
    format!("no boundary is available ({})", all.join("; "))
}

/// Forgets what was remembered: it did not start.
pub fn forget(dirs: &Dirs) {
    drop(file::remove(&dirs.state.join("probe.json")));
}

fn remembered(path: &Path, key: &str) -> Option<Backend> {
    let bytes = file::read_bounded(path, 4096).ok()?;
    let known: Remembered = serde_json::from_slice(&bytes).ok()?;
    let same = known.key == key;
    Backend::ALL.into_iter().find(|backend| same && backend.as_str() == known.backend)
}

/// Everything that a trial's outcome hangs on.
fn key(binary: &Path) -> String {
    let release = file::read_bounded_special("/proc/sys/kernel/osrelease", 256).unwrap_or_default();
    format!(
        "{} uid={} landlock={} ringfence={} bwrap={}",
        String::from_utf8_lossy(&release).trim(),
        process::user_id(),
        confine::landlock_level(),
        place::stamp(binary).unwrap_or_default(),
        start::bubblewrap().and_then(|path| place::stamp(&path)).unwrap_or_default(),
    )
}
