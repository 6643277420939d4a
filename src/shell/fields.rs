//! A word that becomes several: what unquoted values are split at.

use super::types::{Piece, Word};

/// A word under construction and the finished ones before it.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) done: Vec<Word>,
    pub(super) open: Option<Word>,
    /// Unquoted values are patterns, which match so.
    pub(super) globbing: Option<super::glob::Globbing>,
}

impl Fields {
    pub(super) fn word(&mut self) -> &mut Word {
        self.open.get_or_insert_with(Word::empty)
    }

    pub(super) fn close(&mut self) {
        self.done.extend(self.open.take());
    }

    /// Appends a value that is split at `separators`: blanks count once, any other one each time.
    pub(super) fn split(&mut self, text: &str, separators: &str) {
        let mut rest = text;
        // A blank closed a field, and belongs to the separator that may follow.
        let mut blank = false;
        while !rest.is_empty() {
            let length = rest.find(|c| separators.contains(c)).unwrap_or(rest.len());
            let (piece, tail) = rest.split_at(length);
            if !piece.is_empty() {
                match self.globbing {
                    Some(globbing) => drop(super::glob::push_bare(self.word(), piece, globbing)),
                    None => self.word().push_text(piece),
                }
                blank = false;
            }
            let Some(separator) = tail.chars().next() else { return };
            rest = tail.get(separator.len_utf8()..).unwrap_or("");
            if is_blank(separator) {
                blank |= self.open.is_some();
                self.close();
            } else if self.open.is_some() {
                self.close();
                blank = false;
            } else if blank {
                blank = false;
            } else {
                self.done.push(Word::empty());
            }
        }
    }

    /// Appends an unquoted value with its unknown parts.
    pub(super) fn split_word(&mut self, value: &Word, separators: &str) {
        match value {
            Word::Literal(text) => self.split(text, separators),
            Word::OneOf(all) if is_ambiguous(all, separators) => {
                let piece = Piece::Hole { what: "one of several".into(), many: true };
                self.word().push_piece(piece);
            }
            Word::OneOf(_) => self.word().push_word(value),
            Word::Partial(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => self.split(text, separators),
                        Piece::Glob(_) | Piece::Hole { .. } => {
                            self.word().push_piece(piece.clone());
                        }
                    }
                }
            }
        }
    }
}

/// Whether unquoted values can be more than one word, or none.
pub(super) fn is_ambiguous(all: &[String], separators: &str) -> bool {
    all.iter().any(|text| text.is_empty() || text.contains(|c| separators.contains(c)))
}

fn is_blank(separator: char) -> bool {
    matches!(separator, ' ' | '\t' | '\n')
}

/// The first `count` fields of a line as `read` splits it; the last one gets the rest.
pub(super) fn columns(line: &str, count: usize, separators: &str) -> Vec<String> {
    let blank = |c: char| is_blank(c) && separators.contains(c);
    let mut rest = line.trim_matches(blank);
    let mut found = Vec::new();
    while found.len() + 1 < count {
        let Some(at) = rest.find(|c| separators.contains(c)) else { break };
        let (field, tail) = rest.split_at(at);
        found.push(field.to_owned());
        let tail = tail.trim_start_matches(blank);
        let hard = tail.chars().next().filter(|c| separators.contains(*c));
        rest = tail.get(hard.map_or(0, char::len_utf8)..).unwrap_or("").trim_start_matches(blank);
    }
    // A single separator after the last field is not part of it.
    let single = rest.strip_suffix(|c| separators.contains(c) && !is_blank(c));
    let last = single.filter(|text| !text.contains(|c| separators.contains(c))).unwrap_or(rest);
    found.push(last.to_owned());
    found.resize(count, String::new());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_as_in_bash() {
        for (text, separators, expected) in [
            (" a  b ", " \t\n", vec!["a", "b"]),
            ("a::b:", ":", vec!["a", "", "b"]),
            (":a", ":", vec!["", "a"]),
            ("a : b", ": ", vec!["a", "b"]),
            ("a b", "", vec!["a b"]),
        ] {
            let mut fields = Fields::default();
            fields.split(text, separators);
            fields.close();
            let words: Vec<_> = fields.done.iter().filter_map(Word::literal).collect();
            assert_eq!(words, expected, "{text}");
        }
    }

    #[test]
    fn lines_are_read_as_in_bash() {
        assert_eq!(columns(" a  b c ", 2, " "), ["a", "b c"]);
        assert_eq!(columns(":x", 2, ":"), ["", "x"]);
        assert_eq!(columns("a:", 1, ":"), ["a"]);
        assert_eq!(columns("a", 2, " "), ["a", ""]);
    }
}
