//! Expressions: strings, variables, operators.

use crate::shell::eval::Reader;
use crate::shell::scan::MAX_DEPTH;
use crate::shell::scope::Scope;
use crate::shell::types::{What, Word};

use super::cursor::{Cursor, is_dash, is_double, is_single};
use super::members;
use super::rewrite;
use super::statement;
use super::strings;
use super::value::{self, Value};

/// Operators between two operands.
const BINARY: &[&str] = &[
    "join",
    "split",
    "csplit",
    "isplit",
    "replace",
    "creplace",
    "ireplace",
    "eq",
    "ne",
    "gt",
    "lt",
    "ge",
    "le",
    "like",
    "notlike",
    "match",
    "notmatch",
    "contains",
    "notcontains",
    "in",
    "notin",
    "and",
    "or",
    "xor",
    "is",
    "isnot",
    "as",
    "band",
    "bor",
    "ceq",
    "ieq",
    "cne",
    "cmatch",
    "clike",
    "shl",
    "shr",
];

/// A whole expression.
pub(super) fn expression(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let mut left = additive(reader, cursor, scope);
    loop {
        cursor.blanks();
        if !reader.spend(1) {
            return left;
        }
        if cursor.is('?') && !matches!(cursor.ahead(1), Some('.' | '[')) || cursor.starts("..") {
            left = either(reader, cursor, scope, left);
            continue;
        }
        let Some(operator) = cursor.operator(BINARY) else { return left };
        cursor.gap();
        let right = additive(reader, cursor, scope);
        left = match operator {
            "join" => Value::word(left.joined(&right.literal().unwrap_or_default())),
            "split" | "csplit" | "isplit" => rewrite::split(&left, &right),
            "replace" | "creplace" | "ireplace" => rewrite::replaced(&left, &right),
            "as" => left,
            _ => Value::word(Word::hole("comparison", false)),
        };
    }
}

/// `a ? b : c`, `a ?? b`: each of them; `1..3`.
fn either(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    left: Value,
) -> Value {
    let range = cursor.starts("..");
    cursor.bump();
    cursor.take('?');
    cursor.take('.');
    cursor.gap();
    let right = additive(reader, cursor, scope);
    if range {
        let all = rewrite::range(&left, &right);
        reader.spend(all.len());
        return all;
    }
    cursor.blanks();
    let mut both = left.and(right);
    if cursor.take(':') {
        cursor.gap();
        both = both.and(additive(reader, cursor, scope));
    }
    both
}

/// `+`, `-`, `*`, `/`, `%` and `-f`.
pub(super) fn additive(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let mut left = comma(reader, cursor, scope);
    loop {
        cursor.blanks();
        if !reader.spend(1) {
            return left;
        }
        if cursor.operator(&["f"]).is_some() {
            cursor.gap();
            let right = comma(reader, cursor, scope);
            left = rewrite::formatted(&left, &right.words());
            continue;
        }
        let plus = cursor.is('+') && cursor.ahead(1) != Some('+') && cursor.ahead(1) != Some('=');
        if plus {
            cursor.bump();
            cursor.gap();
            let right = comma(reader, cursor, scope);
            let copied: usize = left.words().iter().map(Word::cost).sum();
            reader.spend(3 + copied + left.len() + right.len());
            left = statement::added(left, right);
            continue;
        }
        let times = cursor.is('*') && cursor.ahead(1) != Some('=');
        let minus = cursor.peek().is_some_and(is_dash)
            && cursor.ahead(1).is_some_and(|c| c.is_whitespace() || c.is_ascii_digit() || c == '$');
        let other = matches!(cursor.peek(), Some('/' | '%')) && cursor.ahead(1) != Some('=');
        if !(times || minus || other) {
            return left;
        }
        cursor.bump();
        cursor.gap();
        let right = comma(reader, cursor, scope);
        left = match (times, right.literal().and_then(|text| text.parse::<usize>().ok())) {
            (true, Some(count)) if count <= 64 && left.joined("").size() <= 1024 => left
                .literal()
                .map_or_else(|| Value::unknown("product"), |text| Value::text(text.repeat(count))),
            _ => Value::word(Word::hole("arithmetic", false)),
        };
    }
}

/// `a, b, c`: an array.
fn comma(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let first = unary(reader, cursor, scope);
    cursor.blanks();
    if !cursor.is(',') {
        return first;
    }
    let mut words = first.words();
    while cursor.take(',') && reader.spend(2) {
        cursor.gap();
        let more = unary(reader, cursor, scope).words();
        if words.len() < 4096 {
            words.extend(more);
        }
        cursor.blanks();
    }
    Value::List(words)
}

fn unary(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    cursor.blanks();
    if let Some(operator) = cursor.operator(&["not", "join", "split", "bnot", "isplit", "csplit"]) {
        cursor.gap();
        let value = deeper(reader, cursor, scope, unary);
        return match operator {
            "join" => Value::word(value.joined("")),
            "not" | "bnot" => Value::word(Word::hole("not", false)),
            _ => rewrite::split(&value, &Value::text(r"\s+")),
        };
    }
    if cursor.is('!') || cursor.is('+') {
        cursor.bump();
        return deeper(reader, cursor, scope, unary);
    }
    if cursor.is(',') {
        cursor.bump();
        cursor.gap();
        return deeper(reader, cursor, scope, unary);
    }
    primary(reader, cursor, scope)
}

