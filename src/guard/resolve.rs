//! `cortex_resolve` and `note-resolve`: the note that is named, and what its replacement retires.

use super::Place;
use super::case::{Case, Effect, Store};
use super::note;
use super::owner::{Aim, weigh_note};
use crate::decision::Code;
use crate::memory::{Family, Note, subject};
use crate::request::{Argument, MemoryGuardRequest};

/// How a call names the note to resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    /// By its id, whatever its status.
    Id(&'a str),
    /// By its subject, as spelled: the newest active note on it.
    Subject(&'a str),
}

/// Judges a call of the tool.
pub(super) fn judge_tool(case: &mut Case, families: &[Family]) {
    let request: &MemoryGuardRequest = case.request;
    // The handler reads `note_id` alone: a `noteId` beside it is ignored there, so here too.
    let name = match (given(request.input.get("note_id")), given(request.input.get("subject"))) {
        (Given::Text(id), _) => Name::Id(id),
        (Given::Nothing, Given::Text(subject)) => Name::Subject(subject),
        // An id that is not a text matches no row, and without id and subject the handler refuses.
        (Given::Other(_), _) | (Given::Nothing, Given::Other(_) | Given::Nothing) => return,
    };
    let replacement = match given(request.input.get("replacement")) {
        // Blank is a text to the handler. Of other values only a number can be stored.
        Given::Text(text) => Some(text),
        Given::Other(raw) if raw.starts_with(|c: char| c.is_ascii_digit() || c == '-') => Some(raw),
        Given::Other(_) | Given::Nothing => None,
    };
    let place = case.place_of_call();
    for family in families {
        judge(case, *family, &place, name, replacement);
    }
}

/// Judges a resolve in the stores of `family` at `place`.
pub(super) fn judge(
    case: &mut Case,
    family: Family,
    place: &Place,
    name: Name,
    replacement: Option<&str>,
) {
    if !case.may_ask() {
        return;
    }
    let stores = case.stores(family, place);
    let mut known = false;
    for store in stores.iter() {
        let note = match find(case, store, name) {
            Found::Note(note) => note,
            Found::Refused => {
                known = true;
                continue;
            }
            Found::Nothing => continue,
        };
        known = true;
        let aim = match name {
            Name::Id(spelled) => Aim::Named(spelled),
            Name::Subject(_) => Aim::Implied,
        };
        weigh_note(case, store, &note, aim, Effect::Resolve);
        if let Some(text) = replacement {
            note::weigh_replacement(case, store, &note, text);
        }
    }
    // That there is no store at all is a doubt of its own already.
    if !known && !stores.is_empty() {
        let (Name::Id(spelled) | Name::Subject(spelled)) = name;
        case.doubt_of(Code::TargetUnknown, spelled);
    }
}

enum Found {
    Note(Box<Note>),
    /// The subject is contested, so the command lists the notes and refuses.
    Refused,
    Nothing,
}

fn find(case: &mut Case, store: &Store, name: Name) -> Found {
    let memory = &store.reached.memory;
    let found = match name {
        Name::Id(id) => memory.note(id),
        Name::Subject(raw) => {
            let contested = subject::normalise(raw)
                .map_or(Ok(Vec::new()), |subject| memory.active_on(&subject))
                .map(|notes| notes.iter().filter(|note| note.contested).count());
            match contested {
                Ok(0 | 1) => memory.active_like(raw).map(|notes| notes.into_iter().next()),
                Ok(_) => return Found::Refused,
                Err(doubt) => Err(doubt),
            }
        }
    };
    match found {
        Ok(Some(note)) => Found::Note(Box::new(note)),
        Ok(None) => Found::Nothing,
        Err(doubt) => {
            case.doubt(doubt);
            Found::Nothing
        }
    }
}

/// An argument as JavaScript's truth sees it.
enum Given<'a> {
    Text(&'a str),
    /// Something else that counts as given: its JSON text.
    Other(&'a str),
    Nothing,
}

fn given(argument: Option<&Argument>) -> Given<'_> {
    match argument {
        Some(Argument::Text(text)) if !text.is_empty() => Given::Text(text),
        Some(Argument::Other(raw)) if !matches!(raw.trim(), "false" | "0" | "-0" | "0.0") => {
            Given::Other(raw)
        }
        Some(Argument::Text(_) | Argument::Null | Argument::Other(_)) | None => Given::Nothing,
    }
}
