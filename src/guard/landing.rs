//! Files that arrive in a folder under names which the command does not spell: what an archive holds,
//! what a glob finds, what lies in a folder that is copied as a whole.

use super::case::Case;
use super::change::{Change, NewText, below};
use super::paths::{self, Reach};
use super::{Protected, ProtectedKind};
use crate::decision::Code;
use crate::shell::{self, Word};

/// Files arriving in a folder.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) folder: Word,
    /// A glob that their names match; `None` = any names, hidden ones too.
    pub(super) names: Option<String>,
    /// Folders arrive as well, with what lies in them.
    pub(super) deep: bool,
    /// The folder where they come from, if it is one.
    pub(super) from: Option<Word>,
    pub(super) how: &'static str,
}

impl Arrival {
    /// Anything at all.
    pub(super) fn of_anything(folder: &Word, how: &'static str) -> Self {
        Self { folder: folder.clone(), names: None, deep: true, from: None, how }
    }
}

/// The changes that are proved. A store in a folder of its own is what files that arrive there mean;
/// anywhere else it lies among much, and that it is meant is a doubt.
pub(super) fn changes(case: &mut Case, cwd: Option<&str>, arrival: &Arrival) -> Vec<Change> {
    let mut found = Vec::new();
    for protected in paths::hits(case, cwd, &arrival.folder, Reach::Below) {
        let name = protected.path.rsplit('/').next().unwrap_or_default().to_owned();
        let inside = within(case, cwd, &arrival.folder, &protected);
        let direct = inside.is_none() && {
            let there = below(&arrival.folder, &name);
            paths::hits(case, cwd, &there, Reach::This).iter().any(|hit| hit.path == protected.path)
        };
        let source = arrival.from.as_ref().filter(|_| direct).map(|from| below(from, &name));
        let is_there = source.as_ref().is_some_and(|source| case.text_at(cwd, source).is_some());
        let text = source.map_or(NewText::Unknown, NewText::CopyOf);
        let change =
            Change::new(&Word::Literal(protected.path.clone()), Reach::This, arrival.how, text);
        match inside {
            Some(Inside::Whole) => found.push(change),
            Some(Inside::Above(below)) if arrival.deep && fits(&arrival.names, first(&below)) => {
                match came(case, cwd, arrival, &below) {
                    Some(text) => found.push(Change { text, ..change }),
                    None => case.doubt_of(Code::TargetRuntime, &protected.path),
                }
            }
            Some(Inside::Above(_)) => {}
            None if direct && !fits(&arrival.names, &name) => {}
            None if direct => match protected.kind {
                ProtectedKind::Store if !name.starts_with('.') => found.push(change),
                ProtectedKind::Settings if is_there => found.push(change),
                ProtectedKind::Store | ProtectedKind::Own | ProtectedKind::Settings => {
                    case.doubt_of(Code::TargetRuntime, &protected.path);
                }
            },
            None if arrival.deep => case.doubt_of(Code::TargetRuntime, &protected.path),
            None => {}
        }
    }
    found
}

/// How a folder lies to what is protected.
enum Inside {
    /// In it: whatever arrives changes it.
    Whole,
    /// More than one step above it; the steps.
    Above(String),
}

fn within(case: &Case, cwd: Option<&str>, folder: &Word, protected: &Protected) -> Option<Inside> {
    let path = folder.literal()?;
    let base = if path.starts_with('/') { Some(cwd.unwrap_or("/")) } else { cwd };
    let folder = case.resolve(base?, path);
    let folder = folder.trim_end_matches('/');
    if let Some(rest) = folder.strip_prefix(protected.path.as_str())
        && (rest.is_empty() || rest.starts_with('/'))
    {
        return Some(Inside::Whole);
    }
    let rest = protected.path.strip_prefix(folder)?.strip_prefix('/')?;
    rest.contains('/').then(|| Inside::Above(rest.to_owned()))
}

fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

/// What arrives `steps` below a folder that is copied as a whole, if there is a file.
fn came(case: &Case, cwd: Option<&str>, arrival: &Arrival, steps: &str) -> Option<NewText> {
    let source = below(arrival.from.as_ref()?, steps);
    case.text_at(cwd, &source).map(|_| NewText::CopyOf(source))
}

/// Whether a glob matches a name as a shell's does.
fn fits(glob: &Option<String>, name: &str) -> bool {
    glob.as_deref().is_none_or(|glob| {
        let hidden = name.starts_with('.') && glob.starts_with(['*', '?', '[']);
        !hidden && shell::matches(glob, name)
    })
}
