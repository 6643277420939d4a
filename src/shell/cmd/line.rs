//! One line of cmd.exe: its commands, `if`, `for`, parentheses.

use crate::shell::eval::{Printed, Reader, joined};
use crate::shell::scope::Scope;
use crate::shell::types::Stdin;

/// A line being read.
pub(super) struct Line<'t> {
    text: &'t str,
    at: usize,
}

/// The first line of `text` and what follows it; parentheses and `^` hold lines together.
pub(super) fn logical(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted, mut at) = (0_usize, false, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'^' if !quoted => at += if bytes.get(at + 1) == Some(&b'\r') { 2 } else { 1 },
            b'"' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => break,
            b'\n' => quoted = false,
            _ => {}
        }
        at += 1;
    }
    let end = at.min(bytes.len());
    (text.get(..end).unwrap_or(text), text.get(end + 1..).unwrap_or(""))
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn here(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self, also: &[u8]) {
        while matches!(self.here(), b' ' | b'\t' | b'\r' | b',' | b';' | b'=' | 0x0b)
            || also.contains(&self.here()) && self.here() != 0
        {
            self.at += 1;
        }
    }

    /// Commands up to the end, or to `)` when `nested`.
    pub(super) fn commands(
        &mut self,
        reader: &mut Reader<'_>,
        scope: &mut Scope,
        input: &Stdin,
        nested: bool,
    ) -> Printed {
        let mut printed = Some(String::new());
        loop {
            self.blanks(b"&\n@");
            if self.at >= self.text.len() || !reader.spend(1) {
                break;
            }
            if self.here() == b')' {
                self.at += 1;
                if nested {
                    break;
                }
                continue;
            }
            let before = self.at;
            let mut own = self.command(reader, scope, input);
            self.blanks(b"");
            while self.here() == b'|' && self.text.as_bytes().get(self.at + 1) != Some(&b'|') {
                self.at += 1;
                let feed = own.map_or(Stdin::Unknown, Stdin::Text);
                own = self.command(reader, scope, &feed);
                self.blanks(b"");
            }
            while self.here() == b'|' {
                self.at += 1;
            }
            printed = joined(printed, own);
            if self.at == before {
                self.at += 1;
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
        }
        printed
    }

    fn command(&mut self, reader: &mut Reader<'_>, scope: &mut Scope, input: &Stdin) -> Printed {
        self.blanks(b"@\n");
        if self.here() == b'(' {
            self.at += 1;
            let printed =
                reader.inside("(…)", |reader| self.commands(reader, scope, input, true));
            if printed.is_none() && reader.depth >= crate::shell::scan::MAX_DEPTH {
                self.at = self.text.len();
            }
            self.blanks(b"");
            let redirects = matches!(self.here(), b'>' | b'<')
                || self.here().is_ascii_digit()
                    && self.text.as_bytes().get(self.at + 1) == Some(&b'>');
            let tail = if redirects { self.simple_text() } else { "" };
            return super::command::redirected(reader, tail, printed, scope);
        }
        let rest = self.rest();
        let word: String = rest
            .chars()
            .take_while(|c| !c.is_whitespace() && !"()&|<>^\"".contains(*c))
            .take(8)
            .collect::<String>()
            .to_ascii_lowercase();
        if rest.starts_with(':') || word == "rem" {
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Some(String::new());
        }
        match word.as_str() {
            "if" => self.if_command(reader, scope, input),
            "for" => self.for_command(reader, scope, input),
            "else" | "do" => {
                self.at += word.len();
                self.conditional(reader, scope, input)
            }
            _ => {
                let text = self.simple_text();
                super::command::run(reader, text, scope, input)
            }
        }
    }

    fn conditional(
        &mut self,
        reader: &mut Reader<'_>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        if reader.depth >= crate::shell::scan::MAX_DEPTH {
            self.at = self.text.len();
        }
        scope.conditional += 1;
        let printed = reader.inside("if", |reader| self.command(reader, scope, input));
        scope.conditional -= 1;
        printed
    }

    /// The raw text up to an unquoted separator.
    fn simple_text(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let from = self.at;
        let mut quoted = false;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'^' if !quoted => self.at += 1,
                b'"' => quoted = !quoted,
                // `2>&1` is no separator.
                b'&' if !quoted && self.at > 0 && bytes.get(self.at - 1) == Some(&b'>') => {}
                b'&' | b'|' | b')' if !quoted => break,
                b'\n' => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(bytes.len());
        self.text.get(from..self.at).unwrap_or("")
    }

    /// A word of a condition.
    fn word(&mut self) -> &'t str {
        self.blanks(b"");
        let bytes = self.text.as_bytes();
        let from = self.at;
        let mut quoted = false;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => quoted = !quoted,
                b' ' | b'\t' | b'\n' if !quoted => break,
                b'(' | b'&' | b'|' if !quoted && self.at > from => break,
                _ => {}
            }
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or("")
    }

    /// `if [/i] [not] condition command [else command]`.
    fn if_command(&mut self, reader: &mut Reader<'_>, scope: &mut Scope, input: &Stdin) -> Printed {
        self.at += 2;
        let mut word = self.word();
        while word.eq_ignore_ascii_case("/i") || word.eq_ignore_ascii_case("not") {
            word = self.word();
        }
        let unary = ["exist", "defined", "errorlevel", "cmdextversion"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        if unary {
            self.word();
        } else if !word.contains("==") {
            // `a == b`, `a EQU b`, `a ==b`.
            let operator = self.word();
            if operator == "==" || !operator.starts_with("==") {
                self.word();
            }
        } else if word.ends_with("==") {
            self.word();
        }
        let printed = self.conditional(reader, scope, input);
        self.blanks(b"");
        let rest = self.rest();
        if rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("else")) {
            self.at += 4;
            let more = self.conditional(reader, scope, input);
            return joined(printed, more);
        }
        printed
    }

    /// `for [/f "options"] %i in (set) do command`: the command's text, once for each value.
    fn for_command(
        &mut self,
        reader: &mut Reader<'_>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Printed {
        self.at += 3;
        let (mut kind, mut name, mut options) = (' ', "", "");
        loop {
            let word = self.word();
            if word.is_empty() || word.eq_ignore_ascii_case("in") {
                break;
            }
            if let Some(letter) = word.strip_prefix('/').and_then(|rest| rest.chars().next()) {
                kind = letter.to_ascii_lowercase();
            } else if word.starts_with('%') {
                name = word.trim_start_matches('%');
            } else {
                options = word;
            }
        }
        self.blanks(b"");
        let mut set = "";
        if self.here() == b'(' {
            let rest = self.rest();
            let close = rest.find(')').unwrap_or(rest.len() - 1);
            set = rest.get(1..close).unwrap_or("");
            self.at += close + 1;
        }
        let values = super::command::set_values(reader, kind, options, set, scope);
        self.blanks(b"");
        if self.rest().get(..2).is_some_and(|word| word.eq_ignore_ascii_case("do")) {
            self.at += 2;
        }
        self.blanks(b"");
        let body = self.body();
        let mut printed = Some(String::new());
        for value in values {
            let text = match kind {
                'f' => with_tokens(body, name, &super::tokens::tokens(&value, options)),
                _ => super::command::with_loop_variable(body, name, &value),
            };
            if !reader.spend(4 + text.len()) {
                return None;
            }
            let more = reader
                .inside("for", |reader| Line::new(&text).commands(reader, scope, input, false));
            printed = joined(printed, more);
        }
        printed
    }

    /// The text of a loop's body: one group, or the rest of the line.
    fn body(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let from = self.at;
        let group = self.here() == b'(';
        let (mut depth, mut quoted) = (0_usize, false);
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'^' if !quoted => self.at += 1,
                b'"' => quoted = !quoted,
                b'(' if !quoted => depth += 1,
                b')' if !quoted && depth == 0 => break,
                b')' if !quoted => {
                    depth -= 1;
                    if group && depth == 0 {
                        self.at += 1;
                        break;
                    }
                }
                b'\n' if depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(bytes.len());
        self.text.get(from..self.at).unwrap_or("")
    }
}

/// The body with the loop's variable and the letters after it replaced.
fn with_tokens(body: &str, name: &str, tokens: &[String]) -> String {
    let mut text = body.to_owned();
    let letters = name.chars().next().into_iter().flat_map(|first| first..);
    for (letter, token) in letters.zip(tokens) {
        text = super::command::with_loop_variable(&text, &letter.to_string(), token);
    }
    text
}
