//! Which memory stores a call in this directory would reach.

use crate::decision::Code;
use crate::facts::{Machine, Setup};
use crate::guard::{Facts, Place};
use crate::memory::Family;
use crate::request::Caller;
use crate::state::State;
use crate::sys::env;
use crate::wiring::doctor::Row;
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
    let row = |store: &Store| match &store.doubt {
        None => Row::pass("stores", format!("{} can be read ({})", store.path, store.family)),
        Some(doubt) => Row::warn(
            "stores",
            format!("{} cannot be read: {doubt}", store.path),
            "ringfence explain --codes",
        ),
    };
    stores.iter().map(row).collect()
}
