//! Literals of other languages: strings, lists, names that were given one.

use std::collections::HashMap;

/// A snippet's text.
pub(super) struct Snippet<'c> {
    pub(super) code: &'c str,
    pub(super) bytes: &'c [u8],
}

impl Snippet<'_> {
    pub(super) fn at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn starts(&self, at: usize, text: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub(super) fn inside_name(&self, at: usize) -> bool {
        at > 0 && (self.at(at - 1).is_ascii_alphanumeric() || self.at(at - 1) == b'_')
    }

    pub(super) fn name_end(&self, at: usize) -> usize {
        let mut end = at;
        while self.at(end).is_ascii_alphanumeric() || self.at(end) == b'_' {
            end += 1;
        }
        end
    }

    pub(super) fn blanks(&self, mut at: usize) -> usize {
        while matches!(self.at(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }

    /// A string literal at `at`: its text and the place after it.
    pub(super) fn literal(&self, at: usize) -> Option<(String, usize)> {
        let quote = self.at(at);
        if !matches!(quote, b'\'' | b'"' | b'`') {
            return None;
        }
        let triple = self.at(at + 1) == quote && self.at(at + 2) == quote;
        let (mut index, width) = if triple { (at + 3, 3) } else { (at + 1, 1) };
        let start = index;
        let mut escaped = false;
        while index < self.bytes.len() {
            let byte = self.at(index);
            if byte == b'\\' {
                escaped = true;
                index += 2;
                continue;
            }
            let closes = byte == quote
                && (!triple || self.at(index + 1) == quote && self.at(index + 2) == quote);
            // m4 closes a backtick with an apostrophe.
            let m4 = quote == b'`' && byte == b'\'' && self.at(index + 1) == b')';
            if closes || m4 {
                let text = self.code.get(start..index)?;
                let text = if escaped { super::decode::ansi_c(text) } else { text.to_owned() };
                return Some((text, index + width));
            }
            index += 1;
        }
        None
    }

    /// `{…}`, `(…)`, `[…]` or `/…/` text.
    pub(super) fn delimited(&self, at: usize) -> Option<String> {
        let close = match self.at(at) {
            b'{' => b'}',
            b'(' => b')',
            b'[' => b']',
            b'<' => b'>',
            other => other,
        };
        let rest = self.bytes.get(at + 1..)?;
        let length = memchr::memchr(close, rest)?;
        self.code.get(at + 1..at + 1 + length).map(str::to_owned)
    }

    /// One argument: literals (joined by `+` or by standing together), a known name, or unknown.
    pub(super) fn value(
        &self,
        at: usize,
        names: &HashMap<String, String>,
    ) -> (Option<String>, usize) {
        let mut at = at;
        // Prefixes of literals: `r'…'`, `f"…"`, `b'…'`, `@"…"`, `$"…"`.
        if matches!(self.at(at), b'r' | b'f' | b'b' | b'u' | b'@' | b'$')
            && matches!(self.at(at + 1), b'\'' | b'"')
        {
            at += 1;
        }
        if let Some((mut text, mut end)) = self.literal(at) {
            loop {
                let next = self.blanks(end);
                let plus = matches!(self.at(next), b'+' | b'.');
                let after = if plus { self.blanks(next + 1) } else { next };
                match self.literal(after) {
                    Some((more, after)) => {
                        text.push_str(&more);
                        end = after;
                    }
                    None => return (Some(text), end),
                }
            }
        }
        let end = self.name_end(at);
        if end > at {
            return (
                self.code.get(at..end).and_then(|name| names.get(name).cloned()),
                self.argument_end(end),
            );
        }
        (None, self.argument_end(at))
    }

    /// The place of the comma or closer that ends an argument.
    pub(super) fn argument_end(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while at < self.bytes.len() {
            if let Some((_, end)) = self.literal(at) {
                at = end;
                continue;
            }
            match self.at(at) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return at,
                b')' | b']' | b'}' => depth -= 1,
                b',' | b';' if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    pub(super) fn list(
        &self,
        mut at: usize,
        names: &HashMap<String, String>,
    ) -> (Vec<Option<String>>, usize) {
        let mut words = Vec::new();
        while at < self.bytes.len() && words.len() < 256 {
            at = self.blanks(at);
            if self.at(at) == b']' {
                break;
            }
            let (value, end) = self.value(at, names);
            words.push(value);
            at = self.blanks(end.max(at + 1));
            if self.at(at) == b',' {
                at += 1;
            }
        }
        (words, at + 1)
    }

    /// Names that were given a literal.
    pub(super) fn assignments(&self) -> HashMap<String, String> {
        let mut known = HashMap::new();
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
            let equals = self.blanks(end);
            if self.at(equals) == b'='
                && self.at(equals + 1) != b'='
                && let (Some(text), after) = self.value(self.blanks(equals + 1), &known)
            {
                known.insert(self.code.get(at..end).unwrap_or("").to_owned(), text);
                at = after;
                continue;
            }
            at = end;
        }
        known
    }
}
