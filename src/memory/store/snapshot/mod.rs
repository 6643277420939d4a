//! Snapshots: whole copies of stores, kept apart from them in the state directory.
//!
//! A guard that fails open needs a safety net. Of each store there is a shelf, named by the store's
//! path, with at most a few copies of a bounded size; the newest also answers for a store that cannot
//! be read. A copy is there under its name only once it is whole.

mod copy;
mod diff;
mod keep;
mod put_back;
mod restore;
mod view;

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::native::StoreError;
use crate::memory::Family;
use crate::sys::pieces::Unfinished;
use crate::sys::replace::{self, DirLock};
use crate::sys::{clock, file};

pub use diff::{Difference, Fields, Side, difference, note_of};
pub use put_back::{PutBack, put_back};
pub use restore::{InPlace, restore_in_place, restore_to};
pub use view::SnapshotView;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A larger store is only copied when a person asks for it, in bytes.
const LARGE: u64 = 256 << 20;

/// The file of a shelf that says which store it is of.
const OF: &str = "store";

/// Where all snapshots are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vault {
    dir: PathBuf,
}

/// The snapshots of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf {
    dir: PathBuf,
    family: Family,
    store: PathBuf,
}

/// One snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// `cortex-20261201T040500Z`, or with `-2` at its end; new ones compare as greater.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// When it was begun, in milliseconds since 1970, to the second.
    pub at_ms: i64,
    /// Its size in bytes.
    pub size: u64,
}

/// When a snapshot is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// If anything was changed since the last one.
    Changed,
    /// The same, unless the last one is younger than an hour or the store is large.
    Hourly,
    /// The same, unless there is one of this day (UTC) or the store is large.
    Daily,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A new one.
    Taken(Snapshot),
    /// There is one that is young enough, or nothing was changed since.
    Kept(Snapshot),
    /// The store is too large to be copied unasked.
    TooLarge,
    /// Another process is at it.
    Busy,
}

/// A copy on its way.
struct Copying {
    /// When it was begun, in milliseconds since 1970.
    now: i64,
    file: Unfinished,
    /// Given back when it has its name, or never will.
    _lock: DirLock,
}

/// Whether there is anything to copy.
enum Begun {
    Nothing(Outcome),
    Copy(Box<Copying>),
}

impl Vault {
    /// The vault in a state directory; it need not exist.
    pub fn of(state: &Path) -> Self {
        Self { dir: state.join("snapshots") }
    }

    /// Whether there is any snapshot at all.
    pub fn is_there(&self) -> bool {
        file::exists(&self.dir)
    }

    /// The shelf of the store at `path`, whose links are resolved as far as it is there.
    pub fn shelf(&self, family: Family, path: &Path) -> Shelf {
        let store = file::resolve(Path::new("/"), path);
        let digest = crate::state::digest(&store.to_string_lossy());
        Shelf { dir: self.dir.join(format!("{}-{digest}", family.as_str())), family, store }
    }
}

