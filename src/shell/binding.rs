//! Assignments, and variables with several values.

use super::eval::Reader;
use super::scope::{ABSENT, Scope, Value};
use super::tree::{Assign, AssignValue, Raw};
use super::types::{Piece, Word};

impl Reader<'_> {
    /// `name[index]=value`.
    fn assign_entry(&mut self, assign: &Assign, index: &Raw, scope: &mut Scope) {
        let index = self.single(index, scope);
        let AssignValue::Word(raw) = &assign.value else { return };
        let value = self.single(raw, scope);
        let key = index.literal().filter(|key| key.parse::<usize>().is_err());
        if let Some(key) = key {
            // An associative array's entry is a variable of its own.
            scope.set(&format!("{}[{key}]", assign.name), Value::Scalar(value.clone()));
        }
        let named = scope.attributes.get(&assign.name) == Some(&'A');
        let at = index.literal().filter(|_| !named).and_then(|text| self.number(text, scope));
        self.spend(4);
        scope.edit_array(&assign.name, |words| match at.map(usize::try_from) {
            Some(Ok(at)) if at < 256 && !words.iter().any(Word::is_many) => {
                if words.len() <= at {
                    words.resize(at + 1, Word::Literal(ABSENT.into()));
                }
                if let Some(slot) = words.get_mut(at) {
                    let old = slot.literal().filter(|text| *text != ABSENT).unwrap_or("");
                    *slot = if assign.append { joined(old, &value) } else { value };
                }
            }
            _ if named => words.push(value),
            _ => *words = vec![Word::hole(format!("${}[@]", assign.name), true)],
        });
    }

    pub(super) fn assign(
        &mut self,
        assign: &Assign,
        lasting: bool,
        scope: &mut Scope,
        own_env: &mut Vec<(String, Word)>,
    ) {
        if let Some(index) = &assign.index {
            self.assign_entry(assign, index, scope);
            return;
        }
        self.globbing.hidden |= assign.name == "GLOBIGNORE";
        let value = match &assign.value {
            AssignValue::Array(raws) => {
                let mut words = self.words(raws, scope);
                self.spend(words.len());
                for word in &mut words {
                    if let Some((key, value)) = entry(word) {
                        scope.set(&format!("{}[{key}]", assign.name), Value::Scalar(value.clone()));
                        *word = value;
                    }
                }
                if assign.append {
                    let old = elements(&assign.name, scope);
                    self.spend(old.len());
                    words.splice(0..0, old);
                }
                Value::Array(words)
            }
            AssignValue::Word(raw) => {
                let mut word = self.single(raw, scope);
                self.spend(word.size() / 8);
                if assign.append {
                    let mut old = scope.scalar(&assign.name).unwrap_or(Word::empty());
                    old.push_word(&word);
                    word = old;
                }
                if !scope.attributes.is_empty() && !assign.append {
                    word = self.with_attribute(&assign.name, word, scope);
                }
                match scope.get(&assign.name) {
                    Some(Value::Array(old)) if lasting => {
                        scope.owe(old.len());
                        let mut words = old.clone();
                        words.splice(0..1.min(old.len()), [word]);
                        Value::Array(words)
                    }
                    _ => Value::Scalar(word),
                }
            }
        };
        if lasting {
            scope.set(&assign.name, value);
        } else if let Value::Scalar(word) = value {
            own_env.push((assign.name.clone(), word));
        } else {
            scope.set(&assign.name, value);
        }
    }
}

fn joined(old: &str, value: &Word) -> Word {
    let mut word = Word::Literal(old.to_owned());
    word.push_word(value);
    word
}

/// The elements of an array so far; a scalar is its first one.
fn elements(name: &str, scope: &Scope) -> Vec<Word> {
    match scope.get(name) {
        Some(Value::Array(old)) => old.clone(),
        Some(Value::Scalar(first)) => vec![first.clone()],
        None => Vec::new(),
    }
}

/// `[key]=value` in an array's parentheses.
fn entry(word: &Word) -> Option<(String, Word)> {
    let Word::Partial(pieces) = word else { return None };
    let (Piece::Glob(head), rest) = pieces.split_first()? else { return None };
    let key = head.strip_prefix('[')?.strip_suffix(']')?.to_owned();
    let mut value = Word::empty();
    for piece in rest {
        match piece {
            Piece::Text(text) => value.push_text(text),
            Piece::Glob(_) | Piece::Hole { .. } => value.push_piece(piece.clone()),
        }
    }
    let (first, tail) = match &value {
        Word::Literal(text) => (text.strip_prefix('=')?.to_owned(), None),
        Word::Partial(pieces) => match pieces.split_first()? {
            (Piece::Text(text), tail) => (text.strip_prefix('=')?.to_owned(), Some(tail.to_vec())),
            _ => return None,
        },
        Word::OneOf(_) => return None,
    };
    let mut word = Word::Literal(first);
    for piece in tail.unwrap_or_default() {
        match piece {
            Piece::Text(text) => word.push_text(&text),
            other @ (Piece::Glob(_) | Piece::Hole { .. }) => word.push_piece(other),
        }
    }
    Some((key, word))
}
