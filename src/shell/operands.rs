//! Values in snippets of other languages: literals joined, formatted, split; names given one.

use std::collections::HashMap;

use super::filled::{filled, ruby_filled};
use super::literals::Snippet;

/// How an unknown part is spelled inside a known text; read as shell code it is an unset variable.
pub(super) const UNKNOWN: &str = "${__unknown}";

/// A value of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Text(String),
    /// `None` is an element that is not known.
    List(Vec<Option<String>>),
}

/// Names that were given a value.
pub(super) type Names = HashMap<String, Given>;

/// The deepest brackets that are followed.
const MAX_DEPTH: usize = 12;

impl Given {
    pub(super) fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::List(items) => spelled(items).join(" "),
        }
    }

    fn list(self) -> Vec<Option<String>> {
        match self {
            Self::Text(text) => vec![Some(text)],
            Self::List(items) => items,
        }
    }
}

fn spelled(items: Vec<Option<String>>) -> Vec<String> {
    items.into_iter().map(|item| item.unwrap_or_else(|| UNKNOWN.to_owned())).collect()
}

impl Snippet<'_> {
    /// One value at `at` and the place after it; `None` when nothing of it is known.
    pub(super) fn value(&self, at: usize, names: &Names, depth: usize) -> (Option<Given>, usize) {
        let (mut value, mut end) = self.term(at, names, depth);
        loop {
            let next = self.blanks(end);
            if let Some((changed, after)) = self.changed(&value, next, names, depth) {
                value = changed;
                end = after;
                continue;
            }
            let byte = self.at(next);
            let dots = byte == b'.' && (self.at(next + 1) == b'.' || !self.is_member(next + 1));
            let joins = byte == b'+' || dots;
            let mut after = if joins { self.blanks(next + 1) } else { next };
            if dots && self.at(next + 1) == b'.' {
                after = self.blanks(next + 2);
            }
            // Literals that stand together are one, in several languages.
            let juxtaposed =
                matches!(byte, b'\'' | b'"' | b'$') && matches!(value, Some(Given::Text(_)));
            if !(joins || juxtaposed) || depth > MAX_DEPTH || after >= self.bytes.len() {
                return (value, end);
            }
            let (more, place) = self.term(after, names, depth + 1);
            if place <= after {
                return (value, end);
            }
            value = match (value, more) {
                (None, None) => None,
                (Some(Given::List(mut first)), Some(Given::List(second))) => {
                    first.extend(second);
                    Some(Given::List(first))
                }
                (first, second) => {
                    let spell =
                        |given: Option<Given>| given.map_or(UNKNOWN.to_owned(), Given::text);
                    Some(Given::Text(spell(first) + &spell(second)))
                }
            };
            end = place;
        }
    }

    /// Whether a name begins here, as a member's does.
    fn is_member(&self, at: usize) -> bool {
        self.at(at).is_ascii_alphabetic() || self.at(at) == b'_'
    }

    /// `% values`, `.format(values)`, `.split()`, `.join(list)`: the value changed.
    fn changed(
        &self,
        value: &Option<Given>,
        at: usize,
        names: &Names,
        depth: usize,
    ) -> Option<(Option<Given>, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.at(at) == b'%' && matches!(value, Some(Given::Text(_))) {
            let (args, end) = self.value(self.blanks(at + 1), names, depth + 1);
            let args = args.map_or_else(Vec::new, Given::list);
            let text = value.clone().map_or_else(String::new, Given::text);
            return Some((Some(Given::Text(percent(&text, &args))), end));
        }
        if self.at(at) != b'.' || !self.is_member(at + 1) {
            return None;
        }
        let end = self.name_end(at + 1);
        let name = self.code.get(at + 1..end).unwrap_or("");
        let round = self.at(end) == b'(';
        let (args, after) =
            if round { self.list(end + 1, b')', names, depth + 1) } else { (Vec::new(), end) };
        let changed = match (name, value.clone()) {
            ("split" | "split_whitespace" | "shellsplit", Some(Given::Text(text))) => {
                let words = text.split_whitespace().map(|word| Some(word.to_owned()));
                Some(Given::List(words.collect()))
            }
            ("join", Some(Given::List(items))) => {
                let separator = args.first().cloned().flatten().unwrap_or_default();
                Some(Given::Text(spelled(items).join(&separator)))
            }
            ("join", Some(Given::Text(separator))) => {
                Some(Given::Text(spelled(args).join(&separator)))
            }
            ("format", Some(Given::Text(text))) => Some(Given::Text(braces(&text, &args))),
            ("concat", Some(Given::List(mut items))) => {
                items.extend(args);
                Some(Given::List(items))
            }
            ("replace" | "replaceAll" | "gsub" | "sub", Some(Given::Text(text))) => {
                match args.as_slice() {
                    [Some(from), Some(to), ..] => Some(Given::Text(text.replace(from, to))),
                    _ => None,
                }
            }
            ("reverse", Some(Given::Text(text))) => Some(Given::Text(text.chars().rev().collect())),
            (_, known) if round || matches!(name, "to_s" | "chomp" | "strip") => known,
            _ => None,
        };
        Some((changed, after))
    }

    /// A literal, list, bracket, call or name.
    fn term(&self, at: usize, names: &Names, depth: usize) -> (Option<Given>, usize) {
        if depth > MAX_DEPTH {
            return (None, self.argument_end(at));
        }
        let (quote, interpolates) = self.prefixed(at);
        if let Some((text, end)) = self.literal(quote) {
            let template = self.at(quote) == b'`';
            let text = if interpolates || template { filled(&text, names) } else { text };
            let text = if self.at(quote) == b'"' { self.perl_filled(&text, names) } else { text };
            return (Some(Given::Text(ruby_filled(&text, names))), end);
        }
        if let Some(found) = self.perl_quoted(at) {
            return found;
        }
        match self.at(at) {
            b'[' => {
                let (items, end) = self.list(at + 1, b']', names, depth + 1);
                return (Some(Given::List(items)), end);
            }
            b'(' => {
                let (mut items, end) = self.list(at + 1, b')', names, depth + 1);
                let given = match items.len() {
                    1 => items.pop().flatten().map(Given::Text),
                    _ => Some(Given::List(items)),
                };
                return (given, end);
            }
            _ => {}
        }
        let from = at + usize::from(matches!(self.at(at), b'$' | b'@' | b'*'));
        let mut end = self.name_end(from);
        if end == from {
            return (None, self.argument_end(at));
        }
        if let Some(given) = names.get(self.code.get(from..end).unwrap_or("")) {
            return (Some(given.clone()), end);
        }
        // `base64.b64decode(`: the last name tells.
        while (self.at(end) == b'.' || self.starts(end, "::")) && end < self.bytes.len() {
            let next = self.name_end(end + if self.at(end) == b'.' { 1 } else { 2 });
            if next == end + 1 {
                break;
            }
            end = next;
        }
        if self.at(end) != b'(' {
            return (None, end.max(at + 1));
        }
        let name = self.code.get(from..end).unwrap_or("");
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let (args, after) = self.list(end + 1, b')', names, depth + 1);
        (decoded(last, &args), after)
    }

    /// Where the quote of a prefixed literal stands (`r'…'`, `f"…"`), and whether it interpolates.
    fn prefixed(&self, at: usize) -> (usize, bool) {
        let mut quote = at;
        let mut interpolates = false;
        while quote < at + 2 && b"rfbuRFBU@$".contains(&self.at(quote)) {
            interpolates |= matches!(self.at(quote), b'f' | b'F' | b'$');
            quote += 1;
        }
        if matches!(self.at(quote), b'\'' | b'"') { (quote, interpolates) } else { (at, false) }
    }

    /// perl's and ruby's `q(…)`, `qq{…}`, `qw(…)`, `%w[…]`.
    fn perl_quoted(&self, at: usize) -> Option<(Option<Given>, usize)> {
        let (mark, words) = ["qq", "qw", "%w", "%q", "%Q", "q"]
            .iter()
            .find(|mark| self.starts(at, mark) && b"({[<|/!".contains(&self.at(at + mark.len())))
            .map(|mark| (mark.len(), matches!(*mark, "qw" | "%w")))?;
        let text = self.delimited(at + mark)?;
        let end = at + mark + text.len() + 2;
        let given = if words {
            Given::List(text.split_whitespace().map(|word| Some(word.to_owned())).collect())
        } else {
            Given::Text(text)
        };
        Some((Some(given), end))
    }

    /// Values up to `close`, which is skipped. Lists inside are taken apart.
    pub(super) fn list(
        &self,
        mut at: usize,
        close: u8,
        names: &Names,
        depth: usize,
    ) -> (Vec<Option<String>>, usize) {
        let mut words = Vec::new();
        while at < self.bytes.len() && words.len() < 256 {
            at = self.blanks(at);
            if self.at(at) == close {
                break;
            }
            let (value, end) = self.value(at, names, depth);
            match value {
                Some(Given::List(items)) => words.extend(items),
                Some(Given::Text(text)) => words.push(Some(text)),
                None => words.push(None),
            }
            at = self.argument_end(end.max(at + 1));
            if self.at(at) == b',' {
                at += 1;
            } else if self.at(at) != close {
                break;
            }
        }
        (words, at + 1)
    }

    /// Names that were given a literal or a list.
    pub(super) fn assignments(&self, mut known: Names) -> Names {
        let mut at = 0;
        while at < self.bytes.len() && known.len() < 64 {
            if let Some((_, end)) = self.literal(at) {
                at = end;
                continue;
            }
            let is_name = self.at(at).is_ascii_alphabetic() || self.at(at) == b'_';
            if !is_name || self.inside_name(at) {
                at += 1;
                continue;
            }
            let end = self.name_end(at);
            let mut equals = self.blanks(end);
            if self.at(equals) == b':' && self.at(equals + 1) == b'=' {
                equals += 1;
            }
            if self.at(equals) == b'=' && !matches!(self.at(equals + 1), b'=' | b'~' | b'>') {
                let from = self.blanks(equals + 1);
                let (value, after) = self.value(from, &known, 0);
                if let Some(value) = value {
                    known.insert(self.code.get(at..end).unwrap_or("").to_owned(), value);
                    at = after.max(end);
                    continue;
                }
            }
            at = end;
        }
        known
    }
}

