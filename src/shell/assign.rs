//! Assignments: `name=value`, `name+=value`, `name[index]=value`, `name=( … )`.

use super::scan::Scanner;
use super::tree::{Assign, AssignValue, Part, Raw};

/// Reads an assignment here, if one begins.
pub(super) fn assignment(scanner: &mut Scanner<'_>) -> Option<Assign> {
    let start = scanner.at;
    let first = scanner.here();
    if !(first.is_ascii_alphabetic() || first == b'_') {
        return None;
    }
    let mut length = 1;
    while scanner.ahead(length).is_ascii_alphanumeric() || scanner.ahead(length) == b'_' {
        length += 1;
    }
    let name = scanner.slice(start, start + length).to_owned();
    let mut index = None;
    match scanner.ahead(length) {
        b'=' => {}
        b'+' if scanner.ahead(length + 1) == b'=' => {}
        b'[' => {
            scanner.at += length + 1;
            let mut raw = Raw::default();
            scanner.word_until(&mut raw, |byte| matches!(byte, b']' | b'\n'));
            let closed = scanner.here() == b']'
                && (scanner.ahead(1) == b'='
                    || scanner.ahead(1) == b'+' && scanner.ahead(2) == b'=');
            if !closed {
                scanner.at = start;
                return None;
            }
            index = Some(raw);
            length = scanner.at + 1 - start;
        }
        _ => return None,
    }
    scanner.at = start + length;
    let append = scanner.here() == b'+';
    scanner.at += if append { 2 } else { 1 };
    let value = if scanner.here() == b'(' {
        scanner.at += 1;
        AssignValue::Array(elements(scanner))
    } else {
        AssignValue::Word(scanner.word())
    };
    Some(Assign { name, append, index, value })
}

/// The words of an array, up to its `)`.
fn elements(scanner: &mut Scanner<'_>) -> Vec<Raw> {
    let mut words = Vec::new();
    loop {
        scanner.gap();
        if scanner.done() || !scanner.spend(1) {
            break;
        }
        if scanner.here() == b')' {
            scanner.at += 1;
            break;
        }
        let before = scanner.at;
        words.push(scanner.word());
        if scanner.at == before {
            scanner.at += 1;
        }
    }
    words
}

/// An assignment as the argument word of a declaring builtin.
pub(super) fn as_word(assign: &Assign) -> Raw {
    let mut parts = vec![Part::Quoted(format!("{}=", assign.name))];
    if let AssignValue::Word(raw) = &assign.value {
        parts.extend(raw.parts.iter().cloned());
    }
    Raw { parts }
}
