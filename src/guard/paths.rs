//! Which protected paths a word of a command can mean.

use super::case::Case;
use super::{Place, Protected, ProtectedKind};
use crate::decision::Code;
use crate::memory::Family;
use crate::shell::{Piece, Word};

/// File names of stores; a word with one of them concerns memory.
pub(super) const STORE_NAMES: [&str; 2] = ["cortex.db", "memory.db"];

/// What SQLite keeps beside a store's file.
const SIDES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// How far a change of a path reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// That file only.
    This,
    /// It and all below it.
    Below,
}

/// The protected paths that a change of `word` in directory `cwd` reaches.
///
/// A word that only run time knows reaches nothing; it is a doubt when it names a store's file.
pub(super) fn hits(
    case: &mut Case,
    cwd: Option<&str>,
    word: &Word,
    reach: Reach,
) -> Vec<Protected> {
    let Some(patterns) = patterns(case, cwd, word) else {
        if names_a_store(word) {
            case.doubt_of(Code::TargetRuntime, "path");
        }
        return Vec::new();
    };
    let mut found = Vec::new();
    for protected in all_protected(case, cwd) {
        if patterns.iter().any(|pattern| pattern.reaches(&protected, reach)) {
            found.push(protected);
        }
    }
    found
}

/// Like [`hits`] for a path that is wholly known.
pub(super) fn hits_path(
    case: &mut Case,
    cwd: Option<&str>,
    path: &str,
    reach: Reach,
) -> Vec<Protected> {
    hits(case, cwd, &Word::Literal(path.to_owned()), reach)
}

/// Whether a word's known text names a store's file.
pub(super) fn names_a_store(word: &Word) -> bool {
    let names = |text: &str| STORE_NAMES.iter().any(|name| text.contains(name));
    match word {
        Word::Literal(text) => names(text),
        Word::OneOf(all) => all.iter().any(|text| names(text)),
        Word::Partial(pieces) => pieces.iter().any(|piece| match piece {
            Piece::Text(text) => names(text),
            Piece::Glob(_) | Piece::Hole { .. } => false,
        }),
    }
}

/// The protected paths of the call, and the stores of `cwd` where the text itself went there.
pub(super) fn all_protected(case: &mut Case, cwd: Option<&str>) -> Vec<Protected> {
    let mut all: Vec<Protected> = case.protected().to_vec();
    let Some(cwd) = cwd.filter(|cwd| *cwd != case.request.cwd) else { return all };
    let place = Place { cwd: Some(cwd.to_owned()), ..Place::default() };
    for family in [Family::Cortex, Family::Native] {
        for path in case.store_paths(family, &place) {
            if !all.iter().any(|known| known.path == path) {
                all.push(Protected { path, what: "the memory store", kind: ProtectedKind::Store });
            }
        }
    }
    all
}

/// `word` as absolute patterns; `None` if a part is only known at run time.
fn patterns(case: &Case, cwd: Option<&str>, word: &Word) -> Option<Vec<Pattern>> {
    match word.values() {
        Some(all) => {
            let mut patterns = Vec::new();
            for path in all {
                patterns.extend(literal_patterns(case, cwd, path)?);
            }
            Some(patterns)
        }
        None => match word {
            Word::Partial(pieces) => glob_pattern(case, cwd, pieces).map(|pattern| vec![pattern]),
            Word::Literal(_) | Word::OneOf(_) => None,
        },
    }
}

/// The path itself, and where it leads if it is a link.
fn literal_patterns(case: &Case, cwd: Option<&str>, path: &str) -> Option<Vec<Pattern>> {
    let base = base(cwd, path)?;
    let path = path.trim_end_matches('/');
    let resolved = case.facts.resolve(base, if path.is_empty() { "/" } else { path });
    let mut patterns = vec![Pattern::exactly(&resolved)];
    if let Some((parent, name)) = split_name(path) {
        let parent = case.facts.resolve(base, parent);
        patterns.push(Pattern::exactly(&format!("{}/{name}", parent.trim_end_matches('/'))));
    }
    Some(patterns)
}

fn base<'a>(cwd: Option<&'a str>, path: &str) -> Option<&'a str> {
    if path.starts_with('/') { Some(cwd.unwrap_or("/")) } else { cwd }
}

fn split_name(path: &str) -> Option<(&str, &str)> {
    let (parent, name) = match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some(split) => split,
        None => (".", path),
    };
    (!matches!(name, "" | "." | "..")).then_some((parent, name))
}

fn glob_pattern(case: &Case, cwd: Option<&str>, pieces: &[Piece]) -> Option<Pattern> {
    let mut atoms = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => atoms.extend(text.chars().map(Atom::Letter)),
            Piece::Glob(text) => atoms.extend(glob_atoms(text)),
            Piece::Hole { .. } => return None,
        }
    }
    let is_absolute = atoms.first() == Some(&Atom::Letter('/'));
    let parts: Vec<Vec<Atom>> =
        atoms.split(|atom| *atom == Atom::Letter('/')).map(<[Atom]>::to_vec).collect();
    // The folders before the first glob are resolved; what comes after is matched by name.
    let plain = parts.iter().take_while(|part| part.iter().all(Atom::is_letter)).count();
    let folder: Vec<String> = parts
        .iter()
        .take(plain)
        .map(|part| part.iter().filter_map(Atom::letter).collect())
        .collect();
    let folder = if plain == 0 { ".".to_owned() } else { folder.join("/") };
    let folder = if is_absolute && folder.is_empty() { "/".to_owned() } else { folder };
    let resolved = case.facts.resolve(base(cwd, &folder)?, &folder);
    let mut pattern = Pattern::exactly(&resolved);
    pattern.parts.extend(parts.into_iter().skip(plain).filter(|part| !part.is_empty()));
    Some(pattern)
}

