//! Values of words: joining, splitting, patterns, paths. All bounded.

use super::types::{Piece, Word};

/// Bytes that are copied and dropped again within one step.
pub(super) const BYTES_COPIED: usize = 512;

/// The most values one word may have before it counts as unknown.
pub(super) const MAX_VALUES: usize = 16;

/// Stands in a known output for a part that is not known. A private character: a text that holds
/// it counts as partly unknown.
pub(super) const UNKNOWN_PART: char = '\u{10fffd}';

/// Stands before a glob that a listing (`ls -A`, `find`) or a shell option (`dotglob`) made: it
/// matches names with a leading dot as well, and `**` after it stands for any number of folders.
pub const LISTED: char = '\u{10fffb}';

impl Word {
    /// The word with its unknown parts as holes, and what was listed as globs.
    pub fn with_holes(self) -> Self {
        let is_marked = |text: &str| text.contains([UNKNOWN_PART, LISTED]);
        let marked = match &self {
            Self::Literal(text) => is_marked(text).then_some(text),
            // The other values are those of a loop's ends.
            Self::OneOf(all) => all.iter().find(|text| is_marked(text)),
            Self::Partial(_) => None,
        };
        let Some(text) = marked else { return self };
        let mut word = Self::empty();
        let mut rest = text.as_str();
        while let Some(at) = rest.find([UNKNOWN_PART, LISTED]) {
            let (before, marked) = rest.split_at(at);
            word.push_known(before);
            let mut marked = marked.chars();
            if marked.next() == Some(UNKNOWN_PART) {
                word.push_piece(Piece::Hole { what: "output".into(), many: true });
                rest = marked.as_str();
                continue;
            }
            let (glob, tail) = super::glob::first(marked.as_str());
            word.push_piece(Piece::Glob(format!("{LISTED}{glob}")));
            rest = tail;
        }
        word.push_known(rest);
        word
    }

    fn push_known(&mut self, text: &str) {
        if !text.is_empty() {
            self.push_text(text);
        }
    }

