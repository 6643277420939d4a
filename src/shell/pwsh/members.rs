//! Members and methods of values, and the operators that rewrite strings.

use crate::shell::eval::Reader;
use crate::shell::scope::Scope;
use crate::shell::types::{Stdin, What, Word};

use super::class;
use super::cursor::Cursor;
use super::expression;
use super::function;
use super::keeping;
use super::rewrite;
use super::starting;
use super::statement;
use super::value::{self, Value};

/// What stands after an operand: `.name`, `::name`, `[…]`, `( … )`.
pub(super) fn postfix(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    scope: &mut Scope,
    value: Value,
) -> Value {
    let mut value = value;
    loop {
        if !reader.spend(1) {
            return value;
        }
        if cursor.starts("?.") || cursor.starts("?[") {
            cursor.bump();
        }
        if cursor.is('[') {
            let text = cursor.bracketed(reader);
            let mut inner = Cursor::new(text);
            let index = expression::deeper(reader, &mut inner, scope, expression::expression);
            value = indexed(&value, &index);
            continue;
        }
        let linked = cursor.starts("::")
            || cursor.is('.')
                && cursor.ahead(1).is_some_and(|c| c.is_alphabetic() || "_$'\"(".contains(c));
        if !linked {
            return value;
        }
        cursor.at += if cursor.starts("::") { 2 } else { 1 };
        let name = match cursor.peek() {
            Some('$' | '\'' | '"' | '(') => expression::operand(reader, cursor, scope)
                .and_then(|name| name.literal())
                .unwrap_or_default(),
            _ => cursor.name("").to_owned(),
        };
        let name = name.to_ascii_lowercase();
        let block = (cursor.is('{')).then(|| Value::Block(cursor.bracketed(reader).to_owned()));
        if cursor.is('(') {
            let args = expression::deeper(reader, cursor, scope, arguments_list);
            let args = match args {
                Value::List(words) => words.into_iter().map(Value::word).collect(),
                other @ Value::Block(_)
                | other @ Value::Bytes(_)
                | other @ Value::Table(_)
                | other @ Value::Type(_) => vec![other],
            };
            value = method(reader, scope, &value, &name, &args);
        } else if let Some(block) = block {
            value = method(reader, scope, &value, &name, &[block]);
        } else {
            value = property(&value, &name);
        }
    }
}

/// The arguments of a method: words, or a single value of another kind.
fn arguments_list(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
    cursor.bump();
    let mut words = Vec::new();
    let mut only = None;
    loop {
        cursor.gap();
        if cursor.done() || cursor.is(')') || !reader.spend(1) {
            break;
        }
        let before = cursor.at;
        // Arguments are separated by commas, so a comma is no array here.
        match expression::expression(reader, cursor, scope) {
            Value::List(more) => words.extend(more),
            other @ Value::Block(_)
            | other @ Value::Bytes(_)
            | other @ Value::Table(_)
            | other @ Value::Type(_) => only = Some(other),
        }
        cursor.gap();
        cursor.take(',');
        if cursor.at == before {
            cursor.bump();
        }
    }
    cursor.take(')');
    match only {
        Some(value) if words.is_empty() => value,
        _ => Value::List(words),
    }
}

/// Keeps what one variable, entry or property is given.
pub(super) fn assigned(
    scope: &mut Scope,
    name: &str,
    index: Option<&str>,
    given: Value,
    append: bool,
    listed: bool,
) {
    let listed = listed || append && value::is_listed(scope, name);
    let own = match append {
        true if listed => value::get(scope, name).and(given),
        true => statement::added(value::get(scope, name), given),
        false => given,
    };
    if let Some((_, property)) = name.split_once('.').filter(|_| !name.contains(':')) {
        set_entry(scope, name, property, &own);
    } else if let Some(index) = index {
        set_entry(scope, name, index.trim().trim_matches(['\'', '"']), &own);
    } else {
        value::set(scope, name, &own);
        if listed {
            value::set_listed(scope, name);
        }
    }
}

/// `$name.key = value` and `$name['key'] = value`: an entry of a table, or an object's property.
fn set_entry(scope: &mut Scope, name: &str, key: &str, given: &Value) {
    let own = name.split_once('.').map_or(name, |(own, _)| own);
    if let Value::Table(mut pairs) = value::get(scope, own)
        && pairs.len() < 256
    {
        pairs.retain(|(known, _)| !known.eq_ignore_ascii_case(key));
        pairs.push((key.to_owned(), given.joined(" ")));
        value::set(scope, own, &Value::Table(pairs));
    }
    value::set(scope, &format!(".{key}"), given);
}

