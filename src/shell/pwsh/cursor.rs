//! A place in a PowerShell text: blanks, comments, and the ends of things in brackets.

use crate::shell::eval::Reader;

/// Bytes that are searched for a closer within one step.
const BYTES_SCANNED: usize = 32;

/// A place in a text.
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Whether here-strings of each kind are known to have no end in the text.
    endless: [bool; 2],
}

pub(super) fn is_single(character: char) -> bool {
    matches!(character, '\'' | '‘' | '’' | '‚' | '‛')
}

pub(super) fn is_double(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„')
}

pub(super) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '–' | '—' | '―')
}

/// Whether a bare word ends here.
pub(super) fn ends_word(character: char) -> bool {
    character.is_whitespace() || matches!(character, ';' | '|' | '&' | '(' | ')' | '{' | '}' | ',')
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, endless: [false; 2] }
    }

    pub(super) fn done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn ahead(&self, count: usize) -> Option<char> {
        self.rest().chars().nth(count)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let character = self.peek();
        self.at += character.map_or(1, char::len_utf8);
        self.at = self.at.min(self.text.len());
        character
    }

    pub(super) fn is(&self, character: char) -> bool {
        self.peek() == Some(character)
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Skips `character` if it is here.
    pub(super) fn take(&mut self, character: char) -> bool {
        let there = self.is(character);
        if there {
            self.bump();
        }
        there
    }

    /// Skips blanks, comments and continued lines; not line ends.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some('\n') | None => return,
                Some('\r') => self.at += 1,
                Some(c) if c.is_whitespace() => {
                    self.bump();
                }
                Some('`') if matches!(self.ahead(1), Some('\n')) => self.at += 2,
                Some('`') if self.starts("`\r\n") => self.at += 3,
                Some('<') if self.starts("<#") => {
                    let length = self.rest().find("#>").map_or(self.rest().len(), |at| at + 2);
                    self.at += length;
                }
                Some('#') => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                Some(_) => return,
            }
        }
    }

    /// Skips blanks and line ends.
    pub(super) fn gap(&mut self) {
        loop {
            self.blanks();
            if !self.is('\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// A name's text here: letters, digits, `_`, and what `also` allows.
    pub(super) fn name(&mut self, also: &str) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || also.contains(c)));
        let name = rest.get(..length.unwrap_or(rest.len())).unwrap_or("");
        self.at += name.len();
        name
    }

    /// The text of a bracket that opens here, without the brackets, and the place after it.
    pub(super) fn bracketed(&mut self, reader: &mut Reader<'_>) -> &'t str {
        let from = self.at + 1;
        let end = closing(self.text, self.at);
        reader.spend(1 + (end - self.at) / BYTES_SCANNED);
        self.at = (end + 1).min(self.text.len());
        self.text.get(from..end).unwrap_or("")
    }

    /// Where the here-string that opens here ends (after its `'@`); `None` when none does. One search
    /// in vain is enough for all openers of its kind.
    pub(super) fn here_string(&mut self, reader: &mut Reader<'_>) -> Option<usize> {
        let kind = usize::from(self.ahead(1) == Some('"'));
        let endless = self.endless.get_mut(kind)?;
        if *endless || !here_string_opens(self.text, self.at) {
            return None;
        }
        let end = here_string_end(self.text, self.at);
        *endless = end.is_none();
        reader.spend((end.unwrap_or(self.text.len()) - self.at) / BYTES_SCANNED);
        end
    }

    /// Whether a bare operator word such as `-join` is here; skips it.
    pub(super) fn operator(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let dash = self.peek().filter(|c| is_dash(*c))?.len_utf8();
        let rest = self.rest().get(dash..)?;
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let word = rest.get(..length)?.to_ascii_lowercase();
        let name = names.iter().find(|name| **name == word)?;
        self.at += dash + length;
        Some(name)
    }
}

