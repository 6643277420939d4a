//! Settings text → settings text: puts our entries in and takes exactly ours out.
//!
//! Every byte that is not ours stays: an edit is a list of splices at places that the reader found,
//! so comments that are none, number spellings, duplicate keys, line ends and indentation are never
//! printed again. Pure.

#![forbid(unsafe_code)]

use std::fmt;

use super::document::{self, Fault, Member, Node};
use super::entry::{Entry, Registered, recognise};
use super::insert::insert;
use super::server;
use super::splice::{Splice, apply};

/// A container that an edit made, so that it can be taken back when it is empty again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Made {
    /// The event whose list was made, or `mcpServers`; `None` for `hooks` itself.
    pub event: Option<String>,
    /// What stood there before (`null`, `[]`, `false`: things that the client ignores), if anything.
    pub instead_of: Option<String>,
}

/// A settings text with our entries in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub bytes: Vec<u8>,
    /// The containers that had to be made.
    pub made: Vec<Made>,
}

/// Why a settings file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The client could not parse it either.
    Fault(Fault),
    /// The top level, or something on the way to our place, is of the wrong kind.
    Kind {
        /// Where in the settings: `hooks.PreToolUse`; empty for the top level.
        path: String,
        /// What stands there.
        found: &'static str,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// UTF-16, which the client reads and we do not write.
    Utf16,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(out, "{fault}"),
            Self::Kind { path, found, line, column } if path.is_empty() => {
                write!(
                    out,
                    "the settings are no object but {found} at line {line}, column {column}"
                )
            }
            Self::Kind { path, found, line, column } => {
                write!(
                    out,
                    "`{path}` is of the wrong kind ({found}) at line {line}, column {column}"
                )
            }
            Self::Utf16 => write!(out, "the file is written in UTF-16"),
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Puts `entries` in, each once, and takes older entries of ours out. Unchanged bytes mean that
/// everything was there already.
///
/// # Errors
/// When the client would not parse the text, or our place in it is taken.
pub fn add(bytes: &[u8], entries: &[Entry], own: &str) -> Result<Edited, Refusal> {
    let mut kept: Vec<&Entry> = Vec::new();
    let text = without(bytes, own, &Empties::Keep, |found, counts| {
        // The first exact copy that counts stays where it is; all others are old or twice.
        let exact = entries.iter().find(|entry| entry.matches(found) && !kept.contains(entry));
        match exact.filter(|_| counts) {
            Some(entry) => kept.push(entry),
            None => return counts,
        }
        false
    })?;
    let mut edited = Edited { bytes: text, made: Vec::new() };
    for entry in entries.iter().filter(|entry| !kept.contains(entry)) {
        insert(&mut edited, entry)?;
    }
    Ok(edited)
}

/// Takes every entry of ours out. `made` names the containers that `add` made; without that
/// knowledge each container that is left empty is taken for ours.
///
/// # Errors
/// When the client would not parse the text.
pub fn remove(bytes: &[u8], own: &str, made: Option<&[Made]>) -> Result<Vec<u8>, Refusal> {
    let empties = made.map_or(Empties::Drop, Empties::DropMade);
    without(bytes, own, &empties, |_, _| true)
}

/// Every entry of ours that counts for the client, in the order of the file.
pub fn registered(root: &Node, own: &str) -> Vec<Registered> {
    placed(root, own).into_iter().map(|(_, entry)| entry).collect()
}

/// As [`registered`], each with its place as the lint names it: `hooks.PreToolUse.0.hooks.1`.
pub fn placed(root: &Node, own: &str) -> Vec<(String, Registered)> {
    let mut found = Vec::new();
    for event in root.get("hooks").into_iter().flat_map(Node::counted) {
        for (at, group) in event.node.items().iter().enumerate() {
            let handlers = group.get("hooks").map(Node::items).unwrap_or_default();
            found.extend(handlers.iter().enumerate().filter_map(|(number, one)| {
                let entry = recognise(&event.key, group, one, own)?;
                Some((format!("hooks.{}.{at}.hooks.{number}", event.key), entry))
            }));
        }
    }
    found
}

/// Reads the text for an edit: `None` is an empty file.
///
/// # Errors
/// When the client would not parse it, or it is UTF-16.
pub fn read(bytes: &[u8]) -> Result<Option<Node>, Refusal> {
    if bytes.starts_with(b"\xff\xfe") {
        return Err(Refusal::Utf16);
    }
    let root = document::read(bytes)?;
    if let Some(root) = root.as_ref().filter(|root| !root.is_object()) {
        return Err(wrong_kind(bytes, "", root));
    }
    Ok(root)
}

pub(super) fn wrong_kind(bytes: &[u8], path: &str, node: &Node) -> Refusal {
    let (line, column) = document::place(bytes, node.start);
    Refusal::Kind { path: path.to_owned(), found: node.kind(), line, column }
}

/// What to do with a container that is empty once ours is out of it.
enum Empties<'a> {
    Keep,
    Drop,
    DropMade(&'a [Made]),
}

/// What becomes of one child.
enum Fate {
    Stays,
    Goes,
    /// It goes, and this stood there before.
    GivesBack(String),
}

impl Empties<'_> {
    fn fate(&self, event: Option<&str>) -> Fate {
        match self {
            Self::Keep => Fate::Stays,
            Self::Drop => Fate::Goes,
            Self::DropMade(made) => match made.iter().find(|one| one.event.as_deref() == event) {
                Some(Made { instead_of: Some(text), .. }) => Fate::GivesBack(text.clone()),
                Some(_) => Fate::Goes,
                None => Fate::Stays,
            },
        }
    }
}

