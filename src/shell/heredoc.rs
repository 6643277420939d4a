//! Here-docs: registered where they are named, read at the next line end.

use std::cell::OnceCell;
use std::rc::Rc;

use super::scan::{MAX_DEPTH, Scanner};
use super::tree::Raw;
use super::types::What;

/// A here-doc that waits for its body.
pub(super) struct Pending {
    delimiter: String,
    quoted: bool,
    strip: bool,
    body: Rc<OnceCell<Raw>>,
}

impl Scanner<'_> {
    /// Registers a here-doc; its body is read at the next line end.
    pub(super) fn here_doc(&mut self, word: &Raw, spelled: &str, strip: bool) -> Rc<OnceCell<Raw>> {
        let plain = word.plain();
        // Nothing is expanded in a delimiter: `<<$EOF` ends at `$EOF`.
        let quoted = match plain {
            Some(_) => word.bare().is_none(),
            None => spelled.contains(['\'', '"', '\\']),
        };
        let bare = |text: &str| text.replace(['\'', '"', '\\'], "");
        let delimiter = plain.unwrap_or_else(|| bare(spelled));
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { delimiter, quoted, strip, body: Rc::clone(&body) });
        body
    }

    pub(super) fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            let mut closed = false;
            while !self.done() {
                let rest = self.bytes.get(self.at..).unwrap_or(&[]);
                let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let mut line = self.slice(self.at, self.at + length);
                self.at = (self.at + length + 1).min(self.bytes.len());
                self.line += 1;
                if pending.strip {
                    line = line.trim_start_matches('\t');
                }
                if line.strip_suffix('\r').unwrap_or(line) == pending.delimiter {
                    closed = true;
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if !closed && self.depth == 0 {
                self.note(What::Syntax, "here-doc without end");
            }
            let raw = if pending.quoted { Raw::quoted(body) } else { self.expandable(&body) };
            drop(pending.body.set(raw));
        }
    }

    /// The body of an unquoted here-doc: substitutions run in it, quotes are text.
    pub(super) fn expandable(&mut self, body: &str) -> Raw {
        let place = self.place();
        let mut inner = Scanner {
            text: body,
            bytes: body.as_bytes(),
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
        if inner.depth > MAX_DEPTH {
            inner.note(What::Bound, "depth");
            return Raw::quoted(body);
        }
        let mut raw = Raw::default();
        inner.double_quoted(&mut raw, None);
        raw
    }
}
