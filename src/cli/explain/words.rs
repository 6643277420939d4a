//! Words of a command for a person: what is known of each.

use crate::cli::screen::shown;
use crate::shell::{Invocation, LISTED, Piece, Redirect, Stdin, Word, name_of};

/// The longest word that is spelled out, in characters.
const LONGEST: usize = 300;
/// The most words of one command that are spelled out.
const MOST: usize = 60;
/// The most values that are named of a word that has several.
const VALUES: usize = 4;

/// All words of a program start.
pub(super) fn argv(words: &[Word]) -> String {
    let mut spelled: Vec<String> = words.iter().take(MOST).map(word).collect();
    if words.len() > MOST {
        spelled.push(format!("… ({} words more)", words.len() - MOST));
    }
    spelled.join(" ")
}

/// One word as a shell would take it; what is not known stands in `‹…›`.
pub(super) fn word(word: &Word) -> String {
    match word {
        Word::Literal(text) => quoted(text),
        Word::OneOf(all) => {
            let all: Vec<String> = all.iter().map(|one| quoted(one)).collect();
            format!("‹{}›", cut(&all.join("|")))
        }
        Word::Partial(pieces) => pieces.iter().map(piece).collect(),
    }
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) if is_plain(text) => cut(text),
        Piece::Text(text) => quoted(text),
        Piece::Glob(glob) => cut(&shown(glob.trim_start_matches(LISTED))),
        Piece::Hole { what, .. } => format!("‹{}›", cut(&shown(name_of(what)))),
    }
}

fn quoted(text: &str) -> String {
    if is_plain(text) && !text.is_empty() {
        return cut(text);
    }
    format!("'{}'", cut(&shown(&text.replace('\'', "'\\''"))))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || "_-./:=@%+,~^".contains(letter))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What is known of the words that are not literal, one line each.
pub(super) fn unknown(words: &[Word]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let number = index + 1;
        match word {
            Word::Literal(_) => {}
            Word::OneOf(all) => {
                let mut named: Vec<String> =
                    all.iter().take(VALUES).map(|one| quoted(one)).collect();
                if all.len() > VALUES {
                    named.push(format!("{} more", all.len() - VALUES));
                }
                lines.push(format!("word {number} is one of {}", named.join(", ")));
            }
            Word::Partial(pieces) => lines.push(partial(number, pieces)),
        }
    }
    lines
}

fn partial(number: usize, pieces: &[Piece]) -> String {
    let holes: Vec<&Piece> =
        pieces.iter().filter(|piece| matches!(piece, Piece::Hole { .. })).collect();
    let many = holes.iter().any(|piece| matches!(piece, Piece::Hole { many: true, .. }));
    let what: Vec<String> = holes
        .iter()
        .take(VALUES)
        .filter_map(|piece| match piece {
            Piece::Hole { what, .. } => Some(cut(&shown(name_of(what)))),
            Piece::Text(_) | Piece::Glob(_) => None,
        })
        .collect();
    match (what.is_empty(), many) {
        (true, _) => format!("word {number} is a pattern: which files, only run time knows"),
        (false, false) => format!("word {number}: only run time knows {}", what.join(", ")),
        (false, true) => {
            format!(
                "word {number} may be any number of words: only run time knows {}",
                what.join(", ")
            )
        }
    }
}

/// Where a program gets its input and sends its output, in words.
pub(super) fn streams(invocation: &Invocation) -> Vec<String> {
    let mut notes: Vec<String> = invocation.redirects.iter().take(8).map(redirect).collect();
    match &invocation.stdin {
        Stdin::Inherited => {}
        Stdin::Text(text) if text.is_empty() => notes.push("reads nothing".into()),
        Stdin::Text(text) => {
            let short: String = text.trim_end().chars().take(40).collect();
            let more = if short.len() < text.trim_end().len() { "…" } else { "" };
            notes.push(format!("reads \"{}{more}\"", shown(&short)));
        }
        Stdin::File(file) => notes.push(format!("reads {}", word(file))),
        Stdin::Unknown => notes.push("reads what only run time knows".into()),
    }
    notes
}

fn redirect(redirect: &Redirect) -> String {
    let fd = redirect.fd.map_or_else(String::new, |fd| fd.to_string());
    format!("{fd}{} {}", redirect.op, word(&redirect.target))
}