    /// Its pieces, or the number of its values.
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::OneOf(all) => all.len().max(1),
            Self::Partial(pieces) => pieces.len().max(1),
        }
    }

    /// Bytes it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Literal(text) => text.len(),
            Self::OneOf(all) => all.iter().map(String::len).sum(),
            Self::Partial(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Glob(text) => text.len(),
                    Piece::Hole { what, .. } => what.len() + 1,
                })
                .sum(),
        }
    }

    /// Steps that a copy of it takes.
    pub(super) fn cost(&self) -> usize {
        self.pieces() - 1 + self.size() / BYTES_COPIED
    }

    /// The empty word.
    pub(super) fn empty() -> Self {
        Self::Literal(String::new())
    }

    /// A word that is only known at run time.
    pub(super) fn hole(what: impl Into<String>, many: bool) -> Self {
        Self::Partial(vec![Piece::Hole { what: what.into(), many }])
    }

    /// One of `values`, without duplicates; unknown when there are too many.
    pub(super) fn one_of(values: Vec<String>) -> Self {
        let mut seen: Vec<String> = Vec::new();
        for value in values {
            // One more than may be kept is enough to know that they are too many.
            if seen.len() <= MAX_VALUES && !seen.contains(&value) {
                seen.push(value);
            }
        }
        match seen.len() {
            0 => Self::empty(),
            1 => Self::Literal(seen.pop().unwrap_or_default()),
            2..=MAX_VALUES => Self::OneOf(seen),
            _ => Self::hole("many values", false),
        }
    }

    /// Appends known text.
    pub(super) fn push_text(&mut self, text: &str) {
        match self {
            Self::Literal(known) => known.push_str(text),
            Self::OneOf(all) => all.iter_mut().for_each(|known| known.push_str(text)),
            Self::Partial(pieces) => match pieces.last_mut() {
                Some(Piece::Text(known)) => known.push_str(text),
                _ => pieces.push(Piece::Text(text.to_owned())),
            },
        }
    }

    /// Appends another word's value.
    pub(super) fn push_word(&mut self, other: &Self) {
        match other {
            Self::Literal(text) => self.push_text(text),
            Self::OneOf(values) => {
                let own: Option<Vec<String>> = self.values().map(<[String]>::to_vec);
                match own {
                    Some(own) if own.len() * values.len() <= MAX_VALUES => {
                        *self = Self::one_of(
                            own.iter()
                                .flat_map(|head| {
                                    values.iter().map(move |tail| format!("{head}{tail}"))
                                })
                                .collect(),
                        );
                    }
                    _ => self.push_piece(Piece::Hole { what: "many values".into(), many: false }),
                }
            }
            Self::Partial(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => self.push_text(text),
                        Piece::Glob(_) | Piece::Hole { .. } => self.push_piece(piece.clone()),
                    }
                }
            }
        }
    }

    /// Appends an unknown piece.
    pub(super) fn push_piece(&mut self, piece: Piece) {
        match self {
            Self::Partial(pieces) => pieces.push(piece),
            Self::Literal(text) if text.is_empty() => *self = Self::Partial(vec![piece]),
            Self::Literal(text) => {
                *self = Self::Partial(vec![Piece::Text(std::mem::take(text)), piece]);
            }
            Self::OneOf(_) => {
                *self = Self::Partial(vec![
                    Piece::Hole { what: "one of several".into(), many: false },
                    piece,
                ]);
            }
        }
    }

    /// Applies `change` to every known value; an unknown word stays unknown.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Literal(text) => Self::Literal(change(text)),
            Self::OneOf(all) => Self::one_of(all.iter().map(|value| change(value)).collect()),
            Self::Partial(pieces) => {
                let what = pieces.iter().find_map(|piece| match piece {
                    Piece::Hole { what, .. } => Some(what.clone()),
                    Piece::Text(_) | Piece::Glob(_) => None,
                });
                Self::hole(what.unwrap_or_else(|| "glob".into()), self.is_many())
            }
        }
    }

    /// Without the empty one of several values.
    pub(super) fn without_empty(self) -> Self {
        match self {
            Self::OneOf(all) => {
                Self::one_of(all.into_iter().filter(|value| !value.is_empty()).collect())
            }
            other @ Self::Literal(_) | other @ Self::Partial(_) => other,
        }
    }

    /// The same with a change that may find no value; then there is none.
    pub(super) fn try_map(&self, change: impl Fn(&str) -> Option<String>) -> Option<Self> {
        match self {
            Self::Literal(text) => change(text).map(Self::Literal),
            Self::OneOf(all) => {
                all.iter().map(|value| change(value)).collect::<Option<_>>().map(Self::one_of)
            }
            Self::Partial(_) => Some(self.map(|_| String::new())),
        }
    }

    /// Both words' values together.
    pub(super) fn or(&self, other: &Self) -> Self {
        match (self.values(), other.values()) {
            (Some(own), Some(others)) => Self::one_of(own.iter().chain(others).cloned().collect()),
            _ if self == other => self.clone(),
            _ => Self::hole("one of several", true),
        }
    }

    /// The text with unknown parts as `$__unknown`, for reading a partly known text as code; `None`
    /// when nothing of it is known.
    pub(super) fn as_code(&self) -> Option<Vec<String>> {
        match self {
            Self::Literal(text) => Some(vec![text.clone()]),
            Self::OneOf(all) => Some(all.clone()),
            Self::Partial(pieces) => {
                let mut text = String::new();
                let mut known = false;
                for piece in pieces {
                    match piece {
                        Piece::Text(piece) => {
                            known |= !piece.trim().is_empty();
                            text.push_str(piece);
                        }
                        Piece::Glob(piece) => text.push_str(piece.trim_start_matches(LISTED)),
                        Piece::Hole { .. } => text.push_str("${__unknown}"),
                    }
                }
                known.then(|| vec![text])
            }
        }
    }

    /// The text as it is spelled, globs and all; `None` when a part of it is not known.
    pub(super) fn spelled(&self) -> Option<String> {
        let Self::Partial(pieces) = self else { return self.literal().map(str::to_owned) };
        let spelled = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Glob(text) => Some(text.trim_start_matches(LISTED)),
            Piece::Hole { .. } => None,
        });
        spelled.collect()
    }

    /// The known text before the first unknown piece.
    pub fn prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::OneOf(_) => "",
            Self::Partial(pieces) => match pieces.first() {
                Some(Piece::Text(text)) => text,
                _ => "",
            },
        }
    }

    /// Whether the word is known but for its globs.
    pub(super) fn is_listed(&self) -> bool {
        match self {
            Self::Partial(pieces) => {
                pieces.iter().all(|piece| !matches!(piece, Piece::Hole { .. }))
            }
            Self::Literal(_) | Self::OneOf(_) => true,
        }
    }

    /// Whether the word may stand for any number of words.
    pub fn is_many(&self) -> bool {
        matches!(self, Self::Partial(pieces) if pieces.iter().any(|piece| match piece {
            Piece::Hole { many, .. } => *many,
            Piece::Glob(_) => true,
            Piece::Text(_) => false,
        }))
    }
}

/// Whether shell pattern `pattern` matches all of `text`; `*`, `?`, `[…]`, backslash. Linear in
/// practice: one backtracking point.
pub fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = pattern.get(p).and_then(|mark| match mark {
            '*' => None,
            '?' => Some(1),
            '[' => class(&pattern, p, text.get(t).copied().unwrap_or('\0')),
            '\\' if pattern.get(p + 1) == text.get(t) => Some(2),
            plain if Some(plain) == text.get(t) => Some(1),
            _ => None,
        });
        if let Some(step) = step {
            p += step;
            t += 1;
        } else if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if let Some((at, from)) = star {
            p = at + 1;
            t = from + 1;
            star = Some((at, from + 1));
        } else {
            return false;
        }
    }
    pattern.get(p..).unwrap_or(&[]).iter().all(|mark| *mark == '*')
}

/// Length of the class at `at` when it matches `character`.
fn class(pattern: &[char], at: usize, character: char) -> Option<usize> {
    let negated = matches!(pattern.get(at + 1), Some('!' | '^'));
    let mut index = at + 1 + usize::from(negated);
    let first = index;
    let mut hit = false;
    loop {
        let low = *pattern.get(index)?;
        if low == ']' && index > first {
            break;
        }
        if pattern.get(index + 1) == Some(&'-') && pattern.get(index + 2).is_some_and(|c| *c != ']')
        {
            let high = *pattern.get(index + 2)?;
            hit |= low <= character && character <= high;
            index += 3;
        } else {
            hit |= low == character;
            index += 1;
        }
    }
    (hit != negated).then_some(index + 1 - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abb", false),
            ("c?rtex", "cortex", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("*.db*", ".cortex.db-wal", true),
            (r"\*", "*", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
