//! Unquoted text: its globs stand for files that are not known.

use super::types::{Piece, Word};

/// Unquoted text: its globs are unknown. Returns the number of its pieces.
pub(super) fn push_bare(word: &mut Word, text: &str) -> usize {
    let class = text
        .find('[')
        .is_some_and(|open| text.get(open + 1..).is_some_and(|rest| rest.contains(']')));
    if !class && !text.contains(['*', '?']) {
        word.push_text(text);
        return 0;
    }
    let mut plain = String::new();
    let mut pieces = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let glob = match character {
            '*' | '?' => {
                let mut group = String::from(character);
                while let Some(next @ ('*' | '?')) = rest.peek().copied() {
                    group.push(next);
                    rest.next();
                }
                group
            }
            '[' if rest.clone().any(|c| c == ']') => {
                let mut group = String::from('[');
                for next in rest.by_ref() {
                    group.push(next);
                    if next == ']' && group.len() > 2 {
                        break;
                    }
                }
                group
            }
            other => {
                plain.push(other);
                continue;
            }
        };
        if !plain.is_empty() {
            word.push_text(&std::mem::take(&mut plain));
        }
        word.push_piece(Piece::Glob(glob));
        pieces += 1;
    }
    if !plain.is_empty() {
        word.push_text(&plain);
    }
    pieces
}