fn property(value: &Value, name: &str) -> Value {
    match (value, name) {
        // What `Get-Command` found, spelled any way, and the text of a block.
        (
            Value::List(_) | Value::Block(_),
            "source" | "path" | "definition" | "name" | "fullname" | "value" | "tostring"
            | "scriptblock" | "ast" | "commandtext",
        ) => value.clone(),
        (Value::Table(pairs), _) => pairs
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map_or_else(Value::none, |(_, found)| Value::word(found.clone())),
        (Value::Type(own), _) if own.len() < 256 => Value::Type(format!("{own}.{name}")),
        (Value::Type(_), _) => Value::unknown("type"),
        (_, "length" | "count") => Value::word(Word::hole("count", false)),
        _ => Value::word(Word::hole(name, false)),
    }
}

fn indexed(value: &Value, index: &Value) -> Value {
    if let Value::Table(pairs) = value {
        let key = index.literal().unwrap_or_default();
        return pairs
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(&key))
            .map_or_else(|| Value::unknown("entry"), |(_, found)| Value::word(found.clone()));
    }
    // One element of a list that has one: the list may have been a string, which is rare.
    if let (Value::List(words), Some("0" | "-1")) = (value, index.literal().as_deref())
        && words.len() == 1
    {
        return value.clone();
    }
    let items: Vec<Word> = match value {
        Value::List(words) => match words.as_slice() {
            [Word::Literal(text)] => {
                text.chars().take(4096).map(|c| Word::Literal(c.to_string())).collect()
            }
            _ => words.clone(),
        },
        Value::Block(_) | Value::Bytes(_) | Value::Table(_) | Value::Type(_) => {
            return Value::unknown("element");
        }
    };
    let mut out = Vec::new();
    for word in index.words() {
        let Some(at) = word.literal().and_then(|text| text.parse::<i64>().ok()) else {
            return Value::unknown("element");
        };
        let at = if at < 0 { at + i64::try_from(items.len()).unwrap_or(0) } else { at };
        out.extend(usize::try_from(at).ok().and_then(|at| items.get(at)).cloned());
    }
    if items.iter().any(|item| matches!(item, Word::Partial(_))) {
        return Value::unknown("element");
    }
    Value::List(out)
}