/// Where the bracket that opens at `open` closes; the text's end when it does not. Strings,
/// here-strings, comments and substitutions in strings are stepped over; one pass.
fn closing(text: &str, open: usize) -> usize {
    let bytes = text.as_bytes();
    // Brackets are kept as their closers, an open double-quoted string as `"`.
    let mut stack: Vec<u8> = Vec::new();
    let mut at = open;
    // A here-string that has no end makes a later one of its kind have none.
    let mut endless = [false; 2];
    while let Some(byte) = bytes.get(at).copied() {
        if stack.last() == Some(&b'"') {
            at = in_string(bytes, at, &mut stack);
            continue;
        }
        match byte {
            b'`' => at += 1,
            b'{' => stack.push(b'}'),
            b'(' => stack.push(b')'),
            b'[' => stack.push(b']'),
            b'}' | b')' | b']' => {
                // A closer of another kind closes what it can: invalid text is read on.
                if let Some(found) = stack.iter().rposition(|open| *open == byte) {
                    stack.truncate(found);
                }
                if stack.is_empty() {
                    return at;
                }
            }
            b'"' => stack.push(b'"'),
            b'\'' | b'@' | b'<' | b'#' => {
                let kind = usize::from(bytes.get(at + 1) == Some(&b'"'));
                let hopeless = byte == b'@' && endless.get(kind).copied().unwrap_or(true);
                if !hopeless && let Some(end) = stepped_over(text, at) {
                    at = end;
                    continue;
                }
                if byte == b'@'
                    && let Some(slot) = endless.get_mut(kind)
                {
                    *slot = here_string_opens(text, at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// One step inside a double-quoted string.
fn in_string(bytes: &[u8], at: usize, stack: &mut Vec<u8>) -> usize {
    let next = bytes.get(at + 1).copied();
    match bytes.get(at).copied() {
        Some(b'`') => return at + 2,
        Some(b'"') if next == Some(b'"') => return at + 2,
        Some(b'"') => {
            stack.pop();
        }
        Some(b'$') if next == Some(b'(') => {
            stack.push(b')');
            return at + 2;
        }
        _ => {}
    }
    at + 1
}

/// The end of a single-quoted string, here-string or comment that begins at `at`, if one does.
fn stepped_over(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let next = bytes.get(at + 1).copied();
    match bytes.get(at).copied()? {
        b'\'' => {
            let rest = bytes.get(at + 1..).unwrap_or(&[]);
            Some(at + 2 + memchr::memchr(b'\'', rest).unwrap_or(rest.len()))
        }
        b'@' if matches!(next, Some(b'\'' | b'"')) => here_string_end(text, at),
        b'<' if next == Some(b'#') => {
            let rest = text.get(at..).unwrap_or("");
            Some(at + rest.find("#>").map_or(rest.len(), |end| end + 2))
        }
        b'#' => {
            let begins = at == 0
                || bytes.get(at - 1).is_some_and(|b| b.is_ascii_whitespace() || b"{(;".contains(b));
            let rest = bytes.get(at..).unwrap_or(&[]);
            begins.then(|| at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()))
        }
        _ => None,
    }
}

/// Whether a here-string opens at `at`: nothing but blanks follow its quote on the line.
fn here_string_opens(text: &str, at: usize) -> bool {
    let rest = text.as_bytes().get(at + 2..).unwrap_or(&[]);
    let after = rest.iter().take(256).find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(text.as_bytes().get(at + 1), Some(b'\'' | b'"')) && after == Some(&b'\n')
}

/// Where a here-string that opens at `at` ends (after its `'@`); `None` when none opens.
fn here_string_end(text: &str, at: usize) -> Option<usize> {
    let quote = text.as_bytes().get(at + 1).copied()?;
    if !here_string_opens(text, at) {
        return None;
    }
    let line = text.get(at + 2..)?.find('\n')?;
    let body = at + 2 + line;
    let mark = if quote == b'\'' { "\n'@" } else { "\n\"@" };
    let end = text.get(body..)?.find(mark)?;
    Some(body + end + mark.len())
}