/// Guards the reader's own depth.
pub(super) fn deeper(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    read: impl FnOnce(&mut Reader<'_>, &mut Cursor<'_>, &mut Scope) -> Value,
) -> Value {
    if reader.depth >= MAX_DEPTH {
        reader.note(What::Bound, "depth");
        cursor.at = cursor.text.len();
        return Value::unknown("depth");
    }
    reader.depth += 1;
    let value = read(reader, cursor, scope);
    reader.depth -= 1;
    value
}

/// One operand with its members.
pub(super) fn primary(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    let Some(value) = operand(reader, cursor, scope) else { return Value::none() };
    members::postfix(reader, cursor, scope, value)
}

/// A string, variable, bracket, type or number; `None` when none begins.
pub(super) fn operand(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Option<Value> {
    if !reader.spend(1) {
        return None;
    }
    let first = cursor.peek()?;
    Some(match first {
        _ if is_single(first) => Value::text(strings::single_quoted(reader, cursor)),
        _ if is_double(first) => Value::word(strings::double_quoted(reader, cursor, scope)),
        '$' => variable(reader, cursor, scope),
        '(' => deeper(reader, cursor, scope, round),
        '@' => at_sign(reader, cursor, scope),
        '{' => Value::Block(cursor.bracketed(reader).to_owned()),
        '[' => type_name(reader, cursor, scope),
        '&' | '.' if !matches!(cursor.ahead(1), Some('&' | '0'..='9')) => {
            super::command::pipeline(reader, cursor, scope)
        }
        _ => {
            let rest = cursor.rest();
            // `1..3` is a range.
            let mut dotted = false;
            let length = rest
                .find(|c: char| {
                    let range = dotted && c == '.';
                    dotted = c == '.';
                    range || !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
                })
                .unwrap_or(rest.len());
            let text = rest.get(..length).unwrap_or("");
            let range = rest.get(length..).is_some_and(|tail| tail.starts_with('.'));
            let text = if range { text.strip_suffix('.').unwrap_or(text) } else { text };
            if text.is_empty() {
                return None;
            }
            cursor.at += text.len();
            Value::text(text)
        }
    })
}

/// `( … )`: the cursor stands at the opener.
fn round(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    cursor.bump();
    let begin = cursor.at;
    let value = statement::statements(reader, cursor, scope);
    let inside = cursor.text.get(begin..cursor.at).unwrap_or("").trim_start();
    cursor.take(')');
    match inside.strip_prefix('$').and_then(|rest| rest.split_once('=')) {
        // An assignment in parentheses has its value.
        Some((name, _)) if matches!(&value, Value::List(words) if words.is_empty()) => {
            value::get(scope, name.trim_end_matches(['+', ' ', '?']))
        }
        _ => value,
    }
}

fn at_sign(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    match cursor.ahead(1) {
        Some('(') => {
            cursor.bump();
            deeper(reader, cursor, scope, round)
        }
        Some('{') => {
            cursor.bump();
            let text = cursor.bracketed(reader);
            super::table::table(reader, text, scope)
        }
        Some(quote @ ('\'' | '"')) => match cursor.here_string(reader) {
            Some(end) => {
                let whole = cursor.text.get(cursor.at..end).unwrap_or("");
                cursor.at = end;
                let from = whole.find('\n').map_or(whole.len(), |at| at + 1);
                let body = whole.get(from..whole.len().saturating_sub(3)).unwrap_or("");
                if quote == '\'' {
                    return Value::text(body);
                }
                let mut inner = Cursor::new(body);
                Value::word(strings::interpolated(reader, &mut inner, scope, |_| false))
            }
            None => {
                cursor.bump();
                operand(reader, cursor, scope).unwrap_or_else(Value::none)
            }
        },
        _ => {
            // `@name`: a splatted variable.
            cursor.bump();
            let name = cursor.name(":").to_owned();
            match value::get(scope, &name) {
                Value::Table(pairs) => Value::List(
                    pairs
                        .into_iter()
                        .flat_map(|(key, value)| [Word::Literal(format!("-{key}")), value])
                        .collect(),
                ),
                other @ Value::List(_)
                | other @ Value::Block(_)
                | other @ Value::Bytes(_)
                | other @ Value::Type(_) => other,
            }
        }
    }
}

/// `[name]`: a cast of what follows, or a type with members.
fn type_name(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    let name = cursor.bracketed(reader).trim().to_ascii_lowercase();
    if cursor.starts("::") {
        return Value::Type(name);
    }
    cursor.blanks();
    let begins =
        cursor.peek().is_some_and(|c| "$'\"([@{".contains(c) || c.is_ascii_digit() || is_double(c));
    if !begins {
        return Value::Type(name);
    }
    let value = deeper(reader, cursor, scope, primary);
    match name.trim_end_matches("[]") {
        "char" => rewrite::characters(&value),
        "scriptblock" => value.literal().map_or(value, Value::Block),
        _ => value,
    }
}

/// `$name`, `${name}`, `$scope:name`, `$( … )`.
pub(super) fn variable(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
) -> Value {
    cursor.bump();
    match cursor.peek() {
        Some('(') => deeper(reader, cursor, scope, round),
        Some('{') => {
            let name = cursor.bracketed(reader).to_owned();
            value::get(scope, &name)
        }
        Some('$' | '?' | '^') => {
            cursor.bump();
            Value::unknown("$?")
        }
        _ => {
            let mut name = cursor.name("").to_owned();
            // `$env:NAME`, `$script:x`; a colon that ends the name belongs to the text.
            if cursor.is(':') && cursor.ahead(1).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                cursor.bump();
                name = format!("{name}:{}", cursor.name(""));
            }
            if name.is_empty() {
                return Value::text("$");
            }
            value::get(scope, &name)
        }
    }
}