fn method(
    reader: &mut Reader<'_>,
    scope: &mut Scope,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Value {
    if let Value::Type(class) = value {
        return static_method(reader, scope, class, name, args);
    }
    let words = |args: &[Value]| args.iter().flat_map(Value::words).collect::<Vec<_>>();
    if value.is_unknown()
        && let Some(out) = class::called(reader, scope, "", name, &words(args))
    {
        return out;
    }
    match (name, value) {
        (
            "invoke" | "invokereturnasis" | "invokewithcontext" | "begininvoke",
            Value::Block(text),
        ) => function::with_arguments(reader, "block", text, &words(args), scope),
        ("foreach" | "where", _) => match args.first() {
            Some(Value::Block(body)) => statement::each(reader, "foreach", "_", body, value, scope),
            _ => Value::unknown(name),
        },
        ("getstring", _) => rewrite::decoded("utf8", args),
        ("newscriptblock", _) => {
            args.first().and_then(Value::literal).map_or_else(|| Value::unknown(name), Value::Block)
        }
        ("addcommand" | "addargument" | "addparameter" | "invoke" | "begininvoke", _) => {
            starting::built(reader, scope, name, args)
        }
        (
            "run" | "exec" | "shellexecute" | "start" | "create" | "addscript" | "invokescript",
            _,
        ) => starting::object_method(reader, scope, name, args),
        _ => text_method(value, name, args),
    }
}

/// Methods of strings.
fn text_method(value: &Value, name: &str, args: &[Value]) -> Value {
    let literal = |index: usize| args.get(index).and_then(Value::literal);
    let number = |index: usize| literal(index).and_then(|text| text.parse::<usize>().ok());
    match (name, value) {
        ("replace", _) => match (literal(0), literal(1)) {
            (Some(from), Some(to)) => rewrite::exchanged(value, &from, &to),
            _ => Value::word(Word::hole("replace", false)),
        },
        ("tolower" | "tolowerinvariant", _) => rewrite::mapped(value, str::to_lowercase),
        ("toupper" | "toupperinvariant", _) => rewrite::mapped(value, str::to_uppercase),
        ("trim" | "trimstart" | "trimend", _) => {
            rewrite::mapped(value, |text| text.trim().to_owned())
        }
        (
            "tostring" | "tochararray" | "getnewclosure" | "clone",
            Value::List(_) | Value::Block(_),
        ) => {
            if name == "tochararray" {
                return rewrite::characters(value);
            }
            value.clone()
        }
        ("substring", _) => {
            let from = literal(0).unwrap_or_default();
            let length = literal(1).map_or(String::new(), |length| format!(":{length}"));
            rewrite::mapped(value, |text| {
                crate::shell::changes::cut(text, &format!("{from}{length}"))
            })
        }
        ("remove", _) => {
            let from = number(0).unwrap_or(0);
            let length = number(1).unwrap_or(usize::MAX);
            rewrite::mapped(value, |text| {
                let skipped = from.saturating_add(length);
                text.chars().take(from).chain(text.chars().skip(skipped)).collect()
            })
        }
        ("insert", _) => {
            let from = number(0).unwrap_or(0);
            let with = literal(1).unwrap_or_default();
            rewrite::mapped(value, |text| {
                let head: String = text.chars().take(from).collect();
                let tail: String = text.chars().skip(from).collect();
                head + &with + &tail
            })
        }
        ("split", _) => {
            rewrite::split(value, &Value::text(literal(0).map_or(r"\s+".to_owned(), |t| t)))
        }
        _ => Value::word(Word::hole(name, false)),
    }
}

fn static_method(
    reader: &mut Reader<'_>,
    scope: &mut Scope,
    class: &str,
    name: &str,
    args: &[Value],
) -> Value {
    let class = class.trim_start_matches("system.");
    let first = args.first().cloned().unwrap_or_else(Value::none);
    match (class, name) {
        ("scriptblock", "create") => match first.literal() {
            Some(text) => Value::Block(text),
            None => {
                reader.note(What::Code, "script block");
                Value::unknown("script block")
            }
        },
        ("diagnostics.process", "start") => starting::started(reader, scope, args),
        ("diagnostics.processstartinfo", "new") => starting::start_info(scope, args),
        ("convert", "frombase64string") => {
            match first.literal().and_then(|text| crate::shell::decode::base64(&text)) {
                Some(bytes) => Value::Bytes(bytes),
                None => Value::unknown("base64"),
            }
        }
        ("convert", "tochar") => rewrite::characters(&first),
        ("string", "join") => {
            let rest: Vec<Word> = args.iter().skip(1).flat_map(Value::words).collect();
            Value::word(Value::List(rest).joined(&first.literal().unwrap_or_default()))
        }
        ("string", "concat") => {
            Value::word(Value::List(args.iter().flat_map(Value::words).collect()).joined(""))
        }
        ("string", "format") => {
            let rest: Vec<Word> = args.iter().skip(1).flat_map(Value::words).collect();
            rewrite::formatted(&first, &rest)
        }
        ("environment", "setenvironmentvariable") => {
            if let (Some(name), Some(given)) = (first.literal(), args.get(1)) {
                value::set(scope, &format!("env:{name}"), given);
            }
            Value::none()
        }
        ("environment", "getenvironmentvariable") => match first.literal() {
            Some(name) => value::get(scope, &format!("env:{name}")),
            None => Value::unknown("environment"),
        },
        ("array", "reverse") => Value::none(),
        ("powershell", "create") => Value::word(Word::hole("object", false)),
        ("io.file" | "io.directory", _) => file_method(reader, scope, name, args),
        _ if name == "getstring" => rewrite::decoded(class, args),
        _ => {
            let words: Vec<Word> = args.iter().flat_map(Value::words).collect();
            class::called(reader, scope, class, name, &words)
                .unwrap_or_else(|| Value::word(Word::hole(name, false)))
        }
    }
}

/// Methods of `[IO.File]` and `[IO.Directory]`.
fn file_method(reader: &mut Reader<'_>, scope: &mut Scope, name: &str, args: &[Value]) -> Value {
    let words: Vec<Word> = args.iter().flat_map(Value::words).collect();
    match name {
        "readalltext" => words
            .first()
            .and_then(Word::literal)
            .and_then(|path| reader.known_text(&path.replace('\\', "/"), scope))
            .map_or_else(|| Value::unknown("file"), Value::text),
        "writealltext" | "writealllines" | "appendalltext" => {
            keeping::written(reader, scope, "[IO.File]", &words);
            Value::none()
        }
        "delete" | "move" | "copy" | "replace" => {
            let mut argv = vec![Word::Literal(format!("[IO.File]::{name}"))];
            argv.extend(words);
            reader.invocation(argv, scope, Vec::new(), Stdin::Inherited, &[]);
            Value::none()
        }
        _ => Value::word(Word::hole(name, false)),
    }
}
