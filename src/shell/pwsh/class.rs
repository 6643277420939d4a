//! Classes: methods are kept as text and run where they are called.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::Word;

use super::cursor::Cursor;
use super::function;
use super::value::{self, Value};

/// Where a scope keeps methods, as `class.name`; a method of an object whose class is not known is
/// found by its name alone.
const METHOD: &str = "method:";

/// The most members of one class that are kept.
const MAX_MEMBERS: usize = 64;

/// Reads what stands after `class` or `enum`.
pub(super) fn class(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) {
    cursor.gap();
    let name = cursor.name("").to_ascii_lowercase();
    while !cursor.done() && !matches!(cursor.peek(), Some('{' | ';' | '\n')) {
        cursor.bump();
    }
    cursor.gap();
    if cursor.is('{') {
        let body = cursor.bracketed(reader);
        members(reader, &name, body, scope);
    }
}

/// Methods are names with parameters and a block; all else is passed over.
fn members(reader: &mut Reader<'_>, class: &str, body: &str, scope: &mut Scope) {
    let mut cursor = Cursor::new(body);
    let mut kept = 0;
    while !cursor.done() && kept < MAX_MEMBERS && reader.spend(4) {
        cursor.gap();
        if cursor.is('[') || cursor.is('{') {
            cursor.bracketed(reader);
            continue;
        }
        let name = cursor.name("").to_ascii_lowercase();
        if name.is_empty() {
            cursor.bump();
            continue;
        }
        cursor.blanks();
        if !cursor.is('(') {
            continue;
        }
        let parameters = cursor.bracketed(reader);
        cursor.gap();
        if cursor.is(':') {
            // `: base(…)`.
            while !cursor.done() && !cursor.is('{') {
                cursor.bump();
            }
        }
        if cursor.is('{') {
            let text = format!("param({parameters});{}", cursor.bracketed(reader));
            let name = if name == class { "new" } else { &name };
            value::define(scope, METHOD, &format!("{class}.{name}"), &text);
            value::define(scope, METHOD, &format!(".{name}"), &text);
            kept += 1;
        }
    }
}

/// Calls a method of `class`, or of any class when it is empty; `None` when the text has none.
pub(super) fn called(
    reader: &mut Reader<'_>,
    scope: &mut Scope,
    class: &str,
    name: &str,
    args: &[Word],
) -> Option<Value> {
    let key = format!("{}.{name}", class.to_ascii_lowercase());
    let text = value::named(scope, METHOD, &key)?;
    let out = function::with_arguments(reader, "method", &text, args, scope);
    // A constructor's value is the object.
    Some(if name == "new" { Value::word(Word::hole("object", false)) } else { out })
}