/// The text without those entries of ours that `goes` picks. It is told whether the client looks at
/// the entry: of equal keys only the last one counts.
fn without(
    bytes: &[u8],
    own: &str,
    empties: &Empties<'_>,
    mut goes: impl FnMut(&Registered, bool) -> bool,
) -> Result<Vec<u8>, Refusal> {
    let Some(root) = read(bytes)? else { return Ok(bytes.to_vec()) };
    let mut splices = Vec::new();
    let mut root_gone = Vec::new();
    for member in root.members() {
        let is_servers = member.key == server::SERVERS;
        if member.key != "hooks"
            && !(is_servers && matches!(empties, Empties::Drop | Empties::DropMade(_)))
        {
            root_gone.push(false);
            continue;
        }
        let counts = root.get("hooks").is_some_and(|last| last.start == member.node.start);
        let mut goes = |found: &Registered, last: bool| goes(found, counts && last);
        let (emptied, cuts) = match is_servers {
            true => server::cut(member, own),
            false => cut_hooks(&member.node, own, empties, &mut goes),
        };
        let made = is_servers.then_some(server::SERVERS);
        match emptied.then(|| empties.fate(made)) {
            Some(Fate::Goes) => root_gone.push(true),
            Some(Fate::GivesBack(text)) => {
                splices.push(Splice::new(member.node.start, member.node.end, text));
                root_gone.push(false);
            }
            Some(Fate::Stays) | None => {
                splices.extend(cuts);
                root_gone.push(false);
            }
        }
    }
    let spans: Vec<_> = root.members().iter().map(|one| (one.start, one.node.end)).collect();
    splices.extend(cut_children(&root, &spans, &root_gone));
    Ok(apply(bytes, splices))
}

/// What goes out of one `hooks` object, and whether nothing is left in it.
fn cut_hooks(
    hooks: &Node,
    own: &str,
    empties: &Empties<'_>,
    goes: &mut impl FnMut(&Registered, bool) -> bool,
) -> (bool, Vec<Splice>) {
    let events = hooks.members();
    let mut splices = Vec::new();
    let mut gone = Vec::new();
    for event in events {
        let last = hooks.get(&event.key).is_some_and(|last| last.start == event.node.start);
        let (emptied, cuts) = cut_event(event, own, &mut |found: &Registered| goes(found, last));
        match emptied.then(|| empties.fate(Some(&event.key))) {
            Some(Fate::Goes) => gone.push(true),
            Some(Fate::GivesBack(text)) => {
                splices.push(Splice::new(event.node.start, event.node.end, text));
                gone.push(false);
            }
            Some(Fate::Stays) | None => {
                splices.extend(cuts);
                gone.push(false);
            }
        }
    }
    let spans: Vec<_> = events.iter().map(|one| (one.start, one.node.end)).collect();
    splices.extend(cut_children(hooks, &spans, &gone));
    (!gone.is_empty() && gone.iter().all(|gone| *gone), splices)
}

/// What goes out of one event's list, and whether nothing is left in it.
fn cut_event(
    event: &Member,
    own: &str,
    goes: &mut dyn FnMut(&Registered) -> bool,
) -> (bool, Vec<Splice>) {
    let groups = event.node.items();
    let mut splices = Vec::new();
    let mut gone = vec![false; groups.len()];
    for (group, gone) in groups.iter().zip(&mut gone) {
        let Some(list) = group.get("hooks") else { continue };
        let handlers = list.items();
        let ours: Vec<bool> = handlers
            .iter()
            .map(|one| recognise(&event.key, group, one, own).is_some_and(|found| goes(&found)))
            .collect();
        if !ours.contains(&true) {
            continue;
        }
        // A key that we never write makes the group somebody's, even when nothing is left in it.
        let plain = group.members().iter().all(|one| one.key == "matcher" || one.key == "hooks");
        if plain && ours.iter().all(|ours| *ours) {
            *gone = true;
        } else {
            let spans: Vec<_> = handlers.iter().map(|one| (one.start, one.end)).collect();
            splices.extend(cut_children(list, &spans, &ours));
        }
    }
    let spans: Vec<_> = groups.iter().map(|one| (one.start, one.end)).collect();
    splices.extend(cut_children(&event.node, &spans, &gone));
    (!groups.is_empty() && gone.iter().all(|gone| *gone), splices)
}

/// Cuts children with the comma that goes with each: the one before it, or for leading ones the one
/// after. This undoes an insertion at the end exactly.
pub(super) fn cut_children(
    container: &Node,
    spans: &[(usize, usize)],
    gone: &[bool],
) -> Vec<Splice> {
    if !gone.contains(&true) {
        return Vec::new();
    }
    if gone.iter().all(|gone| *gone) {
        return vec![Splice::new(container.start + 1, container.end - 1, String::new())];
    }
    let mut splices = Vec::new();
    let mut kept_before = false;
    for (at, ((start, end), gone)) in spans.iter().zip(gone).enumerate() {
        if !gone {
            kept_before = true;
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| spans.get(at));
        match (kept_before, before, spans.get(at + 1)) {
            (true, Some((_, before)), _) => {
                splices.push(Splice::new(*before, *end, String::new()));
            }
            (_, _, Some((after, _))) => splices.push(Splice::new(*start, *after, String::new())),
            _ => {}
        }
    }
    splices
}
