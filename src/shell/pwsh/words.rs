//! The words of a command: arguments, parameters, redirections.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::{Redirect, Word};

use super::command::{Argument, Command};
use super::cursor::{Cursor, ends_word, is_dash, is_double, is_single};
use super::expression;
use super::strings;
use super::value::Value;

pub(super) fn parameter_name(text: &str) -> Option<(String, Option<String>)> {
    let first = text.chars().next().filter(|c| is_dash(*c))?;
    let body = text.get(first.len_utf8()..)?;
    if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, value) = body.split_once(':').map_or((body, None), |(n, v)| (n, Some(v.to_owned())));
    Some((name.to_ascii_lowercase(), value))
}

/// After `--%` the rest of the line is given as it stands.
pub(super) fn verbatim(cursor: &mut Cursor<'_>, made: &mut Command, scope: &Scope) {
    let rest = cursor.rest();
    let end = rest.find(['\n', '|']).unwrap_or(rest.len());
    for word in rest.get(..end).unwrap_or("").split_whitespace() {
        scope.owe(2);
        let word = Word::Literal(word.replace('"', ""));
        made.arguments.push(Argument { value: Value::word(word), parameter: None, attached: None });
    }
    cursor.at += end;
}

/// `>`, `>>`, `2>`, `*>`, `2>&1`, `<`.
pub(super) fn redirect(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Option<Redirect> {
    let digits = match cursor.peek()? {
        '>' | '<' => 0,
        c if (c.is_ascii_digit() || c == '*') && cursor.ahead(1) == Some('>') => 1,
        _ => return None,
    };
    let fd = cursor.rest().get(..digits).and_then(|text| text.parse().ok());
    cursor.at += digits;
    let op = [">>", ">&", ">", "<"].into_iter().find(|op| cursor.starts(op))?;
    cursor.at += op.len();
    cursor.blanks();
    reader.spend(3);
    let target = argument(reader, cursor, scope)?.value.joined(" ");
    Some(Redirect { fd, op, target })
}

/// One argument here; arrays are several words of one argument.
pub(super) fn argument(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Option<Argument> {
    cursor.blanks();
    let mut own = one(reader, cursor, scope)?;
    let mut more = Vec::new();
    loop {
        let from = cursor.at;
        cursor.blanks();
        if !cursor.take(',') || !reader.spend(2) {
            cursor.at = from;
            break;
        }
        cursor.gap();
        let Some(next) = one(reader, cursor, scope) else { break };
        more.extend(next.value.words());
    }
    if !more.is_empty() {
        let target = own.attached.as_mut().unwrap_or(&mut own.value);
        *target = Value::List(target.words().into_iter().chain(more).collect());
    }
    Some(own)
}

fn one(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Option<Argument> {
    let plain = |value: Value| Some(Argument { value, parameter: None, attached: None });
    let first = cursor.peek()?;
    match first {
        '\n' | ';' | '|' | ')' | '}' | '&' | ',' => None,
        '(' | '{' => plain(expression::primary(reader, cursor, scope)),
        '@' if cursor.ahead(1).is_some_and(|c| "({'\"_".contains(c) || c.is_alphabetic()) => {
            plain(expression::primary(reader, cursor, scope))
        }
        '$' => {
            let value = expression::primary(reader, cursor, scope);
            // `$dir\name`, `$a$b`: a word that goes on.
            if cursor.peek().is_none_or(|c| ends_word(c) || c == '[') {
                return plain(value);
            }
            let mut word = value.joined(" ");
            word.push_word(&bare_word(reader, cursor, scope).joined(" "));
            plain(Value::word(word))
        }
        _ if is_single(first) || is_double(first) => {
            plain(expression::primary(reader, cursor, scope))
        }
        _ => {
            let value = bare_word(reader, cursor, scope);
            let named = value.literal().and_then(|text| parameter_name(&text));
            let Some((name, attached)) = named else { return plain(value) };
            let mut attached = attached.map(Value::text);
            if attached.as_ref().and_then(Value::literal).as_deref() == Some("") {
                // `-Name:(…)`, `-Name:$x`.
                attached = one(reader, cursor, scope).map(|own| own.value);
            }
            Some(Argument { value, parameter: Some(name), attached })
        }
    }
}

/// A bare word: text, escapes, variables, quoted pieces.
pub(super) fn bare_word(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let mut word = Word::empty();
    let mut text = String::new();
    while let Some(character) = cursor.peek() {
        if ends_word(character) || matches!(character, '<' | '>') || !reader.spend(1) {
            break;
        }
        match character {
            '`' => text.extend(strings::escape(reader, cursor)),
            '$' => {
                word.push_text(&std::mem::take(&mut text));
                let value = expression::variable(reader, cursor, scope);
                word.push_word(&value.joined(" "));
            }
            _ if is_single(character) => text.push_str(&strings::single_quoted(reader, cursor)),
            _ if is_double(character) => {
                word.push_text(&std::mem::take(&mut text));
                word.push_word(&strings::double_quoted(reader, cursor, scope));
            }
            _ => {
                text.push(character);
                cursor.bump();
            }
        }
    }
    word.push_text(&text);
    Value::word(word)
}
