//! Literals of other languages: strings, quoted and delimited text.

use std::cell::Cell;

/// A snippet's text.
pub(super) struct Snippet<'c> {
    pub(super) code: &'c str,
    pub(super) bytes: &'c [u8],
    /// Bytes that look-aheads may still read: what keeps a hostile text linear.
    budget: Cell<usize>,
    /// What the snippet prints was already read as the input of a shell.
    pub(super) printed_told: Cell<bool>,
}

impl<'c> Snippet<'c> {
    pub(super) fn new(code: &'c str) -> Self {
        Self {
            code,
            bytes: code.as_bytes(),
            budget: Cell::new(65_536 + code.len() * 8),
            printed_told: Cell::new(false),
        }
    }

    /// Spends `count` bytes of look-ahead; `false` when they are used up.
    fn ahead(&self, count: usize) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(count));
        left > 0
    }

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
        if !matches!(quote, b'\'' | b'"' | b'`') || !self.ahead(1) {
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
        self.ahead(self.bytes.len() - start.min(self.bytes.len()));
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
        if !self.ahead(1) {
            return None;
        }
        let rest = self.bytes.get(at + 1..)?;
        let length = memchr::memchr(close, rest).unwrap_or(rest.len());
        if !self.ahead(length) || length == rest.len() {
            return None;
        }
        self.code.get(at + 1..at + 1 + length).map(str::to_owned)
    }

    /// The place of the comma or closer that ends an argument.
    pub(super) fn argument_end(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while at < self.bytes.len() {
            if !self.ahead(1) {
                return self.bytes.len();
            }
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
}