impl Shelf {
    /// Whose format its store has.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The store that it is of.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Its snapshots, oldest first.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        let mut found: Vec<Snapshot> = file::names(&self.dir)
            .into_iter()
            .filter_map(|file_name| {
                let name = file_name.strip_suffix(".db")?;
                let path = self.dir.join(&file_name);
                let at_ms = time_of(name.strip_prefix(self.family.as_str())?)?;
                Some(Snapshot { at_ms, size: file::length(&path)?, name: name.to_owned(), path })
            })
            .collect();
        found.sort_by(|left, right| {
            (left.at_ms, left.name.len(), &left.name).cmp(&(
                right.at_ms,
                right.name.len(),
                &right.name,
            ))
        });
        found
    }

    /// The newest of them.
    pub fn newest(&self) -> Option<Snapshot> {
        self.snapshots().pop()
    }

    /// Takes a snapshot if it is time for one, and removes those that are not to be kept.
    ///
    /// # Errors
    /// When the store cannot be read or is not whole, or the copy cannot be written; no snapshot is
    /// removed then.
    pub fn take(&self, when: When) -> Result<Outcome, StoreError> {
        match self.begin(when)? {
            Begun::Nothing(outcome) => Ok(outcome),
            Begun::Copy(begun) => {
                copy::copy(self.family, &self.store, begun.file.path())?;
                self.finish(*begun)
            }
        }
    }

    /// The same in a thread: a copy of the store as it is at this moment, for which no writer waits.
    /// `None` when there is nothing left to do.
    ///
    /// # Errors
    /// When it cannot be begun.
    pub fn take_beside(&self, when: When) -> Result<Option<JoinHandle<()>>, StoreError> {
        let Begun::Copy(begun) = self.begin(when)? else { return Ok(None) };
        let Some(moment) = copy::Moment::of(&self.store)? else {
            copy::copy(self.family, &self.store, begun.file.path())?;
            self.finish(*begun)?;
            return Ok(None);
        };
        let shelf = self.clone();
        let work = move || {
            if moment.copy(shelf.family, begun.file.path()).is_ok() {
                // Without it there is one snapshot less.
                drop(shelf.finish(*begun));
            }
        };
        let thread = std::thread::Builder::new().name("snapshot".to_owned()).spawn(work);
        thread.map(Some).map_err(|error| StoreError::io(&self.dir, &error))
    }

    /// Makes room for a copy, if it is time for one.
    fn begin(&self, when: When) -> Result<Begun, StoreError> {
        let now = clock::now_ms();
        if let Some(outcome) = self.without_copying(when, now) {
            return Ok(Begun::Nothing(outcome));
        }
        let io = |error: std::io::Error| StoreError::io(&self.dir, &error);
        file::private_dir(&self.dir).map_err(io)?;
        let lock = match when {
            When::Changed => Some(replace::lock_dir(&self.dir).map_err(io)?),
            When::Hourly | When::Daily => replace::try_lock_dir(&self.dir).map_err(io)?,
        };
        let Some(lock) = lock else { return Ok(Begun::Nothing(Outcome::Busy)) };
        // Another process may have been faster.
        if let Some(outcome) = self.without_copying(when, now) {
            return Ok(Begun::Nothing(outcome));
        }
        self.sweep();
        let of = self.dir.join(OF);
        if !file::exists(&of) {
            file::write_record(&of, self.store.to_string_lossy().as_bytes()).map_err(io)?;
        }
        let file = Unfinished::begin(&self.dir).map_err(io)?;
        Ok(Begun::Copy(Box::new(Copying { now, file, _lock: lock })))
    }

    /// Gives a copy its name.
    fn finish(&self, begun: Copying) -> Result<Outcome, StoreError> {
        let Copying { now, file: unfinished, _lock } = begun;
        let name = self.new_name(now);
        let path = self.dir.join(format!("{name}.db"));
        unfinished.finish(&path).map_err(|error| StoreError::io(&self.dir, &error))?;
        self.tidy();
        let size = file::length(&path).unwrap_or(0);
        Ok(Outcome::Taken(Snapshot { name, path, at_ms: now / 1000 * 1000, size }))
    }

    /// Why there is nothing to copy.
    fn without_copying(&self, when: When, now: i64) -> Option<Outcome> {
        if when != When::Changed {
            let size: u64 = self.files().iter().filter_map(|path| file::length(path)).sum();
            if size > LARGE {
                return Some(Outcome::TooLarge);
            }
        }
        let newest = self.newest()?;
        let young = match when {
            When::Changed => false,
            When::Hourly => now - newest.at_ms < HOUR_MS,
            When::Daily => now / DAY_MS == newest.at_ms / DAY_MS,
        };
        (young || !self.is_changed_since(&newest)).then_some(Outcome::Kept(newest))
    }

    /// Whether anything may have been changed in the store since a snapshot.
    pub fn is_changed_since(&self, snapshot: &Snapshot) -> bool {
        let changed = self.files().iter().filter_map(|path| file::changed_ms(path)).max();
        // A change in the very second of the snapshot may not be in it.
        changed.is_none_or(|changed| changed >= snapshot.at_ms)
    }

    /// What the store's data is in.
    fn files(&self) -> [PathBuf; 2] {
        [self.store.clone(), super::native::beside(&self.store, "-wal")]
    }

    /// A name that no snapshot has.
    fn new_name(&self, now: i64) -> String {
        let second: String =
            clock::rfc3339(now).chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
        let name = format!("{}-{second}Z", self.family.as_str());
        let taken = |name: &String| file::exists(&self.dir.join(format!("{name}.db")));
        if !taken(&name) {
            return name;
        }
        (2..).map(|more| format!("{name}-{more}")).find(|name| !taken(name)).unwrap_or(name)
    }

    /// Removes what a killed process left unfinished, with the journal that its copy may have had. Under
    /// the lock nobody else is at it.
    fn sweep(&self) {
        let names = file::names(&self.dir).into_iter();
        for name in names.filter(|name| name.starts_with(".ringfence-")) {
            drop(file::remove(&self.dir.join(name)));
        }
    }

    fn tidy(&self) {
        let all: Vec<(i64, u64)> =
            self.snapshots().iter().map(|one| (one.at_ms, one.size)).collect();
        let keep = keep::keep(&all);
        for (one, keep) in self.snapshots().iter().zip(keep) {
            if !keep {
                // What cannot be removed now is removed next time.
                drop(file::remove(&one.path));
            }
        }
    }
}

/// The time in `-20261201T040500Z` or `-20261201T040500Z-2`.
fn time_of(rest: &str) -> Option<i64> {
    let stamp = rest.strip_prefix('-')?;
    let (stamp, more) = stamp.split_once('Z')?;
    let plain = more.is_empty()
        || more.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n > 1));
    let part = |from: usize, to: usize| stamp.get(from..to);
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(9, 11)?,
        part(11, 13)?,
        part(13, 15)?
    );
    let time = text.parse::<jiff::Timestamp>().ok()?;
    (plain && stamp.len() == 15 && part(8, 9) == Some("T")).then(|| time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_time_and_others_are_none() {
        let at = "2026-12-01T04:05:06Z".parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert_eq!(time_of("-20261201T040506Z"), Some(at));
        assert_eq!(time_of("-20261201T040506Z-12"), Some(at));
        for name in [
            "",
            "-",
            "-20261201T040506",
            "-20261201T040506Z-1",
            "-20261201T040506Zx",
            "-2026-12-01T04Z",
            "-20261301T040506Z",
            "20261201T040506Z",
        ] {
            assert_eq!(time_of(name), None, "{name}");
        }
    }
}
