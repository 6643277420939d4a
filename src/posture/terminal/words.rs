//! Words that are only partly known, read as option parsers read them.

use crate::shell::{Piece, Word};

/// The known text that a word begins with.
pub(super) fn known_start(word: &Word) -> &str {
    match word {
        Word::Literal(text) => text,
        Word::OneOf(_) => "",
        Word::Partial(pieces) => match pieces.first() {
            Some(Piece::Text(text)) => text,
            Some(Piece::Glob(_) | Piece::Hole { .. }) | None => "",
        },
    }
}

/// All known text in a word.
pub(super) fn known_texts(word: &Word) -> Vec<&str> {
    match word {
        Word::Literal(text) => vec![text],
        Word::OneOf(all) => all.iter().map(String::as_str).collect(),
        Word::Partial(pieces) => pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Text(text) | Piece::Glob(text) => Some(text.as_str()),
                Piece::Hole { .. } => None,
            })
            .collect(),
    }
}

/// What follows the first `count` bytes, if anything does; they are part of the known start.
pub(super) fn after(word: &Word, count: usize) -> Option<Word> {
    let cut = |text: &str| text.get(count..).unwrap_or("").to_owned();
    match word {
        Word::Literal(text) => Some(cut(text)).filter(|rest| !rest.is_empty()).map(Word::Literal),
        Word::OneOf(_) => None,
        Word::Partial(pieces) => {
            let mut pieces = pieces.clone();
            if let Some(Piece::Text(text)) = pieces.first_mut() {
                *text = cut(text);
            }
            pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
            (!pieces.is_empty()).then_some(Word::Partial(pieces))
        }
    }
}

/// The words that are wholly known, in order.
pub(super) fn literals(words: &[Word]) -> impl Iterator<Item = &str> {
    words.iter().filter_map(Word::literal)
}
