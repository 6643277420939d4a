//! What is left when a bound is reached: the texts that were not read whole, and the commands in
//! them that name something of interest.

use std::borrow::Cow;

use super::eval::Reader;
use super::types::{Dialect, What};

/// A text that was not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its language.
    pub dialect: Dialect,
    /// All of it, also what was read.
    pub text: String,
    /// It would run in another machine or container.
    pub remote: bool,
}

/// How many texts are kept, and how many bytes of them.
const MAX_TEXTS: usize = 64;
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A command that is longer is cut around the word of interest.
const MAX_COMMAND: usize = 4_096;

impl Reader<'_> {
    /// Keeps `text` when a bound was reached while it was read, or before.
    pub(super) fn leave(&mut self, dialect: Dialect, text: &str) {
        if !self.reading.unclear.iter().any(|unclear| unclear.what == What::Bound) {
            return;
        }
        let unread = &mut self.reading.unread;
        let kept: usize = unread.iter().map(|unread| unread.text.len()).sum();
        if unread.len() < MAX_TEXTS && kept + text.len() <= MAX_BYTES {
            unread.push(Unread { dialect, text: text.to_owned(), remote: self.remote });
        }
    }
}

impl Unread {
    /// The commands that hold one of `words`, one on each line.
    ///
    /// Coarse on purpose, and linear: every separator ends a command, also one inside quotes, and
    /// quotes are tried as they are, as if they were not there, and as separators.
    pub fn commands(&self, words: &[&str]) -> String {
        let mut found = String::new();
        let bare = self.plain(Quotes::Dropped);
        // Taking something away only brings letters together: what is not in here is nowhere.
        if !words.iter().any(|word| bare.contains(word)) {
            return found;
        }
        let is_bare = matches!(bare, Cow::Borrowed(_));
        let other: &[Quotes] = if is_bare { &[] } else { &[Quotes::Kept, Quotes::Separate] };
        let others = other.iter().map(|quotes| self.plain(*quotes));
        for plain in std::iter::once(bare).chain(others) {
            for command in plain.split(is_separator).map(str::trim) {
                if words.iter().any(|word| command.contains(word)) && command.contains(' ') {
                    push_command(&mut found, command, words);
                }
            }
        }
        found
    }

    fn plain(&self, quotes: Quotes) -> Cow<'_, str> {
        let escape = match self.dialect {
            Dialect::Posix => b'\\',
            Dialect::PowerShell => b'`',
            Dialect::Cmd => b'^',
        };
        let text = match self.text.contains('\r') {
            true => Cow::Owned(self.text.replace('\r', "")),
            false => Cow::Borrowed(self.text.as_str()),
        };
        let next = |rest: &str| memchr::memchr3(b'\'', b'"', escape, rest.as_bytes());
        if next(&text).is_none() {
            return text;
        }
        let mut plain = String::with_capacity(text.len());
        let mut rest: &str = &text;
        while let Some(at) = next(rest) {
            // Every mark is one ASCII byte.
            let (before, mark) = rest.split_at(at);
            let (mark, after) = mark.split_at(1);
            plain.push_str(before);
            rest = after;
            if mark.as_bytes() == [escape] {
                rest = escaped(&mut plain, mark, after, quotes);
                continue;
            }
            // `$'…'` and `$"…"`.
            if quotes != Quotes::Kept && plain.ends_with('$') {
                plain.pop();
            }
            match quotes {
                Quotes::Kept => plain.push_str(mark),
                Quotes::Separate => plain.push('\n'),
                Quotes::Dropped => {}
            }
        }
        plain.push_str(rest);
        Cow::Owned(plain)
    }
}

/// What an escape makes of what comes `after` it; answers what is left.
fn escaped<'t>(plain: &mut String, mark: &str, after: &'t str, quotes: Quotes) -> &'t str {
    if let Some(joined) = after.strip_prefix('\n') {
        plain.push(' ');
        return joined;
    }
    if quotes != Quotes::Kept {
        return after;
    }
    plain.push_str(mark);
    let mut letters = after.chars();
    plain.extend(letters.next());
    letters.as_str()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Kept,
    /// For words hidden by quotes.
    Dropped,
    /// For code in quotes (`sh -c "…"`).
    Separate,
}

fn is_separator(character: char) -> bool {
    matches!(character, '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`')
}

fn push_command(found: &mut String, command: &str, words: &[&str]) {
    if command.len() <= MAX_COMMAND {
        found.push_str(command);
        found.push('\n');
        return;
    }
    let places = words.iter().filter_map(|word| command.find(word));
    let Some(place) = places.min() else { return };
    let from = (place.saturating_sub(MAX_COMMAND / 4)..=place)
        .find(|at| command.is_char_boundary(*at))
        .unwrap_or(place);
    let until = (place..=(place + MAX_COMMAND).min(command.len()))
        .rev()
        .find(|at| command.is_char_boundary(*at))
        .unwrap_or(place);
    found.push_str(command.get(from..until).unwrap_or(""));
    found.push('\n');
}
