//! Statements: keywords, assignments, pipelines.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::Word;

use super::class;
use super::command;
use super::cursor::Cursor;
use super::expression;
use super::function::{function, parameters};
use super::members;
use super::value::{self, Value};

/// Statements up to a closer or the end.
pub(super) fn statements(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let mut out = Value::none();
    loop {
        cursor.gap();
        while (cursor.is(';') || cursor.is('&') && !starts_call(cursor)) && reader.spend(1) {
            cursor.bump();
            cursor.gap();
        }
        if cursor.done() || matches!(cursor.peek(), Some('}' | ')')) || !reader.spend(1) {
            break;
        }
        let outer = reader.begin_command();
        let known = reader.reading.invocations.len();
        if reader.via.is_empty() {
            (reader.at, reader.end) = (cursor.at, 0);
        }
        let before = cursor.at;
        let more = statement(reader, cursor, scope);
        if reader.via.is_empty() {
            let end = cursor.at;
            reader.reading.invocations.iter_mut().skip(known).for_each(|one| one.end = end);
        }
        reader.end_command(outer);
        out = out.and(more);
        if cursor.at == before {
            cursor.bump();
        }
    }
    out
}

/// `&` followed by something to call, not the end of a background command.
fn starts_call(cursor: &Cursor<'_>) -> bool {
    cursor.ahead(1) != Some('&')
}

fn statement(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let first = link(reader, cursor, scope);
    chained(reader, cursor, scope, first)
}

/// One link of a chain: a keyword's statement, an assignment or a pipeline.
fn link(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let rest = cursor.rest();
    let length = rest.bytes().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = rest.get(..length).unwrap_or("").to_ascii_lowercase();
    let next = rest.as_bytes().get(length).copied().unwrap_or(b' ');
    let is_keyword = next.is_ascii_whitespace() || matches!(next, b'(' | b'{' | b';' | b'}' | b')');
    if is_keyword && let Some(value) = keyword(reader, &word, cursor, scope) {
        return value;
    }
    if cursor.is(':') {
        // `:label while …`.
        cursor.bump();
        cursor.name("");
        return Value::none();
    }
    if let Some(value) = assignment(reader, cursor, scope) {
        return value;
    }
    command::pipeline(reader, cursor, scope)
}

