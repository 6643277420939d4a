//! Functions and blocks with arguments.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::Word;

use super::cursor::Cursor;
use super::expression;
use super::value::{self, Value};

/// `function name [(parameters)] { body }`: kept as text.
pub(super) fn function(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) {
    cursor.gap();
    let name = cursor.name(":-.").to_owned();
    cursor.gap();
    let mut text = String::new();
    if cursor.is('(') {
        text.push_str("param(");
        text.push_str(cursor.bracketed(reader));
        text.push_str(");");
    }
    cursor.gap();
    if cursor.is('{') {
        text.push_str(cursor.bracketed(reader));
        value::define(scope, "function:", &name, &text);
    }
}

/// Runs a block's text with arguments: `$args`, and by `param` in it.
pub(super) fn with_arguments(
    reader: &mut Reader<'_>,
    label: &'static str,
    text: &str,
    args: &[Word],
    scope: &mut Scope,
) -> Value {
    if reader.via.iter().filter(|known| **known == "function").count() > 8 {
        return Value::unknown("recursion");
    }
    reader.spend(6);
    let outer = value::get(scope, "args");
    value::set(scope, "args", &Value::List(args.to_vec()));
    let out = super::inside(reader, label, text, scope);
    value::set(scope, "args", &outer);
    out
}

/// Binds `$args` to the names of a `param( … )`.
pub(super) fn parameters(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) {
    reader.spend(8);
    let mut cursor = Cursor::new(text);
    let mut names: Vec<(String, Option<Value>)> = Vec::new();
    while !cursor.done() && reader.spend(1) && names.len() < 64 {
        cursor.gap();
        if cursor.take('$') {
            let name = cursor.name("").to_ascii_lowercase();
            cursor.gap();
            let default = cursor.take('=').then(|| {
                cursor.gap();
                expression::additive(reader, &mut cursor, scope)
            });
            names.push((name, default));
        } else if cursor.is('[') {
            cursor.bracketed(reader);
        } else {
            cursor.bump();
        }
    }
    let mut left = value::get(scope, "args").words();
    if value::get(scope, "args").is_unknown() {
        return;
    }
    // Named ones first, the others in order.
    let mut bound: Vec<(String, Value)> = Vec::new();
    let mut index = 0;
    while let Some(word) = left.get(index).cloned() {
        let name =
            word.literal().and_then(|text| text.strip_prefix('-')).map(str::to_ascii_lowercase);
        let full = name.filter(|name| !name.is_empty()).and_then(|name| {
            names.iter().map(|(full, _)| full).find(|full| full.starts_with(&name)).cloned()
        });
        match (full, left.get(index + 1).cloned()) {
            (Some(full), Some(given)) => {
                bound.push((full, Value::word(given)));
                left.drain(index..index + 2);
            }
            _ => index += 1,
        }
    }
    let mut others = left.into_iter();
    for (name, default) in names {
        let given = bound.iter().find(|(own, _)| *own == name).map(|(_, given)| given.clone());
        let given = given.or_else(|| others.next().map(Value::word)).or(default);
        if let Some(given) = given {
            value::set(scope, &name, &given);
        }
    }
    value::set(scope, "args", &Value::List(others.collect()));
}
