//! `${x:-word}`, `${x:=word}`, `${x:+word}`: the value or the word.

use super::eval::Reader;
use super::fields::Fields;
use super::scope::{Scope, Value};
use super::tree::{Change, Part, Raw};
use super::types::{Piece, Word};

impl Reader<'_> {
    /// `${x:-word}` and `${x:+word}` unquoted: the value, or the word with its own quotes.
    pub(super) fn either(
        &mut self,
        value: Option<Word>,
        name: &str,
        change: &Change,
        scope: &mut Scope,
        fields: &mut Fields,
    ) {
        let separators = scope.separators();
        let (Change::Default { word, .. } | Change::Alternative { word, .. }) = change else {
            return;
        };
        let assign = matches!(change, Change::Default { assign: true, .. });
        let taken = self.which(value.as_ref(), change);
        let other = matches!(change, Change::Alternative { .. });
        let uses_word = match taken {
            Some(uses_word) => uses_word,
            None => match self.choose(2) {
                Some(choice) => choice == 0,
                None => {
                    self.single(word, scope);
                    let piece = Piece::Hole { what: format!("${name}"), many: true };
                    fields.word().push_piece(piece);
                    return;
                }
            },
        };
        if !uses_word {
            if let (false, Some(value)) = (other, value) {
                let value = if taken.is_none() { value.without_empty() } else { value };
                self.unquoted(fields, &value, &separators);
            }
            return;
        }
        if assign {
            let word = self.single(word, scope);
            // Where it may have had a value, the other runs begin with either.
            let old = value.filter(|_| taken.is_none());
            let kept = old.map_or(word.clone(), |old| old.without_empty().or(&word));
            self.default(name, kept, scope);
            self.unquoted(fields, &scope.as_given(name, word), &separators);
            return;
        }
        for part in &word.parts {
            match part {
                Part::Bare(text) if !text.contains(['*', '?', '[', '~']) => {
                    fields.split(text, &separators);
                }
                Part::Bare(text) => {
                    let globs = super::glob::push_bare(fields.word(), text, self.globbing);
                    scope.owe(globs * 2);
                }
                Part::Quoted(_)
                | Part::Variable { .. }
                | Part::Command { .. }
                | Part::Process { .. }
                | Part::Arithmetic { .. } => self.field(part, scope, fields),
            }
        }
    }

    /// `${x:=word}` assigns: the other runs of this command begin without it.
    fn default(&mut self, name: &str, word: Word, scope: &mut Scope) {
        self.chosen(scope);
        scope.set(name, Value::Scalar(word));
    }

    /// `${x:-word}` and `${x:+word}` as one word.
    pub(super) fn one_of_two(
        &mut self,
        value: Option<Word>,
        name: &str,
        change: &Change,
        word: &Raw,
        scope: &mut Scope,
    ) -> Word {
        let uses_word = self.which(value.as_ref(), change);
        let word = self.single(word, scope);
        let Change::Default { assign, .. } = change else {
            return match uses_word {
                Some(true) => word,
                Some(false) => Word::empty(),
                None => word.or(&Word::empty()),
            };
        };
        let word = match (uses_word, value) {
            (Some(false), Some(value)) => return value,
            (None, Some(value)) => value.without_empty().or(&word),
            _ => word,
        };
        if *assign {
            self.default(name, word.clone(), scope);
            return scope.as_given(name, word);
        }
        word
    }

    /// Whether `${x:-word}` or `${x:+word}` uses its word; `None` when it may or may not.
    fn which(&self, value: Option<&Word>, change: &Change) -> Option<bool> {
        let (Change::Default { colon, .. } | Change::Alternative { colon, .. }) = change else {
            return Some(false);
        };
        let (colon, default) = (*colon, matches!(change, Change::Default { .. }));
        let set = match value {
            // What the text does not set may still be set around it.
            None if default => Some(false),
            None => None,
            Some(Word::Literal(text)) => Some(!(colon && text.is_empty())),
            Some(Word::OneOf(all)) if all.iter().all(|text| !text.is_empty()) => Some(true),
            Some(word) if !word.can_be("") => Some(true),
            Some(_) => None,
        };
        set.map(|set| set != default)
    }
}
