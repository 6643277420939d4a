//! What operators and methods make of strings.

use crate::shell::types::Word;

use super::value::Value;

/// `Encoding.…GetString(bytes)`.
pub(super) fn decoded(class: &str, args: &[Value]) -> Value {
    match args.first() {
        Some(Value::Bytes(bytes)) if class.contains("unicode") => {
            Value::text(crate::shell::decode::utf16le(bytes))
        }
        Some(Value::Bytes(bytes)) => Value::text(String::from_utf8_lossy(bytes)),
        Some(Value::List(words)) if words.len() > 1 => {
            let bytes: Option<Vec<u8>> =
                words.iter().map(|word| word.literal()?.parse().ok()).collect();
            match bytes {
                Some(bytes) => Value::text(String::from_utf8_lossy(&bytes)),
                None => Value::unknown("bytes"),
            }
        }
        _ => Value::unknown("bytes"),
    }
}

/// The value with each `from` replaced by `to`.
pub(super) fn exchanged(value: &Value, from: &str, to: &str) -> Value {
    let change = |text: &str| crate::shell::changes::replaced(text, from, to);
    let words: Option<Vec<Word>> = match value {
        Value::List(words) => words.iter().map(|word| word.try_map(change)).collect(),
        Value::Block(text) => change(text).map(|text| vec![Word::Literal(text)]),
        Value::Bytes(_) | Value::Table(_) | Value::Type(_) => None,
    };
    words.map_or_else(|| Value::unknown("value"), Value::List)
}

pub(super) fn mapped(value: &Value, change: impl Fn(&str) -> String) -> Value {
    match value {
        Value::List(words) => Value::List(words.iter().map(|word| word.map(&change)).collect()),
        Value::Block(text) => Value::text(change(text)),
        Value::Bytes(_) | Value::Table(_) | Value::Type(_) => Value::unknown("value"),
    }
}

/// Numbers as characters, strings as their characters.
pub(super) fn characters(value: &Value) -> Value {
    let mut out = Vec::new();
    for word in value.words() {
        let Some(text) = word.literal() else { return Value::unknown("characters") };
        let number = text
            .strip_prefix("0x")
            .map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        match number.filter(|_| text.len() > 1).and_then(char::from_u32) {
            Some(character) => out.push(Word::Literal(character.to_string())),
            None => {
                out.extend(text.chars().take(4096).map(|c| Word::Literal(c.to_string())));
            }
        }
    }
    Value::List(out)
}

/// `low..high`.
pub(super) fn range(low: &Value, high: &Value) -> Value {
    let number = |value: &Value| value.literal().and_then(|text| text.parse::<i64>().ok());
    let (Some(low), Some(high)) = (number(low), number(high)) else {
        return Value::unknown("range");
    };
    if low.abs_diff(high) > 1024 {
        return Value::unknown("range");
    }
    let spell = |n: i64| Word::Literal(n.to_string());
    Value::List(if low <= high {
        (low..=high).map(spell).collect()
    } else {
        (high..=low).rev().map(spell).collect()
    })
}

/// `-split` and `.Split`, by plain text or blanks.
pub(super) fn split(value: &Value, by: &Value) -> Value {
    let Some(by) = by.words().first().and_then(Word::literal).map(str::to_owned) else {
        return Value::unknown("split");
    };
    let mut out = Vec::new();
    for word in value.words() {
        let Some(text) = word.literal() else { return Value::unknown("split") };
        let plain = by.trim_start_matches('\\');
        if matches!(by.as_str(), r"\s+" | r"\s" | " ") || plain.is_empty() {
            out.extend(text.split_whitespace().map(|part| Word::Literal(part.to_owned())));
        } else {
            out.extend(text.split(plain).take(4096).map(|part| Word::Literal(part.to_owned())));
        }
    }
    Value::List(out)
}

/// `-replace 'a','b'`, where the pattern is plain text.
pub(super) fn replaced(value: &Value, by: &Value) -> Value {
    let words = by.words();
    let Some(pattern) = words.first().and_then(Word::literal) else {
        return Value::word(Word::hole("replace", false));
    };
    let with = words.get(1).and_then(Word::literal).unwrap_or("");
    let plain = pattern.replace('\\', "");
    if plain.contains(['*', '+', '(', '[', '^', '$', '|', '.', '?']) && plain == pattern {
        return Value::word(Word::hole("replace", false));
    }
    exchanged(value, &plain, with)
}

/// `'{0} {1}' -f a, b`.
pub(super) fn formatted(format: &Value, args: &[Word]) -> Value {
    let Some(format) = format.literal() else { return Value::word(Word::hole("format", false)) };
    let mut out = Word::empty();
    let mut rest = format.as_str();
    while let Some(at) = rest.find('{') {
        out.push_text(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        if let Some(after) = rest.strip_prefix('{') {
            out.push_text("{");
            rest = after;
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        let index = rest.get(..end).unwrap_or("").split([',', ':']).next().unwrap_or("");
        match index.trim().parse::<usize>().ok().and_then(|index| args.get(index)) {
            Some(word) if out.size() <= crate::shell::eval::MAX_PRINTED => out.push_word(word),
            Some(_) => return Value::word(Word::hole("long value", false)),
            None => out.push_word(&Word::hole("format", false)),
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out.push_text(rest);
    Value::word(out)
}
