//! String literals and what is replaced in them.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::{Piece, What, Word};

use super::cursor::{Cursor, is_double, is_single};
use super::expression::variable;

/// `'…'`, doubled quotes inside.
pub(super) fn single_quoted(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> String {
    cursor.bump();
    let mut out = String::new();
    loop {
        let rest = cursor.rest();
        let Some(length) = rest.find(is_single) else {
            reader.note(What::Syntax, "unterminated '");
            out.push_str(rest);
            cursor.at = cursor.text.len();
            return out;
        };
        out.push_str(rest.get(..length).unwrap_or(""));
        cursor.at += length;
        cursor.bump();
        if !cursor.peek().is_some_and(is_single) {
            return out;
        }
        out.push('\'');
        cursor.bump();
    }
}

/// `"…"`.
pub(super) fn double_quoted(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Word {
    cursor.bump();
    let mut word = interpolated(reader, cursor, scope, is_double);
    loop {
        if cursor.done() {
            reader.note(What::Syntax, "unterminated \"");
            return word;
        }
        cursor.bump();
        // `""` inside a string is a quote.
        if !cursor.peek().is_some_and(is_double) || !reader.spend(1) {
            return word;
        }
        word.push_text("\"");
        cursor.bump();
        word.push_word(&interpolated(reader, cursor, scope, is_double));
    }
}

/// Text with escapes and variables, up to a character for which `ends` holds.
pub(super) fn interpolated(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    ends: impl Fn(char) -> bool,
) -> Word {
    let mut word = Word::empty();
    let mut text = String::new();
    while let Some(character) = cursor.peek() {
        if ends(character) || !reader.spend(1) {
            break;
        }
        match character {
            '`' => text.extend(escape(reader, cursor)),
            '$' if cursor.ahead(1).is_some_and(|c| {
                c.is_alphanumeric() || matches!(c, '_' | '(' | '{' | '$' | '?')
            }) =>
            {
                word.push_text(&std::mem::take(&mut text));
                let value = variable(reader, cursor, scope);
                let mut joined = value.joined(" ");
                if let Word::Partial(pieces) = &mut joined {
                    for piece in pieces {
                        if let Piece::Hole { many, .. } = piece {
                            *many = false;
                        }
                    }
                }
                word.push_word(&joined);
            }
            _ => {
                // The first is taken as it is, and with it all that means nothing either.
                let rest = cursor.rest();
                let from = character.len_utf8();
                let length = rest
                    .get(from..)
                    .and_then(|tail| tail.find(|c| matches!(c, '`' | '$') || ends(c)))
                    .map_or(rest.len(), |length| from + length);
                reader.spend(length / 64);
                text.push_str(rest.get(..length).unwrap_or(""));
                cursor.at += length;
            }
        }
    }
    word.push_text(&text);
    word
}

/// A backtick and what it escapes.
pub(super) fn escape(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Option<char> {
    cursor.bump();
    let next = cursor.bump()?;
    match next {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '0' => Some('\0'),
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'e' => Some('\u{1b}'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        'u' if cursor.is('{') => {
            let code = u32::from_str_radix(cursor.bracketed(reader), 16).unwrap_or(0xfffd);
            char::from_u32(code)
        }
        '\r' => {
            cursor.take('\n');
            None
        }
        '\n' => None,
        other => Some(other),
    }
}