/// The atoms of one glob piece.
pub(super) fn glob_atoms(text: &str) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => atoms.push(Atom::Many),
            '?' => atoms.push(Atom::One),
            '[' => {
                let set: String = letters.by_ref().take_while(|letter| *letter != ']').collect();
                atoms.push(Atom::Set(set));
            }
            '\\' => atoms.extend(letters.next().map(Atom::Letter)),
            _ => atoms.push(Atom::Letter(letter)),
        }
    }
    atoms
}

/// Whether the shell glob `text` matches the file name `name`.
pub(super) fn glob_fits(text: &str, name: &str) -> bool {
    fits(&glob_atoms(text), name)
}

/// One atom of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Letter(char),
    One,
    Many,
    Set(String),
}

impl Atom {
    fn is_letter(&self) -> bool {
        matches!(self, Self::Letter(_))
    }

    fn letter(&self) -> Option<char> {
        match self {
            Self::Letter(letter) => Some(*letter),
            Self::One | Self::Many | Self::Set(_) => None,
        }
    }

    fn takes(&self, letter: char) -> bool {
        match self {
            Self::Letter(own) => *own == letter,
            Self::One => true,
            Self::Many => false,
            Self::Set(set) => {
                let (negated, set) = match set.strip_prefix(['!', '^']) {
                    Some(rest) => (true, rest),
                    None => (false, set.as_str()),
                };
                in_set(set, letter) != negated
            }
        }
    }
}

fn in_set(set: &str, letter: char) -> bool {
    // A class (`[[:alpha:]]`) is taken as "any letter": it only ever widens what may be meant.
    let letters: Vec<char> = set.chars().collect();
    set.contains("[:")
        || set.contains(letter)
        || letters
            .windows(3)
            .any(|range| matches!(range, [low, '-', high] if (*low..=*high).contains(&letter)))
}

/// Whether `atoms` match the whole of `name`; linear but for one step back to the last `*`.
fn fits(atoms: &[Atom], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut pos) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while pos < name.len() {
        match (atoms.get(at), name.get(pos)) {
            (Some(Atom::Many), _) => {
                retry = Some((at + 1, pos));
                at += 1;
            }
            (Some(atom), Some(letter)) if atom.takes(*letter) => {
                at += 1;
                pos += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    at = after;
                    pos = from + 1;
                }
                None => return false,
            },
        }
    }
    atoms.iter().skip(at).all(|atom| *atom == Atom::Many)
}

/// An absolute path, or several by globs.
struct Pattern {
    parts: Vec<Vec<Atom>>,
}

impl Pattern {
    fn exactly(path: &str) -> Self {
        let parts = path.split('/').filter(|part| !part.is_empty());
        Self { parts: parts.map(|part| part.chars().map(Atom::Letter).collect()).collect() }
    }

    fn reaches(&self, protected: &Protected, reach: Reach) -> bool {
        let sides: &[&str] = if protected.kind == ProtectedKind::Store {
            &SIDES
        } else {
            SIDES.get(..1).unwrap_or(&[])
        };
        sides.iter().any(|side| {
            let path = format!("{}{side}", protected.path);
            let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
            let shared = self.parts.len().min(names.len());
            let same = self
                .parts
                .iter()
                .zip(&names)
                .take(shared)
                .all(|(part, name)| fits_shown(part, name));
            // A longer path lies in a protected folder; a shorter one holds the protected path.
            same && (self.parts.len() >= names.len() || reach == Reach::Below)
        })
    }
}

/// As [`fits`], but a glob does not begin with a dot that it does not spell.
fn fits_shown(atoms: &[Atom], name: &str) -> bool {
    let hidden = name.starts_with('.') && atoms.first() != Some(&Atom::Letter('.'));
    !hidden && fits(atoms, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_a_shell_matches_them() {
        for (glob, name, expected) in [
            ("*", "memory.db", true),
            ("*", "", true),
            ("m*y.d?", "memory.db", true),
            ("m*y.d?", "memory.d", false),
            ("[a-n]emory.db", "memory.db", true),
            ("[!m]emory.db", "memory.db", false),
            ("[[:alpha:]]emory.db", "memory.db", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            (r"\*", "*", true),
            (r"\*", "x", false),
        ] {
            assert_eq!(glob_fits(glob, name), expected, "{glob} {name}");
        }
        assert!(!fits_shown(&glob_atoms("*.db"), ".cortex.db"));
        assert!(fits_shown(&glob_atoms(".c*.db"), ".cortex.db"));
    }
}
