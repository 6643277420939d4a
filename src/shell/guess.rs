//! A program word that only run time knows: what it may be all the same. An unset variable is no word
//! at all, a pattern fits programs that are known, and what gets `-c` and a text is most often a shell.

use super::eval::Reader;
use super::launchers::LAUNCHERS;
use super::program::base_name;
use super::scope::Scope;
use super::types::{Piece, Stdin, Word};

/// Programs that a pattern is tried on, besides the launchers.
const PROGRAMS: &[&str] = &[
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "env",
    "xargs",
    "find",
    "python3",
    "python",
    "node",
    "perl",
    "ruby",
    "php",
    "awk",
    "git",
    "make",
    "cortex",
    "ringfence",
    "sqlite3",
    "rm",
    "mv",
    "cp",
    "dd",
    "tee",
    "ln",
    "sed",
    "truncate",
    "shred",
    "unlink",
];

/// The most programs that one pattern is taken for.
const MOST: usize = 4;

/// Reads the words again for each thing that the first may be.
pub(super) fn started(
    reader: &mut Reader<'_>,
    argv: &[Word],
    scope: &Scope,
    input: &Stdin,
    env: &[(String, Word)],
) {
    let Some((Word::Partial(pieces), rest)) = argv.split_first() else { return };
    if rest.is_empty() {
        return;
    }
    let vanishes = pieces.iter().all(|piece| matches!(piece, Piece::Hole { many: true, .. }));
    if vanishes && rest.first().is_some_and(|word| word.literal().is_none_or(is_program)) {
        reader.launched("an unset variable", rest, scope, input, env);
    }
    if let Some(flag) = rest.first().and_then(Word::literal)
        && flag.starts_with('-')
        && !flag.starts_with("--")
        && flag.ends_with('c')
        && let Some(code) = rest.get(1)
    {
        reader.launched_code("unknown -c", code, &[], scope, input);
    }
    for name in fitting(pieces) {
        let mut own = argv.to_vec();
        if let Some(first) = own.first_mut() {
            *first = Word::Literal(name.to_owned());
        }
        reader.launched("pattern", &own, scope, input, env);
    }
}

/// Options and assignments are none.
fn is_program(text: &str) -> bool {
    !text.starts_with('-') && !text.is_empty()
}

/// The known programs that a pattern fits, unless it fits too many to mean one.
fn fitting(pieces: &[Piece]) -> Vec<&'static str> {
    if !pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Glob(_))) {
        return Vec::new();
    }
    let last = last_component(pieces);
    if !last.iter().any(|piece| matches!(piece, Piece::Text(_))) {
        return Vec::new();
    }
    let word = Word::Partial(last);
    let launchers = LAUNCHERS.iter().flat_map(|row| row.names.iter().copied());
    let all: Vec<&str> =
        PROGRAMS.iter().copied().chain(launchers).filter(|name| word.can_be(name)).collect();
    if all.len() > MOST { Vec::new() } else { all }
}

/// What stands after the last slash.
pub fn last_component(pieces: &[Piece]) -> Vec<Piece> {
    let slash =
        pieces.iter().rposition(|piece| matches!(piece, Piece::Text(text) if text.contains('/')));
    let Some(at) = slash else { return pieces.to_vec() };
    let mut last = pieces.get(at..).unwrap_or(&[]).to_vec();
    if let Some(Piece::Text(text)) = last.first_mut() {
        let end = if text.ends_with('/') { String::new() } else { base_name(text).to_owned() };
        *text = end;
    }
    last.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    last
}
