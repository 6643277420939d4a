//! Words: quotes, `$…`, backticks, process substitution.

use std::rc::Rc;

use super::scan::{Scanner, parse};
use super::tree::{Node, Part, Raw};
use super::types::What;

impl Scanner<'_> {
    /// One word here; empty when none begins.
    pub(super) fn word(&mut self) -> Raw {
        let mut raw = Raw::default();
        self.word_until(&mut raw, |byte| {
            matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
        });
        raw
    }

    /// A word's parts up to an unquoted byte for which `ends` holds.
    pub(super) fn word_until(&mut self, raw: &mut Raw, ends: impl Fn(u8) -> bool) {
        let mut bare = String::new();
        loop {
            if self.done() || !self.spend(1) {
                break;
            }
            let byte = self.here();
            match byte {
                b'<' | b'>' if self.ahead(1) == b'(' => {
                    flush(raw, &mut bare);
                    self.process(raw, byte == b'<');
                }
                b'\r' if matches!(self.ahead(1), b'\n' | 0) => self.at += 1,
                _ if ends(byte) => {
                    // `@(a|b)`: an extended glob's group belongs to the word.
                    if byte == b'(' && bare.ends_with(['@', '?', '*', '+', '!']) && !bare.is_empty()
                    {
                        self.glob_group(&mut bare);
                        continue;
                    }
                    break;
                }
                b'\'' => {
                    flush(raw, &mut bare);
                    self.single(raw);
                }
                b'"' => {
                    flush(raw, &mut bare);
                    self.at += 1;
                    self.double_quoted(raw, Some(b'"'));
                }
                b'\\' => self.escape(raw, &mut bare),
                b'$' => {
                    flush(raw, &mut bare);
                    self.dollar(raw, false);
                }
                b'`' => {
                    flush(raw, &mut bare);
                    self.backticks(raw, false);
                }
                _ => self.copy_run(&mut bare, |byte| is_active(byte) || ends(byte)),
            }
        }
        flush(raw, &mut bare);
    }

    /// Copies the text up to the next byte for which `stops` holds, and at least one character.
    /// Such bytes are ASCII, so that the piece ends between characters.
    fn copy_run(&mut self, into: &mut String, stops: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let length = rest.iter().position(|byte| stops(*byte)).unwrap_or(rest.len());
        if length == 0 || !self.spend(length / 256) {
            self.copy_char(into);
            return;
        }
        into.push_str(self.slice(self.at, self.at + length));
        self.at += length;
    }

    /// Copies one character and all bytes of it.
    pub(super) fn copy_char(&mut self, into: &mut String) {
        let character = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        match character {
            Some(character) => {
                into.push(character);
                self.at += character.len_utf8();
            }
            None => self.at += 1,
        }
    }

    fn escape(&mut self, raw: &mut Raw, bare: &mut String) {
        self.at += 1;
        match self.here() {
            b'\n' => {
                self.at += 1;
                self.line += 1;
            }
            b'\r' if self.ahead(1) == b'\n' => {
                self.at += 2;
                self.line += 1;
            }
            // A backslash at the very end stands for itself.
            0 if self.done() => bare.push('\\'),
            _ => {
                flush(raw, bare);
                let mut one = String::new();
                self.copy_char(&mut one);
                raw.parts.push(Part::Quoted(one));
            }
        }
    }

    fn glob_group(&mut self, bare: &mut String) {
        let mut depth = 0_usize;
        while !self.done() && self.spend(1) {
            match self.here() {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\n' => return,
                _ => {}
            }
            self.copy_char(bare);
            if depth == 0 {
                return;
            }
        }
    }

    fn single(&mut self, raw: &mut Raw) {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let length = memchr::memchr(b'\'', rest);
        if length.is_none() {
            self.note(What::Syntax, "unterminated '");
        }
        let length = length.unwrap_or(rest.len());
        let text = self.slice(self.at, self.at + length);
        self.line += text.matches('\n').count();
        // An unknown part of the text that this one was made from; quotes here did not quote it there.
        let unknown = super::values::UNKNOWN_PART.to_string();
        raw.parts.push(Part::Quoted(text.replace("${__unknown}", &unknown)));
        self.at = (self.at + length + 1).min(self.bytes.len());
    }

    /// Double-quoted text up to `close` (skipped), or to the end for a here-doc's body.
    pub(super) fn double_quoted(&mut self, raw: &mut Raw, close: Option<u8>) {
        let mut text = String::new();
        loop {
            if self.done() || !self.spend(1) {
                if close.is_some() && *self.steps > 0 {
                    self.note(What::Syntax, "unterminated \"");
                }
                break;
            }
            match self.here() {
                byte if Some(byte) == close => {
                    self.at += 1;
                    break;
                }
                b'\\' => match self.ahead(1) {
                    b'\n' => {
                        self.at += 2;
                        self.line += 1;
                    }
                    next @ (b'$' | b'`' | b'\\' | b'"') if next != b'"' || close.is_some() => {
                        text.push(char::from(next));
                        self.at += 2;
                    }
                    _ => {
                        text.push('\\');
                        self.at += 1;
                    }
                },
                b'$' => {
                    quote(raw, &mut text);
                    self.dollar(raw, true);
                }
                b'`' => {
                    quote(raw, &mut text);
                    self.backticks(raw, true);
                }
                b'\n' => {
                    self.line += 1;
                    text.push('\n');
                    self.at += 1;
                }
                _ => self.copy_run(&mut text, |byte| {
                    matches!(byte, b'\\' | b'$' | b'`' | b'\n') || Some(byte) == close
                }),
            }
        }
        // An empty pair of quotes still makes a word.
        raw.parts.push(Part::Quoted(text));
    }

    /// `$…`.
    fn dollar(&mut self, raw: &mut Raw, quoted: bool) {
        match self.ahead(1) {
            b'(' => self.dollar_round(raw, quoted),
            b'{' => super::parameter::braced(self, raw, quoted),
            b'\'' if !quoted => {
                self.at += 2;
                let text = self.ansi();
                raw.parts.push(Part::Quoted(text));
            }
            b'"' if !quoted => {
                self.at += 2;
                self.double_quoted(raw, Some(b'"'));
            }
            b'[' => {
                // `$[ … ]`, the old arithmetic.
                self.at += 2;
                let mut inner = Raw::default();
                self.deeper(|scanner| {
                    scanner.word_until(&mut inner, |byte| byte == b']' || byte == b'\n');
                });
                if self.here() == b']' {
                    self.at += 1;
                }
                raw.parts.push(Part::Arithmetic { text: Rc::new(inner) });
            }
            first if first.is_ascii_alphabetic() || first == b'_' => {
                let mut length = 1;
                while self.ahead(1 + length).is_ascii_alphanumeric()
                    || self.ahead(1 + length) == b'_'
                {
                    length += 1;
                }
                let name = self.slice(self.at + 1, self.at + 1 + length).to_owned();
                self.at += 1 + length;
                raw.parts.push(variable(name, quoted));
            }
            first if first.is_ascii_digit() || b"@*#?$!-".contains(&first) && first != 0 => {
                self.at += 2;
                raw.parts.push(variable(char::from(first).to_string(), quoted));
            }
            _ => {
                self.at += 1;
                let text = "$".to_owned();
                raw.parts.push(if quoted { Part::Quoted(text) } else { Part::Bare(text) });
            }
        }
    }

    /// `$( … )` or `$(( … ))`.
    fn dollar_round(&mut self, raw: &mut Raw, quoted: bool) {
        if self.ahead(2) == b'('
            && let Some(end) = arithmetic_end(self, self.at + 3)
        {
            let text = self.arithmetic(self.at + 3, end);
            self.at = end + 2;
            raw.parts.push(Part::Arithmetic { text: Rc::new(text) });
            return;
        }
        self.at += 2;
        let node = self.inside();
        raw.parts.push(Part::Command { node: Rc::new(node), quoted });
    }

    fn process(&mut self, raw: &mut Raw, reads: bool) {
        self.at += 2;
        let node = self.inside();
        raw.parts.push(Part::Process { node: Rc::new(node), reads });
    }

    /// Commands up to the closing `)`, which is skipped.
    fn inside(&mut self) -> Node {
        let (top, unit) = (self.top, self.unit);
        let node = self.deeper(|scanner| {
            // A text of its own, read command by command.
            scanner.top = scanner.depth;
            let node = scanner.list(&[]);
            scanner.gap();
            node
        });
        (self.top, self.unit) = (top, unit);
        if self.here() == b')' {
            self.at += 1;
        } else if self.depth == 0 && *self.steps > 0 {
            self.note(What::Syntax, "unterminated $(");
        }
        node.unwrap_or(Node::List(Vec::new()))
    }

    /// The words of an arithmetic text, for what is substituted in them.
    pub(super) fn arithmetic(&mut self, from: usize, to: usize) -> Raw {
        let mut raw = Raw::default();
        let place = self.place();
        let text = self.slice(from, to);
        let mut inner = Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: self.line,
            unit: self.unit,
            top: usize::MAX,
            depth: self.depth + 1,
            steps: self.steps,
            unclear: self.unclear,
            pending: Vec::new(),
            base: Some(place),
        };
        if inner.depth > super::scan::MAX_DEPTH {
            inner.note(What::Bound, "depth");
            return raw;
        }
        inner.double_quoted(&mut raw, None);
        raw
    }

    /// Backticks: the text between them loses one level of backslashes and is a text of its own.
    fn backticks(&mut self, raw: &mut Raw, quoted: bool) {
        self.at += 1;
        let mut text = String::new();
        while !self.done() && self.here() != b'`' && self.spend(1) {
            if self.here() == b'\\' {
                let next = self.ahead(1);
                if matches!(next, b'`' | b'\\' | b'$') || (quoted && next == b'"') {
                    self.at += 1;
                    self.copy_char(&mut text);
                    continue;
                }
            }
            self.copy_char(&mut text);
        }
        if self.here() == b'`' {
            self.at += 1;
        }
        let place = self.place();
        self.spend(2);
        if self.depth >= super::scan::MAX_DEPTH {
            self.note(What::Bound, "depth");
            return;
        }
        let node = parse(&text, self.depth + 1, Some(place), self.unit, self.steps, self.unclear);
        raw.parts.push(Part::Command { node: Rc::new(node), quoted });
    }

    /// The inside of `$'…'`, closing quote skipped.
    fn ansi(&mut self) -> String {
        let from = self.at;
        while !self.done() && self.here() != b'\'' && self.spend(1) {
            self.at += if self.here() == b'\\' { 2 } else { 1 };
        }
        let to = self.at.min(self.bytes.len());
        let text = super::decode::ansi_c(self.slice(from, to));
        self.at = (to + 1).min(self.bytes.len());
        text
    }
}

