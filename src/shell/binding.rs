//! Assignments, and variables with several values.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::scope::{Scope, Value};
use super::tree::{Assign, AssignValue, Raw, Simple};
use super::types::{Piece, Stdin, Word};

impl Reader<'_> {
    /// An unquoted variable with several values, some of several words: one run for each value.
    pub(super) fn each_choice(
        &mut self,
        simple: &Rc<Simple>,
        scope: &mut Scope,
        input: &Stdin,
    ) -> Option<Printed> {
        use super::tree::{Change, Part};
        let name =
            simple.words.iter().flat_map(|word| &word.parts).find_map(|part| match part {
                Part::Variable { name, index: None, change: Change::Plain, quoted: false } => {
                    match scope.get(name) {
                        Some(Value::Scalar(Word::OneOf(all)))
                            if all.iter().any(|value| value.contains([' ', '\t', '\n'])) =>
                        {
                            Some(name.clone())
                        }
                        _ => None,
                    }
                }
                Part::Bare(_)
                | Part::Quoted(_)
                | Part::Variable { .. }
                | Part::Command { .. }
                | Part::Process { .. }
                | Part::Arithmetic { .. } => None,
            })?;
        let Some(Value::Scalar(Word::OneOf(all))) = scope.get(&name).cloned() else { return None };
        let mut printed = Some(String::new());
        for value in &all {
            let vars = Rc::make_mut(&mut scope.vars);
            vars.insert(name.clone(), Value::Scalar(Word::Literal(value.clone())));
            printed = self.simple(simple, scope, input);
        }
        Rc::make_mut(&mut scope.vars).insert(name, Value::Scalar(Word::OneOf(all)));
        Some(printed)
    }

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
        let mut words = match scope.get(&assign.name) {
            Some(Value::Array(words)) => words.clone(),
            _ => Vec::new(),
        };
        match index.literal().and_then(|text| text.trim().parse::<usize>().ok()) {
            Some(at) if at < 256 => {
                if words.len() <= at {
                    words.resize(at + 1, Word::empty());
                }
                if let Some(slot) = words.get_mut(at) {
                    *slot = value;
                }
            }
            _ => words.push(value),
        }
        scope.set(&assign.name, Value::Array(words));
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
                if assign.append
                    && let Some(Value::Array(old)) = scope.get(&assign.name)
                {
                    words = old.iter().cloned().chain(words).collect();
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
                Value::Scalar(word)
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