/// What a decoding call makes of its literal.
fn decoded(name: &str, args: &[Option<String>]) -> Option<Given> {
    let first = args.first().cloned().flatten()?;
    let second = args.get(1).cloned().flatten();
    let bytes = |bytes: Vec<u8>| Given::Text(String::from_utf8_lossy(&bytes).into_owned());
    match (name, second.as_deref()) {
        (
            "b64decode" | "standard_b64decode" | "atob" | "a2b_base64" | "decode_base64"
            | "base64_decode" | "decode64" | "strict_decode64",
            _,
        )
        | ("from", Some("base64")) => super::decode::base64(&first).map(bytes),
        ("unhexlify" | "fromhex" | "hex2bin", _) | ("from", Some("hex")) => {
            super::decode::hex(&first).map(Given::Text)
        }
        ("split" | "shellsplit" | "shellwords", _) => {
            let words = shell_words::split(&first).ok()?;
            Some(Given::List(words.into_iter().map(Some).collect()))
        }
        ("strrev" | "reverse", _) => Some(Given::Text(first.chars().rev().collect())),
        ("str" | "String" | "quote" | "bytes" | "strip" | "list" | "join", _) => {
            Some(Given::Text(first))
        }
        _ => None,
    }
}

/// Python's `%s`.
fn percent(text: &str, args: &[Option<String>]) -> String {
    let mut out = String::new();
    let mut left = args.iter();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' {
            out.push(character);
        } else if rest.next_if_eq(&'%').is_some() {
            out.push('%');
        } else {
            rest.next();
            out.push_str(left.next().and_then(Option::as_deref).unwrap_or(UNKNOWN));
        }
    }
    out
}

/// Python's `{}` and `{0}`.
fn braces(text: &str, args: &[Option<String>]) -> String {
    let mut out = String::new();
    let mut next = 0;
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let end = rest.find('}').unwrap_or(rest.len());
        let inner = rest.get(..end).unwrap_or("");
        let index = inner.parse().unwrap_or(next);
        next += 1;
        out.push_str(args.get(index).and_then(Option::as_deref).unwrap_or(UNKNOWN));
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out + rest
}