/// Where the `))` of an arithmetic text that begins at `from` stands; `None` when its parentheses
/// close apart, which makes it a subshell or a substitution.
pub(super) fn arithmetic_end(scanner: &mut Scanner<'_>, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = from;
    loop {
        let byte = scanner.bytes.get(at).copied()?;
        if *scanner.steps == 0 {
            return None;
        }
        *scanner.steps -= 1;
        match byte {
            b'\\' => at += 1,
            b'\'' => at += 1 + memchr::memchr(b'\'', scanner.bytes.get(at + 1..)?)?,
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b')' => return (scanner.bytes.get(at + 1) == Some(&b')')).then_some(at),
            _ => {}
        }
        at += 1;
    }
}

/// Whether a byte may mean something in an unquoted word.
fn is_active(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'<' | b'>' | b'\r')
}

fn variable(name: String, quoted: bool) -> Part {
    Part::Variable { name, index: None, change: super::tree::Change::Plain, quoted }
}

fn flush(raw: &mut Raw, bare: &mut String) {
    if !bare.is_empty() {
        raw.parts.push(Part::Bare(std::mem::take(bare)));
    }
}

fn quote(raw: &mut Raw, text: &mut String) {
    if !text.is_empty() {
        raw.parts.push(Part::Quoted(std::mem::take(text)));
    }
}
