//! `declare`, `local`, `export`, `readonly`, `unset`: what variables are, and how long they last.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::{ABSENT, Scope, Value};
use super::types::{Piece, Word};

pub(super) fn declare(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let builtin = call.arg(0).unwrap_or("");
    let words = call.argv.get(1..).unwrap_or(&[]);
    let flags: String = words
        .iter()
        .filter_map(Word::literal)
        .filter_map(|text| text.strip_prefix('-').filter(|text| !text.starts_with('-')))
        .collect();
    let export = builtin == "export" || flags.contains('x');
    let in_function = !reader.locals.is_empty();
    let local =
        builtin == "local" || builtin != "export" && builtin != "readonly" && !flags.contains('g');
    // Outside a function only bash refuses `local`.
    let before = (builtin == "local" && !in_function).then(|| scope.clone());
    for word in words {
        let pair = split_assignment(word);
        let Some(name) = assigned_name(word, pair.as_ref()) else { continue };
        if flags.contains('f') {
            if export {
                // Functions go to children under a name that no variable has.
                scope.export(&format!("{name} ()"));
            }
            continue;
        }
        if local && in_function {
            reader.hide(name, scope);
            if pair.is_none() {
                scope.vars_mut().remove(name);
            }
        }
        set_attributes(&flags, name, scope);
        super::subscript::assigned(reader, name, pair.as_ref().map(|(_, value)| value), scope);
        if let Some((name, value)) = &pair {
            let value = if flags.contains('n') {
                // A name for another variable: what is assigned through it is not followed.
                if let Some(target) = value.literal() {
                    scope.set(target, Value::Scalar(Word::hole(format!("${target}"), true)));
                }
                Word::hole(format!("${name}"), true)
            } else if scope.attributes.is_empty() {
                value.clone()
            } else {
                reader.with_attribute(name, value.clone(), scope)
            };
            if !matches!(scope.get(name), Some(Value::Array(_)) if value.literal() == Some("")) {
                scope.set(name, Value::Scalar(value));
            }
        }
        if (builtin == "readonly" || flags.contains('r')) && !scope.attributes.contains_key(name) {
            set_attributes("r", name, scope);
        }
        if export {
            scope.export(name);
        }
    }
    if let Some(before) = before {
        scope.join(before);
    }
    Some(String::new())
}

fn set_attributes(flags: &str, name: &str, scope: &mut Scope) {
    for flag in flags.chars().filter(|flag| "iluAr".contains(*flag)) {
        if scope.attributes.len() < 512 {
            Rc::make_mut(&mut scope.attributes).insert(name.to_owned(), flag);
        }
    }
}

/// `unset a`, `unset -f f`, `unset 'a[1]'`.
pub(super) fn unset(reader: &Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let (mut variables, mut functions) = (true, true);
    for word in call.argv.iter().skip(1) {
        // An unknown name may be any.
        let Some(text) = word.spelled() else { continue };
        match text.as_str() {
            "-f" => variables = false,
            "-v" | "-n" => functions = false,
            _ => match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
                Some((name, index)) => unset_element(reader, name, index, scope),
                None => scope.forget(&text, variables, functions),
            },
        }
    }
    Some(String::new())
}

fn unset_element(reader: &Reader<'_>, name: &str, index: &str, scope: &mut Scope) {
    let at = reader.number(index, scope).and_then(|at| usize::try_from(at).ok());
    let Some(Value::Array(words)) = scope.get(name) else { return };
    let mut words = words.clone();
    match at.and_then(|at| words.get_mut(at)) {
        Some(slot) if scope.attributes.get(name) != Some(&'A') => {
            *slot = Word::Literal(ABSENT.into());
        }
        _ => words = vec![Word::hole(format!("${name}[@]"), true)],
    }
    scope.set(name, Value::Array(words));
}

impl Reader<'_> {
    /// Remembers what a local variable hides.
    pub(super) fn hide(&mut self, name: &str, scope: &Scope) {
        if let Some(frame) = self.locals.last_mut()
            && frame.len() < 512
            && !frame.iter().any(|(known, _)| known == name)
        {
            frame.push((name.to_owned(), scope.get(name).cloned()));
        }
    }

    /// The number that an assignment to a `declare -i` leaves; any other value as it is.
    pub(super) fn with_attribute(&self, name: &str, word: Word, scope: &Scope) -> Word {
        let number = match scope.attributes.get(name) {
            Some('i') => word.literal().and_then(|text| self.number(text, scope)),
            _ => None,
        };
        number.map_or(word, |number| Word::Literal(number.to_string()))
    }
}

/// The name that a word of `declare` is about.
fn assigned_name<'w>(word: &'w Word, pair: Option<&'w (String, Word)>) -> Option<&'w str> {
    let literal = word.literal().filter(|text| !text.starts_with(['-', '+']));
    pair.map(|(name, _)| name.as_str()).or(literal)
}

/// Gives hidden variables their values back.
pub(super) fn restore(hidden: Vec<(String, Option<Value>)>, scope: &mut Scope) {
    for (name, value) in hidden {
        match value {
            Some(value) => scope.vars_mut().insert(name.into(), Rc::new(value)),
            None => scope.vars_mut().remove(name.as_str()),
        };
    }
}

/// `name=value` as an argument word.
pub(super) fn split_assignment(word: &Word) -> Option<(String, Word)> {
    let head = match word {
        Word::Literal(text) => text.as_str(),
        Word::OneOf(all) => all.first()?.as_str(),
        Word::Partial(_) => word.prefix(),
    };
    let (name, _) = head.split_once('=')?;
    let valid = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !valid {
        return None;
    }
    let cut = name.len() + 1;
    let value = match word {
        Word::Partial(pieces) => {
            let mut value = Word::empty();
            for (index, piece) in pieces.iter().enumerate() {
                match piece {
                    Piece::Text(text) if index == 0 => {
                        value.push_text(text.get(cut..).unwrap_or(""));
                    }
                    Piece::Text(text) => value.push_text(text),
                    other @ Piece::Glob(_) | other @ Piece::Hole { .. } => {
                        value.push_piece(other.clone());
                    }
                }
            }
            value
        }
        known @ Word::Literal(_) | known @ Word::OneOf(_) => {
            known.map(|text| text.get(cut..).unwrap_or("").to_owned())
        }
    };
    Some((name.to_owned(), value))
}
