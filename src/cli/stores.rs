//! Which memory stores a call in this directory would reach.

use std::path::Path;

use crate::decision::Code;
use crate::facts::{Machine, Setup};
use crate::guard::{Facts, Place};
use crate::memory::Family;
use crate::memory::store::snapshot::Shelf;
use crate::memory::store::{Survey, survey};
use crate::request::Caller;
use crate::state::State;
use crate::sys::{child, clock, env, file};
use crate::wiring::doctor::{Row, age};
use crate::wiring::table::Places;

/// A store, as seen from here.
pub(super) struct Store {
    pub(super) family: &'static str,
    pub(super) path: String,
    /// Why it cannot be read.
    pub(super) doubt: Option<String>,
}

/// What a call in this directory sees of the machine.
pub(super) fn machine(places: &Places) -> Machine {
    let cwd = env::current_dir().map(|dir| dir.to_string_lossy().into_owned());
    let named = |flag: &str| {
        let on_the_line = places.on_the_line.iter().filter(move |(known, _)| *known == flag);
        on_the_line.map(|(_, value)| value.into()).collect()
    };
    Machine::new(Setup {
        dirs: places.dirs.clone(),
        state: State::at(&places.dirs.state),
        stores: named("--store"),
        cortex_homes: named("--cortex-home"),
        config: None,
        client: Some(places.client.clone()),
        caller: Caller::default(),
        cwd: cwd.unwrap_or_default(),
        project: None,
        call_id: None,
    })
}

/// The stores of both families.
pub(super) fn found(places: &Places) -> Vec<Store> {
    let machine = machine(places);
    let mut stores = Vec::new();
    for family in [Family::Cortex, Family::Native] {
        let word = family.as_str();
        let (reached, doubts) = machine.stores(family, &Place::default());
        stores.extend(reached.into_iter().map(|one| Store {
            family: word,
            path: one.memory.path().to_owned(),
            doubt: None,
        }));
        // Where there is none, there is nothing to say.
        let doubts = doubts.into_iter().filter(|doubt| doubt.code != Code::StoreMissing);
        stores.extend(doubts.map(|doubt| Store {
            family: word,
            path: doubt.detail,
            doubt: Some(doubt.code.as_str().to_owned()),
        }));
    }
    stores
}

/// A row for each.
pub(super) fn rows(places: &Places) -> Vec<Row> {
    let stores = found(places);
    if stores.is_empty() {
        return vec![Row::pass("stores", "none for this directory yet, so nothing to guard here")];
    }
    let mut rows: Vec<Row> = stores.iter().map(row).collect();
    let now = clock::now_ms();
    let shelves = machine(places).shelves().into_iter();
    rows.extend(shelves.filter(|shelf| file::exists(shelf.store())).map(|one| kept(&one, now)));
    rows
}

/// A store that was changed has a snapshot younger than this, if sessions start in its project, in
/// milliseconds.
const STALE: i64 = 2 * 24 * 3600 * 1000;

/// How old a store's newest snapshot is, and whether it would help.
fn kept(shelf: &Shelf, now: i64) -> Row {
    const NAME: &str = "snapshots";
    const FIX: &str = "ringfence snapshot";
    let place = shelf.store().display();
    let Some(newest) = shelf.newest() else {
        return Row::warn(NAME, format!("{place} has none yet"), FIX);
    };
    let copy = newest.path.display();
    if let Err(doubt) = survey(&newest.path) {
        let said = format!("the newest of {place} cannot be read: {}", doubt.code.as_str());
        return Row::warn(NAME, said, format!("rm {copy} && {FIX}"));
    }
    let old = now.saturating_sub(newest.at_ms);
    let said = format!("the newest of {place} is {} old", age(old));
    match (old > STALE, shelf.is_changed_since(&newest)) {
        (true, true) => Row::warn(NAME, format!("{said}, and the store was changed since"), FIX),
        (true, false) => Row::pass(NAME, format!("{said}; nothing was changed since")),
        (false, _) => Row::pass(NAME, said),
    }
}

/// More than this in a WAL means that nothing brings it into the store, in bytes.
const LARGE_WAL: u64 = 64 << 20;

fn row(store: &Store) -> Row {
    let path = Path::new(&store.path);
    let place = path.display();
    let unreadable = |doubt: &str| {
        Row::warn("stores", format!("{place} cannot be read: {doubt}"), "ringfence explain --codes")
    };
    if let Some(doubt) = &store.doubt {
        return unreadable(doubt);
    }
    let seen = match survey(path) {
        Ok(seen) => seen,
        Err(doubt) => return unreadable(doubt.code.as_str()),
    };
    if env::others_may_write(path) {
        let said = format!("{place} can be changed by other users");
        return Row::warn("stores", said, format!("chmod go-w {place}"));
    }
    let wal = match seen.wal {
        None | Some(0) => "no WAL".to_owned(),
        Some(bytes) if bytes > LARGE_WAL => {
            let said = format!(
                "{place} has {} MB in its WAL, which slows each look-up: some program keeps it open",
                bytes >> 20
            );
            return Row::warn("stores", said, format!("fuser -v {place}"));
        }
        Some(bytes) => format!("WAL of {} KB", bytes.div_ceil(1024)),
    };
    let Survey { schema, notes, .. } = seen;
    let family = store.family;
    let said = format!("{place} can be read ({family}, schema {schema}, {notes} notes, {wal})");
    let dir = path.parent().unwrap_or(path);
    if child::try_write(dir).is_err() {
        let said = format!("{said}, but its directory cannot be written: a look-up can fail in it");
        return Row::warn("stores", said, format!("ls -ld {}", dir.display()));
    }
    Row::pass("stores", said)
}
