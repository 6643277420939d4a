//! `$@`, `$*` and arrays: values that are several words.

use super::eval::Reader;
use super::fields::Fields;
use super::scope::{ABSENT, Scope, Value};
use super::tree::{Change, Part, Raw};
use super::types::{Piece, Word};

/// Which of the two a parameter is: every element a word (`@`), or all of them one (`*`).
pub(super) fn list_mark(name: &str, index: Option<&Raw>) -> Option<char> {
    let mark = |text: &str| match text {
        "@" => Some('@'),
        "*" => Some('*'),
        _ => None,
    };
    index.map_or_else(|| mark(name), |index| mark(&index.plain()?))
}

/// Whether it stands for several words where it is quoted.
pub(super) fn is_list(name: &str, index: Option<&Raw>) -> bool {
    list_mark(name, index) == Some('@')
}

/// The elements that are set.
pub(super) fn elements(name: &str, scope: &Scope) -> Vec<Word> {
    if matches!(name, "@" | "*") {
        return scope.args.get(1..).unwrap_or(&[]).to_vec();
    }
    match scope.get(name) {
        // The order of an associative array's elements is bash's own.
        Some(Value::Array(words))
            if words.len() > 1 && scope.attributes.get(name) == Some(&'A') =>
        {
            vec![Word::hole(format!("${name}[@]"), true)]
        }
        Some(Value::Array(words)) => {
            words.iter().filter(|word| word.literal() != Some(ABSENT)).cloned().collect()
        }
        Some(Value::Scalar(word)) => vec![word.clone()],
        None => vec![Word::hole(format!("${name}[@]"), true)],
    }
}

/// All elements as one word, as `"$*"` has them.
pub(super) fn in_one(words: &[Word], scope: &Scope) -> Word {
    let separators = scope.separators();
    let between = separators.chars().next().map(String::from).unwrap_or_default();
    let mut out = Word::empty();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            out.push_text(&between);
        }
        out.push_word(word);
    }
    out
}

impl Reader<'_> {
    /// `"$@"`, `$*`, `"${a[@]}"`: each element a word, joined to what stands beside it.
    pub(super) fn list(&mut self, part: &Part, scope: &mut Scope, fields: &mut Fields) {
        let Part::Variable { name, index, change, quoted } = part else { return };
        let elements = elements(name, scope);
        let changed = match change {
            Change::Plain => Some(elements),
            Change::Slice(raw) => self.part_of(name, elements, raw, scope),
            Change::Trim { .. } | Change::Replace { .. } | Change::Case { .. } => {
                elements.iter().map(|word| self.rewritten(word, change, scope)).collect()
            }
            Change::Default { word, .. } => {
                let word = self.single(word, scope);
                // Elements that may be none, or empty ones, are not told apart from none.
                let empty = elements.iter().all(|word| word.can_be(""));
                if elements.is_empty() { Some(vec![word]) } else { (!empty).then_some(elements) }
            }
            Change::Alternative { word, .. } => {
                self.single(word, scope);
                None
            }
            Change::Require(word) => {
                self.single(word, scope);
                Some(elements)
            }
            Change::Length | Change::Indirect | Change::Other => None,
        };
        let Some(elements) = changed else {
            let what = format!("${name}");
            fields.word().push_piece(Piece::Hole { what, many: true });
            return;
        };
        if *quoted && list_mark(name, index.as_deref()) == Some('*') {
            let word = in_one(&elements, scope);
            fields.word().push_word(&word);
            return;
        }
        let last = elements.len().saturating_sub(1);
        let separators = scope.separators();
        for (index, element) in elements.iter().enumerate() {
            if *quoted {
                fields.word().push_word(element);
            } else {
                self.unquoted(fields, element, &separators);
            }
            if index < last {
                fields.close();
            }
        }
    }

    /// `${a[@]:from:count}`; `None` when the numbers are not known.
    fn part_of(
        &mut self,
        name: &str,
        elements: Vec<Word>,
        raw: &Raw,
        scope: &mut Scope,
    ) -> Option<Vec<Word>> {
        let slice = self.single(raw, scope);
        let mut numbers = slice.literal()?.split(':').map(|part| self.number(part, scope));
        let from = numbers.next()??;
        let count = match numbers.next() {
            Some(count) => usize::try_from(count?).ok()?,
            None => usize::MAX,
        };
        if elements.iter().any(Word::is_many) {
            return None;
        }
        let mut all = elements;
        if matches!(name, "@" | "*") {
            all.insert(0, scope.args.first().cloned()?);
        } else if let Some(Value::Array(words)) = scope.get(name) {
            // Places count, also those where nothing is.
            all.clone_from(words);
        }
        let start = if from < 0 {
            all.len().checked_sub(usize::try_from(from.unsigned_abs()).ok()?)?
        } else {
            usize::try_from(from).ok()?
        };
        let there = all.into_iter().skip(start).filter(|word| word.literal() != Some(ABSENT));
        Some(there.take(count).collect())
    }
}
