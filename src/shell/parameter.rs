//! `${…}`: a parameter and what is done to its value.

use std::rc::Rc;

use super::scan::Scanner;
use super::tree::{Change, Part, Raw};

/// Reads `${…}` here.
pub(super) fn braced(scanner: &mut Scanner<'_>, raw: &mut Raw, quoted: bool) {
    scanner.at += 2;
    let part = scanner.deeper(|scanner| inner(scanner, quoted));
    // What bash would refuse is skipped to its brace.
    if scanner.here() == b'}' {
        scanner.at += 1;
    }
    if let Some(part) = part {
        raw.parts.push(part);
    }
}

fn inner(scanner: &mut Scanner<'_>, quoted: bool) -> Part {
    let mut change = Change::Plain;
    if scanner.here() == b'#' && !matches!(scanner.ahead(1), b'}' | b'#' | b'%' | b':') {
        scanner.at += 1;
        change = Change::Length;
    } else if scanner.here() == b'!' && scanner.ahead(1) != b'}' {
        scanner.at += 1;
        change = Change::Indirect;
    }
    let name = name(scanner);
    let mut index = None;
    if scanner.here() == b'[' {
        scanner.at += 1;
        index = Some(Rc::new(until(scanner, b']')));
        if scanner.here() == b']' {
            scanner.at += 1;
        }
    }
    if matches!(change, Change::Plain) {
        change = operator(scanner);
    }
    // Whatever is left before the brace may hold substitutions: they are read and run.
    let rest = until(scanner, b'}');
    if !rest.parts.is_empty() && matches!(change, Change::Plain | Change::Length | Change::Indirect)
    {
        change = Change::Require(Rc::new(rest));
    }
    Part::Variable { name, index, change, quoted }
}

fn name(scanner: &mut Scanner<'_>) -> String {
    let start = scanner.at;
    if scanner.here().is_ascii_alphabetic() || scanner.here() == b'_' {
        while scanner.here().is_ascii_alphanumeric() || scanner.here() == b'_' {
            scanner.at += 1;
        }
    } else if scanner.here().is_ascii_digit() {
        while scanner.here().is_ascii_digit() {
            scanner.at += 1;
        }
    } else if b"@*#?$!-".contains(&scanner.here()) && !scanner.done() {
        scanner.at += 1;
    }
    scanner.slice(start, scanner.at).to_owned()
}

fn operator(scanner: &mut Scanner<'_>) -> Change {
    let colon = scanner.here() == b':';
    let after = if colon { scanner.ahead(1) } else { scanner.here() };
    if matches!(after, b'-' | b'=' | b'+' | b'?') {
        scanner.at += if colon { 2 } else { 1 };
        let word = Rc::new(until(scanner, b'}'));
        return match after {
            b'-' => Change::Default { word, assign: false, colon },
            b'=' => Change::Default { word, assign: true, colon },
            b'+' => Change::Alternative { word, colon },
            _ => Change::Require(word),
        };
    }
    if colon {
        scanner.at += 1;
        return Change::Slice(Rc::new(until(scanner, b'}')));
    }
    match scanner.here() {
        mark @ (b'#' | b'%') => {
            let longest = scanner.ahead(1) == mark;
            scanner.at += if longest { 2 } else { 1 };
            let pattern = Rc::new(until(scanner, b'}'));
            Change::Trim { prefix: mark == b'#', longest, pattern }
        }
        b'/' => {
            let all = scanner.ahead(1) == b'/';
            scanner.at += if all { 2 } else { 1 };
            let pattern = Rc::new(until(scanner, b'/'));
            let mut with = Raw::default();
            if scanner.here() == b'/' {
                scanner.at += 1;
                with = until(scanner, b'}');
            }
            Change::Replace { all, pattern, with: Rc::new(with) }
        }
        mark @ (b'^' | b',') => {
            let all = scanner.ahead(1) == mark;
            scanner.at += if all { 2 } else { 1 };
            Change::Case { upper: mark == b'^', all }
        }
        b'@' => {
            scanner.at += 2;
            Change::Other
        }
        _ => Change::Plain,
    }
}

/// Text up to `end` or the brace, with everything in it that bash would expand.
fn until(scanner: &mut Scanner<'_>, end: u8) -> Raw {
    let mut raw = Raw::default();
    scanner.word_until(&mut raw, |byte| byte == end || byte == b'}');
    raw
}
