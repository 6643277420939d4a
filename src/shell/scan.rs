//! Posix text → tree: one pass over the bytes, substitutions by bounded recursion.
//!
//! It reads what bash reads and goes on where bash would stop: an invalid text is read as far as it
//! goes, and what could not be followed is noted.

use std::rc::Rc;

use super::heredoc::Pending;
use super::tree::{Join, Node, Raw, Simple};
use super::types::{Unclear, What};

/// Deepest nesting that is followed.
pub(super) const MAX_DEPTH: usize = 40;

/// The scanner's state over one text.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) line: usize,
    /// The line on which the whole command at hand begins: bash reads it before it runs any of it.
    pub(super) unit: usize,
    /// The depth of a whole command.
    pub(super) top: usize,
    pub(super) depth: usize,
    /// Steps left over all texts of one reading; at zero the scanner gives up, loudly.
    pub(super) steps: &'a mut usize,
    pub(super) unclear: &'a mut Vec<Unclear>,
    /// Here-docs whose bodies begin at the next line end: delimiter, quoted, tabs stripped, slot.
    pub(super) pending: Vec<Pending>,
    /// Added to every place, for a text inside a text.
    pub(super) base: Option<usize>,
}

/// Parses a whole text whose first line is `line` of the text around it.
pub(super) fn parse(
    text: &str,
    depth: usize,
    base: Option<usize>,
    line: usize,
    steps: &mut usize,
    unclear: &mut Vec<Unclear>,
) -> Node {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line,
        unit: line,
        top: depth,
        depth,
        steps,
        unclear,
        pending: Vec::new(),
        base,
    };
    let mut nodes = Vec::new();
    loop {
        let node = scanner.list(&[]);
        nodes.push((node, Join::Then));
        if scanner.at >= scanner.bytes.len() || !scanner.spend(1) {
            break;
        }
        // A stray closer (`)`, `}`, `fi`): skip it and go on.
        scanner.at += 1;
    }
    scanner.read_bodies();
    Node::List(nodes)
}

