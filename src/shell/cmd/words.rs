//! The words of a command of cmd.exe.

use crate::shell::scope::Scope;
use crate::shell::types::{Piece, Redirect, Word};

use super::variables;

/// A command's words and redirections.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) argv: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// The text after the first word, as it is spelled.
    pub(super) tail: String,
}

/// The words of a command: quotes as the programs themselves read them, `^` taken off.
pub(super) fn parse(text: &str, scope: &Scope) -> Parsed {
    let text = text.trim_start();
    let mut words = Words {
        text,
        rest: text.char_indices().peekable(),
        parsed: Parsed::default(),
        word: None,
        quoted: false,
        delayed: variables::is_delayed(scope),
        redirect: None,
        tail_ends: None,
    };
    while let Some((at, character)) = words.rest.next() {
        words.step(at, character);
    }
    words.close(Some(""));
    let mut parsed = words.parsed;
    if let Some(end) = words.tail_ends {
        let from = text.len() - parsed.tail.len();
        parsed.tail = text.get(from..end).unwrap_or("").to_owned();
    }
    parsed
}

/// Words under construction.
struct Words<'t> {
    text: &'t str,
    rest: std::iter::Peekable<std::str::CharIndices<'t>>,
    parsed: Parsed,
    word: Option<Word>,
    quoted: bool,
    delayed: bool,
    redirect: Option<(Option<u32>, &'static str)>,
    /// Where the first redirection begins: the command's own text ends there.
    tail_ends: Option<usize>,
}

impl Words<'_> {
    fn push(&mut self, character: char) {
        let own = self.word.get_or_insert_with(Word::empty);
        own.push_text(character.encode_utf8(&mut [0; 4]));
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.rest.peek().is_some_and(|(_, next)| *next == wanted)
    }

    fn step(&mut self, at: usize, character: char) {
        match character {
            '^' if !self.quoted => {
                if let Some((_, next)) = self.rest.next()
                    && !matches!(next, '\n' | '\r')
                {
                    self.push(next);
                }
            }
            '\\' if self.quoted && self.next_is('"') && !self.closes_after_quote() => {
                self.rest.next();
                self.push('"');
            }
            '"' => {
                self.quoted = !self.quoted;
                self.word.get_or_insert_with(Word::empty);
            }
            ' ' | '\t' | '\r' | '\n' if !self.quoted => self.close(self.text.get(at..)),
            ',' | ';' | '='
                if !self.quoted && self.parsed.argv.is_empty() && self.redirect.is_none() =>
            {
                self.close(self.text.get(at + 1..));
            }
            '>' | '<' if !self.quoted => self.redirection(at, character),
            '%' => self.percent(at, '%'),
            '!' if self.delayed => self.percent(at, '!'),
            other => self.push(other),
        }
    }

    /// `"C:\dir\"` ends with a backslash: a quote that ends the text or stands before a blank
    /// closes the string.
    fn closes_after_quote(&self) -> bool {
        let mut ahead = self.rest.clone();
        ahead.next();
        ahead.next().is_none_or(|(_, next)| next.is_whitespace())
    }

    fn redirection(&mut self, at: usize, character: char) {
        let digit = self.word.as_ref().and_then(Word::literal).and_then(|text| text.parse().ok());
        let numbered = digit.is_some_and(|digit: u32| digit < 10);
        if !self.parsed.argv.is_empty() || !numbered && self.word.is_some() {
            self.tail_ends.get_or_insert(at - usize::from(numbered));
        }
        if numbered {
            self.word = None;
        } else {
            self.close(self.text.get(at..));
        }
        let op = match (character, self.rest.peek().map(|(_, next)| *next)) {
            ('<', _) => "<",
            (_, Some('>')) => ">>",
            (_, Some('&')) => ">&",
            _ => ">",
        };
        if op.len() == 2 {
            self.rest.next();
        }
        self.redirect = Some((digit, op));
    }

    /// `%NAME%`, `%1`, `!NAME!`: values that the text did not give.
    fn percent(&mut self, at: usize, mark: char) {
        let after = self.text.get(at + 1..).unwrap_or("");
        let length = after
            .bytes()
            .take(64)
            .take_while(|b| b.is_ascii_alphanumeric() || b"_().~:,-*#".contains(b))
            .count();
        let closed = length > 0 && after.chars().nth(length) == Some(mark);
        let many = !self.quoted;
        if closed {
            for _ in 0..=length {
                self.rest.next();
            }
            let what = self.text.get(at..at + length + 2).unwrap_or("%").to_owned();
            self.word.get_or_insert_with(Word::empty).push_piece(Piece::Hole { what, many });
        } else if mark == '%'
            && after.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '*' | '~'))
        {
            self.rest.next();
            let piece = Piece::Hole { what: "%1".into(), many };
            self.word.get_or_insert_with(Word::empty).push_piece(piece);
        } else {
            self.push(mark);
        }
    }

    /// Ends a word: it becomes a redirection's target or the next word.
    fn close(&mut self, rest: Option<&str>) {
        let Some(done) = self.word.take() else { return };
        if let Some((fd, op)) = self.redirect.take() {
            self.parsed.redirects.push(Redirect { fd, op, target: done });
            return;
        }
        if self.parsed.argv.is_empty() {
            self.parsed.tail = rest.unwrap_or("").to_owned();
        }
        self.parsed.argv.push(done);
    }
}
