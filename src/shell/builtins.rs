//! The shell's own commands that change what later commands mean.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::{Scope, Value};
use super::types::{Stdin, What, Word};

/// Runs a builtin; `None` when the command is none of these. Each leaves an invocation as well.
pub(super) fn run(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Option<Printed> {
    let name = call.arg(0)?;
    let printed = match name {
        "cd" | "pushd" => cd(call, scope),
        "popd" => {
            scope.cwd = None;
            silent()
        }
        "eval" => return Some(eval(reader, call, scope)),
        "source" | "." => return Some(source(reader, call, scope)),
        "command" | "builtin" | "exec" | "nocorrect" | "noglob" => {
            return Some(passed_on(reader, call, scope));
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => declare(call, scope),
        "unset" => {
            for word in call.argv.iter().skip(1).filter_map(Word::literal) {
                scope.unset(word);
            }
            silent()
        }
        "set" => set(call, scope),
        "shift" => shift(call, scope),
        "read" | "mapfile" | "readarray" => read(call, scope),
        "trap" => return Some(trap(reader, call, scope)),
        "alias" => alias(reader, call, scope),
        "unalias" => {
            scope.aliases = Rc::default();
            silent()
        }
        "printf" if call.arg(1) == Some("-v") => printf_variable(call, scope),
        ":" | "true" | "false" | "test" | "[" | "wait" | "shopt" | "return" | "exit" | "let"
        | "hash" | "ulimit" | "umask" | "bind" | "fc" | "history" | "disown" | "jobs" | "fg"
        | "bg" | "break" | "continue" | "getopts" | "times" => silent(),
        _ => return None,
    };
    reader.record(call, scope);
    Some(printed)
}

fn silent() -> Printed {
    Some(String::new())
}

fn cd(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let operand = call
        .argv
        .iter()
        .skip(1)
        .find(|word| word.literal().is_none_or(|text| !text.starts_with('-') || text == "-"));
    let next = match operand {
        None => None,
        Some(word) => match word.literal() {
            Some("-") => scope.scalar("OLDPWD").and_then(|old| old.literal().map(str::to_owned)),
            None => None,
            Some(path) => super::values::absolute(scope.cwd.as_deref(), path),
        },
    };
    if let Some(old) = scope.cwd.clone() {
        scope.set("OLDPWD", Value::Scalar(Word::Literal(old)));
    } else {
        scope.unset("OLDPWD");
    }
    // In a branch it may not have run: then the place is not known.
    scope.cwd = if scope.conditional > 0 && next != scope.cwd { None } else { next };
    silent()
}

fn eval(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut code = Word::empty();
    for (index, word) in call.argv.iter().skip(1).enumerate() {
        if index > 0 {
            code.push_text(" ");
        }
        code.push_word(word);
    }
    reader.record(call, scope);
    let Some(texts) = code.as_code() else {
        reader.note(What::Code, "eval");
        return None;
    };
    let mut printed = None;
    for text in texts {
        printed = reader.code("eval", &text, scope, call.input);
    }
    printed
}

fn source(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    reader.record(call, scope);
    let file = call.argv.get(1)?.clone();
    if matches!(file.literal(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) {
        return super::shells::shell_input(reader, call.input, scope, "source");
    }
    let args: Vec<Word> = call.argv.iter().skip(2).cloned().collect();
    if args.is_empty() {
        // A sourced file without arguments sees the caller's.
        let own: Vec<Word> = scope.args.iter().skip(1).cloned().collect();
        return reader.script_file(&file, "source", &own, scope);
    }
    reader.script_file(&file, "source", &args, scope)
}

/// `command`, `builtin`, `exec`: the rest is the command, but for `command -v`.
fn passed_on(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        if option == "--" {
            break;
        }
        if call.arg(0) == Some("command") && option.contains(['v', 'V']) {
            reader.record(call, scope);
            return super::output::looked_up(call.argv.get(index));
        }
        if call.arg(0) == Some("exec") && option.ends_with('a') {
            index += 1;
        }
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    if rest.is_empty() {
        reader.record(call, scope);
        return Some(String::new());
    }
    if call.arg(0) == Some("command") {
        let mut own = scope.clone();
        own.functions = Rc::default();
        let printed = reader.inside("command", |reader| {
            reader.run(rest.to_vec(), &mut own, call.redirects.to_vec(), call.input, call.env)
        });
        scope.cwd = own.cwd;
        scope.vars = own.vars;
        return printed;
    }
    let label = if call.arg(0) == Some("exec") { "exec" } else { "builtin" };
    reader.inside(label, |reader| {
        reader.run(rest.to_vec(), scope, call.redirects.to_vec(), call.input, call.env)
    })
}

fn declare(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let export = call.arg(0) == Some("export")
        || call
            .argv
            .iter()
            .skip(1)
            .filter_map(Word::literal)
            .any(|text| text.starts_with('-') && text.contains('x') && !text.starts_with("--"));
    for word in call.argv.iter().skip(1) {
        let Some((name, value)) = split_assignment(word) else {
            if let (true, Some(name)) =
                (export, word.literal().filter(|text| !text.starts_with('-')))
            {
                scope.export(name);
            }
            continue;
        };
        if !matches!(scope.get(&name), Some(Value::Array(_)) if value.literal() == Some("")) {
            scope.set(&name, Value::Scalar(value));
        }
        if export {
            scope.export(&name);
        }
    }
    silent()
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
                    super::types::Piece::Text(text) if index == 0 => {
                        value.push_text(text.get(cut..).unwrap_or(""));
                    }
                    super::types::Piece::Text(text) => value.push_text(text),
                    other @ super::types::Piece::Glob(_)
                    | other @ super::types::Piece::Hole { .. } => value.push_piece(other.clone()),
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

/// `set -- a b`: new positional parameters.
fn set(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with(['-', '+'])) {
        index += 1;
        if option == "--" {
            let first = scope.args.first().cloned().unwrap_or(Word::empty());
            let rest = call.argv.get(index..).unwrap_or(&[]);
            scope.args = super::scope::positional(first, rest);
            return silent();
        }
        if option == "-o" || option == "+o" {
            index += 1;
        }
    }
    if call.argv.len() > index {
        let first = scope.args.first().cloned().unwrap_or(Word::empty());
        let rest = call.argv.get(index..).unwrap_or(&[]);
        scope.args = super::scope::positional(first, rest);
    }
    silent()
}

fn shift(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let count: usize = call.arg(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let args = Rc::make_mut(&mut scope.args);
    let end = (count + 1).min(args.len());
    if end > 1 && !args.iter().any(Word::is_many) {
        args.drain(1..end);
    }
    silent()
}

/// `read a b`: the values are the lines of a known input, else unknown.
fn read(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut names = Vec::new();
    let mut index = 1;
    let mut array = call.arg(0) != Some("read");
    while let Some(text) = call.arg(index) {
        index += 1;
        if let Some(option) = text.strip_prefix('-') {
            let is_read = call.arg(0) == Some("read");
            array |= is_read && option.ends_with('a');
            let valued: &[char] = if is_read {
                &['d', 'i', 'n', 'N', 'p', 't', 'u']
            } else {
                &['d', 'n', 'O', 's', 'u', 'C', 'c']
            };
            if option.ends_with(valued) {
                index += 1;
            }
            continue;
        }
        names.push(text.to_owned());
    }
    if names.is_empty() {
        names.push(if array { "MAPFILE".into() } else { "REPLY".into() });
    }
    let separators = call
        .env
        .iter()
        .find(|(name, _)| name == "IFS")
        .and_then(|(_, value)| value.literal().map(str::to_owned))
        .unwrap_or_else(|| scope.separators());
    let Stdin::Text(text) = call.input else {
        for name in names {
            scope.set(&name, Value::Scalar(Word::hole(format!("${name}"), true)));
        }
        return silent();
    };
    if array {
        let words = text
            .split(|c| c == '\n' || separators.contains(c))
            .filter(|word| !word.is_empty())
            .take(256)
            .map(|word| Word::Literal(word.to_owned()))
            .collect();
        if let Some(name) = names.first() {
            scope.set(name, Value::Array(words));
        }
        return silent();
    }
    let lines: Vec<&str> = text.lines().take(64).collect();
    let last = names.len().saturating_sub(1);
    for (column, name) in names.iter().enumerate() {
        let values = lines.iter().map(|line| column_of(line, column, last, &separators)).collect();
        scope.set(name, Value::Scalar(Word::one_of(values)));
    }
    silent()
}

/// The field that variable number `column` gets; the last one gets the rest of the line.
fn column_of(line: &str, column: usize, last: usize, separators: &str) -> String {
    if last == 0 && separators.is_empty() {
        return line.to_owned();
    }
    let mut rest = line.trim_matches(|c| separators.contains(c));
    for _ in 0..column {
        let Some(at) = rest.find(|c| separators.contains(c)) else { return String::new() };
        rest = rest.get(at..).unwrap_or("").trim_start_matches(|c| separators.contains(c));
    }
    if column < last {
        rest = rest.split(|c| separators.contains(c)).next().unwrap_or("");
    }
    rest.to_owned()
}

fn trap(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    reader.record(call, scope);
    let index = if call.arg(1) == Some("--") { 2 } else { 1 };
    let code = call.argv.get(index)?;
    if call.argv.len() > index + 1 && !matches!(code.literal(), Some("-" | "" | "-p" | "-l")) {
        let code = code.clone();
        let mut own_scope = scope.clone();
        for text in code.as_code().unwrap_or_default() {
            reader.code("trap", &text, &mut own_scope, &Stdin::Inherited);
        }
        if code.as_code().is_none() {
            reader.note(What::Code, "trap");
        }
    }
    silent()
}

fn alias(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let line = reader.line;
    for word in call.argv.iter().skip(1) {
        let Some((name, text)) = word.literal().and_then(|text| text.split_once('=')) else {
            continue;
        };
        if scope.aliases.len() < 256 {
            Rc::make_mut(&mut scope.aliases).insert(name.to_owned(), (text.to_owned(), line));
        }
    }
    silent()
}

fn printf_variable(call: &Call<'_>, scope: &mut Scope) -> Printed {
    if let (Some(name), Some(args)) = (call.arg(2), call.known(3)) {
        let text = args
            .split_first()
            .map_or(String::new(), |(format, rest)| super::decode::printf(format, rest));
        scope.set(name, Value::Scalar(Word::Literal(text)));
    } else if let Some(name) = call.arg(2) {
        scope.set(name, Value::Scalar(Word::hole(format!("${name}"), false)));
    }
    silent()
}
