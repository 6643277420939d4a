//! What `${name…}` does to a known text.

use super::eval::{MAX_PRINTED, Reader};
use super::scope::Scope;
use super::tree::Change;
use super::types::Word;
use super::values::matches;

impl Reader<'_> {
    /// The value with its text rewritten; `None` when the pattern is not known.
    pub(super) fn rewritten(
        &mut self,
        value: &Word,
        change: &Change,
        scope: &mut Scope,
    ) -> Option<Word> {
        if !self.spend(value.size() / 16) {
            return None;
        }
        Some(match change {
            Change::Trim { prefix, longest, pattern } => {
                let pattern = self.single(pattern, scope);
                let pattern = pattern.literal()?;
                if is_pattern(pattern) {
                    // Each place is tried, which is quadratic.
                    let size = value.size();
                    let tries = size.saturating_mul(size + pattern.len()) / 64;
                    if size > 8192 || !self.spend(tries) {
                        return None;
                    }
                }
                value.map(|text| trim(text, pattern, *prefix, *longest))
            }
            Change::Replace { all, pattern, with } => {
                let (pattern, with) = (self.single(pattern, scope), self.single(with, scope));
                let (pattern, with) = (pattern.literal()?, with.literal()?);
                value.try_map(|text| replace(text, pattern, with, *all))?
            }
            Change::Case { upper, all } => value.map(|text| change_case(text, *upper, *all)),
            Change::Slice(word) => {
                let slice = self.single(word, scope);
                let slice = slice.literal()?;
                value.map(|text| cut(text, slice))
            }
            Change::Plain
            | Change::Default { .. }
            | Change::Alternative { .. }
            | Change::Require(_)
            | Change::Length
            | Change::Indirect
            | Change::Other => return None,
        })
    }
}

/// `text` with each `from` replaced; `None` when it would become too long to be looked at.
pub(super) fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    if to.len() > from.len() {
        let longer = text.matches(from).count().saturating_mul(to.len() - from.len());
        if longer > MAX_PRINTED {
            return None;
        }
    }
    Some(text.replace(from, to))
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '\\'])
}

fn trim(text: &str, pattern: &str, prefix: bool, longest: bool) -> String {
    if !is_pattern(pattern) {
        let rest = if prefix { text.strip_prefix(pattern) } else { text.strip_suffix(pattern) };
        return rest.unwrap_or(text).to_owned();
    }
    let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    // Quadratic at worst, so only the first 4 KiB of places are tried.
    ends.truncate(4096);
    if prefix == longest {
        ends.reverse();
    }
    for at in ends {
        let (head, tail) = text.split_at(at);
        if prefix && matches(pattern, head) {
            return tail.to_owned();
        }
        if !prefix && matches(pattern, tail) {
            return head.to_owned();
        }
    }
    text.to_owned()
}

/// `${x/pattern/with}` and `${x//pattern/with}`; `None` when the text would become too long.
pub(super) fn replace(text: &str, pattern: &str, with: &str, all: bool) -> Option<String> {
    if let Some(pattern) = pattern.strip_prefix('#') {
        let rest = text.strip_prefix(pattern);
        return Some(rest.map_or_else(|| text.to_owned(), |rest| format!("{with}{rest}")));
    }
    if let Some(pattern) = pattern.strip_prefix('%') {
        let rest = text.strip_suffix(pattern);
        return Some(rest.map_or_else(|| text.to_owned(), |rest| format!("{rest}{with}")));
    }
    if pattern.contains(['*', '?', '[']) || pattern.is_empty() {
        let single = pattern == "?" && all;
        if !single {
            return replace_matches(text, pattern, with, all);
        }
        let count = text.chars().count();
        return (count.saturating_mul(with.len()) <= MAX_PRINTED).then(|| with.repeat(count));
    }
    let pattern = pattern.replace('\\', "");
    if all { replaced(text, &pattern, with) } else { Some(text.replacen(&pattern, with, 1)) }
}

/// The longest text in which a pattern is looked for at every place.
const MAX_SEARCHED: usize = 512;

/// The leftmost and longest parts of `text` that match, replaced; `None` for a long text.
fn replace_matches(text: &str, pattern: &str, with: &str, all: bool) -> Option<String> {
    if text.len() > MAX_SEARCHED || pattern.len() > MAX_SEARCHED {
        return None;
    }
    if pattern.is_empty() {
        return Some(text.to_owned());
    }
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let found =
            ends.rev().find(|end| super::values::matches(pattern, rest.get(..*end).unwrap_or("")));
        match found {
            Some(end) => {
                out.push_str(with);
                rest = rest.get(end..).unwrap_or("");
                if !all {
                    break;
                }
            }
            None => {
                let mut letters = rest.chars();
                out.extend(letters.next());
                rest = letters.as_str();
            }
        }
    }
    out.push_str(rest);
    (out.len() <= MAX_PRINTED).then_some(out)
}

fn change_case(text: &str, upper: bool, all: bool) -> String {
    let turn = |text: &str| if upper { text.to_uppercase() } else { text.to_lowercase() };
    if all {
        return turn(text);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    let (head, tail) = text.split_at(first);
    turn(head) + tail
}

/// `${x:offset}` and `${x:offset:length}` with plain numbers.
pub(super) fn cut(text: &str, slice: &str) -> String {
    let count = text.chars().count();
    let mut numbers = slice.split(':').map(|part| part.trim().parse::<i64>().ok());
    let Some(Some(from)) = numbers.next() else { return text.to_owned() };
    let place = |number: i64| {
        let size = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
        if number < 0 { count.saturating_sub(size) } else { size.min(count) }
    };
    let start = place(from);
    let end = match numbers.next().flatten() {
        Some(length) if length < 0 => place(length),
        Some(length) => start.saturating_add(place(length)).min(count),
        None => count,
    };
    text.chars().skip(start).take(end.saturating_sub(start)).collect()
}