fn keyword(
    reader: &mut Reader<'_>,
    word: &str,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Option<Value> {
    match word {
        "if" | "elseif" | "while" | "until" | "switch" | "do" | "else" | "try" | "catch"
        | "finally" | "begin" | "process" | "end" | "clean" | "trap" | "data" | "dynamicparam" => {
            cursor.at += word.len();
            Some(parts(reader, word, cursor, scope))
        }
        "for" => {
            cursor.at += word.len();
            Some(for_loop(reader, cursor, scope))
        }
        "foreach" => {
            let from = cursor.at;
            cursor.at += word.len();
            cursor.gap();
            if !cursor.is('(') {
                // `… | foreach { }` is the command.
                cursor.at = from;
                return None;
            }
            Some(foreach(reader, cursor, scope))
        }
        "function" | "filter" | "workflow" | "configuration" => {
            cursor.at += word.len();
            reader.spend(4);
            function(reader, cursor, scope);
            Some(Value::none())
        }
        "class" | "enum" => {
            cursor.at += word.len();
            class::class(reader, cursor, scope);
            Some(Value::none())
        }
        "param" => {
            cursor.at += word.len();
            cursor.gap();
            let text = if cursor.is('(') { cursor.bracketed(reader) } else { "" };
            parameters(reader, text, scope);
            Some(Value::none())
        }
        "return" | "throw" | "exit" => {
            cursor.at += word.len();
            cursor.blanks();
            if matches!(cursor.peek(), None | Some('\n' | ';' | '}' | ')')) {
                return Some(Value::none());
            }
            Some(chain(reader, cursor, scope))
        }
        "break" | "continue" => {
            cursor.at += word.len();
            Some(Value::none())
        }
        _ => None,
    }
}

/// The conditions and blocks of `if`, `while`, `switch`, `try` and their kin: all of them run.
fn parts(reader: &mut Reader<'_>, word: &str, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let mut out = Value::none();
    let conditional =
        !matches!(word, "try" | "begin" | "process" | "end" | "do" | "finally" | "data");
    loop {
        cursor.gap();
        match cursor.peek() {
            Some('(') => {
                let text = cursor.bracketed(reader);
                super::inside(reader, "(…)", text, scope);
            }
            Some('{') => {
                let text = cursor.bracketed(reader);
                if word == "switch" {
                    return arms(reader, text, scope);
                }
                scope.conditional += usize::from(conditional);
                let more = super::inside(reader, "{…}", text, scope);
                scope.conditional -= usize::from(conditional);
                out = out.and(more);
                return out;
            }
            // `catch [Type] {`, `switch -regex (…)`, `trap [Type] {`.
            Some('[') => {
                cursor.bracketed(reader);
            }
            Some('-' | ',') => {
                cursor.bump();
                cursor.name("");
            }
            _ => return out,
        }
        if !reader.spend(1) {
            return out;
        }
    }
}

/// The arms of a `switch`: patterns are values, blocks run.
fn arms(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) -> Value {
    let mut cursor = Cursor::new(text);
    let mut out = Value::none();
    while !cursor.done() && reader.spend(1) {
        cursor.gap();
        if cursor.is('{') {
            let text = cursor.bracketed(reader);
            scope.conditional += 1;
            out = out.and(super::inside(reader, "switch", text, scope));
            scope.conditional -= 1;
            continue;
        }
        let before = cursor.at;
        super::words::argument(reader, &mut cursor, scope);
        if cursor.at == before {
            cursor.bump();
        }
    }
    out
}

fn for_loop(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    cursor.gap();
    if cursor.is('(') {
        let head = cursor.bracketed(reader);
        super::inside(reader, "for", head, scope);
    }
    cursor.gap();
    if !cursor.is('{') {
        return Value::none();
    }
    let body = cursor.bracketed(reader);
    scope.conditional += 1;
    let out = super::inside(reader, "for", body, scope);
    scope.conditional -= 1;
    out
}

fn foreach(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let head = cursor.bracketed(reader);
    cursor.gap();
    let body = if cursor.is('{') { cursor.bracketed(reader) } else { "" };
    let mut inner = Cursor::new(head);
    inner.gap();
    inner.take('$');
    let name = inner.name(":").to_owned();
    inner.gap();
    let values = match inner.rest().get(..2) {
        Some(word) if word.eq_ignore_ascii_case("in") => {
            inner.at += 2;
            inner.gap();
            chain(reader, &mut inner, scope)
        }
        _ => Value::unknown("foreach"),
    };
    each(reader, "foreach", &name, body, &values, scope)
}

/// Runs a block once for each of the values.
pub(super) fn each(
    reader: &mut Reader<'_>,
    label: &'static str,
    name: &str,
    body: &str,
    values: &Value,
    scope: &mut Scope,
) -> Value {
    let mut out = Value::none();
    let words = values.words();
    let words = if words.len() > 64 { vec![Word::hole("many values", true)] } else { words };
    for word in words {
        let conditional = std::mem::take(&mut scope.conditional);
        value::set(scope, name, &Value::word(single(word)));
        scope.conditional = conditional;
        out = out.and(super::inside(reader, label, body, scope));
    }
    out
}

/// One element of an unknown number of elements.
fn single(word: Word) -> Word {
    match word {
        Word::Partial(pieces) => {
            use crate::shell::types::Piece;
            Word::Partial(
                pieces
                    .into_iter()
                    .map(|piece| match piece {
                        Piece::Hole { what, .. } => Piece::Hole { what, many: false },
                        other @ Piece::Text(_) | other @ Piece::Glob(_) => other,
                    })
                    .collect(),
            )
        }
        known @ Word::Literal(_) | known @ Word::OneOf(_) => known,
    }
}

/// `$name = …`, `[type]$name = …`, `$a, $b = …`, `$name += …`, `$name.property = …`.
fn assignment(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Option<Value> {
    let from = cursor.at;
    let mut names: Vec<String> = Vec::new();
    let mut index = None;
    loop {
        while cursor.is('[') {
            cursor.bracketed(reader);
            cursor.blanks();
        }
        if !cursor.take('$') {
            cursor.at = from;
            return None;
        }
        let name = if cursor.is('{') { cursor.bracketed(reader) } else { cursor.name(":.") };
        names.push(name.to_owned());
        if cursor.is('[') {
            index = Some(cursor.bracketed(reader));
        }
        cursor.blanks();
        if !cursor.take(',') {
            break;
        }
        cursor.blanks();
    }
    let append = cursor.starts("+=");
    let plain = cursor.is('=') && cursor.ahead(1) != Some('=');
    let other = ["-=", "*=", "/=", "%=", "??="].into_iter().find(|op| cursor.starts(op));
    if !(append || plain || other.is_some()) {
        cursor.at = from;
        return None;
    }
    cursor.at += other.map_or(if append { 2 } else { 1 }, str::len);
    cursor.gap();
    let listed = cursor.starts("@(") || cursor.is(',');
    let given = expression::deeper(reader, cursor, scope, statement);
    if let [name] = names.as_slice() {
        members::assigned(scope, name, index, given, append, listed);
    } else {
        let words = given.words();
        for (place, name) in names.iter().enumerate() {
            let own = words.get(place).cloned().map_or_else(Value::none, Value::word);
            members::assigned(scope, name, None, own, false, false);
        }
    }
    Some(Value::none())
}

/// `+` of two values: strings join, arrays grow.
pub(super) fn added(first: Value, second: Value) -> Value {
    match (&first, &second) {
        (Value::List(own), Value::List(_)) if own.len() == 1 => {
            let mut word = first.joined("");
            word.push_word(&second.joined(" "));
            if word.size() > crate::shell::scope::MAX_VALUE || word.pieces() > 64 {
                word = Word::hole("long value", false);
            }
            Value::word(word)
        }
        _ => first.and(second),
    }
}

/// Pipelines joined by `&&` and `||`.
pub(super) fn chain(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let first = command::pipeline(reader, cursor, scope);
    chained(reader, cursor, scope, first)
}

/// The links after the first one.
fn chained(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    first: Value,
) -> Value {
    let mut out = first;
    loop {
        cursor.blanks();
        let maybe = cursor.starts("||");
        if !(maybe || cursor.starts("&&")) || !reader.spend(1) {
            return out;
        }
        cursor.at += 2;
        cursor.gap();
        scope.conditional += usize::from(maybe);
        let more = link(reader, cursor, scope);
        scope.conditional -= usize::from(maybe);
        out = out.and(more);
    }
}