impl<'a> Scanner<'a> {
    /// The byte here, 0 at the end.
    pub(super) fn here(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// The byte `ahead` further on, 0 at the end.
    pub(super) fn ahead(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The text between two places that were found at ASCII bytes.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }

    /// The place in the outermost text.
    pub(super) fn place(&self) -> usize {
        // An unterminated `${` is looked for one byte behind the end.
        self.base.unwrap_or(self.at.min(self.bytes.len()))
    }

    /// Spends steps; `false` when none are left, and then the scanner jumps to the end.
    pub(super) fn spend(&mut self, count: usize) -> bool {
        if *self.steps < count {
            if !super::eval::out_of_steps(self.unclear) {
                self.note(What::Bound, "steps");
            }
            *self.steps = 0;
            self.at = self.bytes.len();
            return false;
        }
        *self.steps -= count;
        true
    }

    pub(super) fn note(&mut self, what: What, detail: &str) {
        let at = self.place();
        let unclear = Unclear { what, at, detail: detail.to_owned() };
        super::eval::push_unclear(self.unclear, unclear);
    }

    /// Runs `read` one level deeper, or notes the bound and skips the rest.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.note(What::Bound, "depth");
            self.at = self.bytes.len();
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    /// Skips blanks, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.here() {
                b' ' | b'\t' if !self.done() => self.at += 1,
                b'\r' if self.ahead(1) == b'\n' => self.at += 1,
                b'\\' if self.ahead(1) == b'\n' => {
                    self.at += 2;
                    self.line += 1;
                }
                b'\\' if self.ahead(1) == b'\r' && self.ahead(2) == b'\n' => {
                    self.at += 3;
                    self.line += 1;
                }
                b'#' if self.at == 0 || self.after_separator() => self.comment(),
                _ => return,
            }
        }
    }

    fn after_separator(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied();
        matches!(
            before,
            Some(
                b' ' | b'\t'
                    | b'\n'
                    | b'\r'
                    | b';'
                    | b'&'
                    | b'|'
                    | b'('
                    | b')'
                    | b'<'
                    | b'>'
                    | b'`'
            )
        )
    }

    fn comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Skips a line end and reads the here-docs that wait for it.
    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.read_bodies();
    }

    /// Skips blanks and line ends.
    pub(super) fn gap(&mut self) {
        loop {
            self.blanks();
            if self.here() != b'\n' || self.done() {
                return;
            }
            self.newline();
        }
    }

    /// Commands up to one of `ends` (keywords), a closer or the end.
    pub(super) fn list(&mut self, ends: &[&str]) -> Node {
        let mut items = Vec::new();
        let mut join = Join::Then;
        loop {
            let before = self.at;
            self.gap();
            let new_line = items.is_empty() || self.slice(before, self.at).contains('\n');
            if self.depth == self.top && join == Join::Then && new_line {
                self.unit = self.line;
            }
            if self.done() || !self.spend(1) || self.at_close(ends) {
                break;
            }
            let before = self.at;
            let node = self.pipeline();
            items.push((node, join));
            self.blanks();
            join = match (self.here(), self.ahead(1)) {
                (b'&', b'&') => {
                    self.at += 2;
                    Join::And
                }
                (b'|', b'|') => {
                    self.at += 2;
                    Join::Or
                }
                (b';', b';') | (b';', b'&') => break,
                (b';', _) => {
                    self.at += 1;
                    Join::Then
                }
                (b'&', _) => {
                    self.at += 1;
                    super::tree::in_background(&mut items);
                    Join::Then
                }
                _ => Join::Then,
            };
            if self.at == before {
                break;
            }
        }
        Node::List(items)
    }

    fn at_close(&self, ends: &[&str]) -> bool {
        match self.here() {
            b')' => true,
            b';' => self.ahead(1) == b';' || self.ahead(1) == b'&',
            b'}' => ends.contains(&"}") && self.ends_word(1),
            _ => ends.iter().any(|end| self.starts(end) && self.ends_word(end.len())),
        }
    }

    /// Whether a word ends `length` bytes from here.
    pub(super) fn ends_word(&self, length: usize) -> bool {
        let next = self.bytes.get(self.at + length).copied();
        matches!(
            next,
            None | Some(
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            )
        )
    }

    /// Commands joined by `|` and `|&`.
    fn pipeline(&mut self) -> Node {
        let mut stages = Vec::new();
        loop {
            self.gap();
            while self.here() == b'!' && self.ends_word(1) {
                self.at += 1;
                self.blanks();
            }
            stages.push(self.command());
            self.blanks();
            if self.here() != b'|' || self.ahead(1) == b'|' || !self.spend(1) {
                break;
            }
            self.at += if self.ahead(1) == b'&' { 2 } else { 1 };
        }
        if stages.len() == 1 {
            stages.pop().unwrap_or(Node::List(Vec::new()))
        } else {
            Node::Pipeline(stages)
        }
    }

    pub(super) fn command(&mut self) -> Node {
        let node = super::compound::compound(self);
        let Some(node) = node else { return self.simple() };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        if redirects.is_empty() { node } else { Node::Redirected(Box::new(node), redirects) }
    }

    fn simple(&mut self) -> Node {
        let mut simple = Simple { at: self.place(), line: self.unit, ..Simple::default() };
        loop {
            simple.end = self.place();
            self.blanks();
            if self.done() || !self.spend(1) {
                break;
            }
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                continue;
            }
            if matches!(self.here(), b'\n' | b';' | b'&' | b'|' | b')') {
                break;
            }
            if self.here() == b'(' {
                if simple.words.len() == 1
                    && simple.assigns.is_empty()
                    && let Some(node) = super::compound::function_tail(self, &simple)
                {
                    return node;
                }
                // `(` where a word should be: bash would stop here, we read what is inside.
                if let Some(node) = super::compound::compound(self) {
                    let own = Node::Simple(Rc::new(simple));
                    return Node::List(vec![(own, Join::Then), (node, Join::Then)]);
                }
                self.at += 1;
                continue;
            }
            if simple.words.is_empty()
                && let Some(assign) = super::assign::assignment(self)
            {
                simple.assigns.push(assign);
                continue;
            }
            // Declaring builtins take assignments as arguments, arrays included.
            if declares(&simple)
                && let Some(assign) = super::assign::assignment(self)
            {
                simple.words.push(super::assign::as_word(&assign));
                simple.assigns.push(assign);
                continue;
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                self.at += 1;
                continue;
            }
            simple.words.push(word);
        }
        Node::Simple(Rc::new(simple))
    }
}

fn declares(simple: &Simple) -> bool {
    let first = simple.words.first().and_then(Raw::plain);
    matches!(
        first.as_deref(),
        Some("export" | "declare" | "typeset" | "local" | "readonly" | "alias" | "env")
    ) && !matches!(first.as_deref(), Some("alias" | "env"))
}
