//! The strings in a raw JSON text, however deep or broken: one pass, no recursion.

use std::iter::Peekable;
use std::rc::Rc;
use std::str::Chars;

/// A string of a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The key that it, or the array around it, is the value of; empty at the top.
    pub(super) key: Rc<str>,
    /// The string, decoded; a lone surrogate is U+FFFD.
    pub(super) text: String,
}

/// All string values of `raw`, in order. Keys are not values.
pub(super) fn strings(raw: &str) -> Vec<Found> {
    let mut found = Vec::new();
    // The key that is current on each level of nesting; shared, for depth times length is no bound.
    let mut keys: Vec<Rc<str>> = vec![Rc::from("")];
    let mut letters = raw.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '[' => keys.push(keys.last().map_or_else(|| Rc::from(""), Rc::clone)),
            '}' | ']' if keys.len() > 1 => drop(keys.pop()),
            '"' => {
                let text = string(&mut letters);
                while letters.next_if(|next| next.is_whitespace()).is_some() {}
                if letters.peek() == Some(&':') {
                    if let Some(key) = keys.last_mut() {
                        *key = text.into();
                    }
                } else {
                    let key = keys.last().map_or_else(|| Rc::from(""), Rc::clone);
                    found.push(Found { key, text });
                }
            }
            _ => {}
        }
    }
    found
}

/// The rest of a string after its opening quote.
fn string(letters: &mut Peekable<Chars>) -> String {
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return text,
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('b') => text.push('\u{8}'),
                Some('f') => text.push('\u{c}'),
                Some('u') => text.push(unicode(letters)),
                Some(other) => text.push(other),
                None => {}
            },
            _ => text.push(letter),
        }
    }
    text
}

/// The character of `\uXXXX` after the `u`, with a second half when it is a surrogate.
fn unicode(letters: &mut Peekable<Chars>) -> char {
    let unit = hex(letters);
    if !(0xD800..0xDC00).contains(&unit) {
        return char::from_u32(unit).unwrap_or('\u{FFFD}');
    }
    let mut ahead = letters.clone();
    if ahead.next() == Some('\\') && ahead.next() == Some('u') {
        let low = hex(&mut ahead);
        if (0xDC00..0xE000).contains(&low) {
            *letters = ahead;
            let point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return char::from_u32(point).unwrap_or('\u{FFFD}');
        }
    }
    '\u{FFFD}'
}

fn hex(letters: &mut Peekable<Chars>) -> u32 {
    let mut unit = 0;
    for _ in 0..4 {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(16)) else { break };
        letters.next();
        unit = unit * 16 + digit;
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_with_the_key_around_them() {
        let raw = r#"{"a": "x", "list": ["p", {"path" : "q\"\\\n"}, "r"], "e": "\ud83d\ude00\ud800", "n": 1}"#;
        let pairs: Vec<(String, String)> =
            strings(raw).into_iter().map(|found| (found.key.to_string(), found.text)).collect();
        let expected =
            [("a", "x"), ("list", "p"), ("path", "q\"\\\n"), ("list", "r"), ("e", "😀\u{FFFD}")];
        assert_eq!(pairs, expected.map(|(key, text)| (key.to_owned(), text.to_owned())));
    }

    #[test]
    fn depth_and_broken_text_do_no_harm() {
        let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(strings(&deep).len(), 1);
        for raw in ["\"", "\"\\", "\"\\u", "\"\\ud800\\u", "]]]}", "{\"a\":"] {
            strings(raw);
        }
    }
}
