//! The shell's own commands that change what later commands mean.

use std::rc::Rc;

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::{Scope, Value};
use super::types::{Source, Stdin, What, Word};

/// Builtins whose words may be variables' names, subscripts included.
const NAMING: &[&str] =
    &["test", "[", "unset", "printf", "read", "mapfile", "readarray", "wait", "declare", "local"];

/// Runs a builtin; `None` when the command is none of these. Each leaves an invocation as well.
pub(super) fn run(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Option<Printed> {
    let name = call.arg(0)?;
    if NAMING.contains(&name) {
        super::subscript::words(reader, call.argv, scope);
    }
    let printed = match name {
        "cd" | "pushd" => cd(reader, call, scope),
        "popd" => {
            scope.cwd = None;
            silent()
        }
        "eval" => return Some(eval(reader, call, scope)),
        "source" | "." => return Some(source(reader, call, scope)),
        "command" | "builtin" | "exec" | "nocorrect" | "noglob" => {
            return Some(passed_on(reader, call, scope));
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            super::declare::declare(reader, call, scope)
        }
        "unset" => super::declare::unset(reader, call, scope),
        "set" => {
            super::subscript::traced(reader, call, scope);
            set(call, scope)
        }
        "shift" => shift(call, scope),
        "read" | "mapfile" | "readarray" => super::input::read(reader, call, scope),
        "getopts" => super::input::getopts(call, scope),
        "let" => calculate(reader, call, scope),
        "break" | "continue" | "return" | "exit" => leave(reader, call, scope),
        "shopt" if call.argv.iter().any(|word| word.can_be("expand_aliases")) => {
            scope.expands = call.arg(1) == Some("-s") && scope.conditional == 0;
            silent()
        }
        "shopt" | "setopt" => {
            super::glob::option(&mut reader.globbing, call.argv);
            silent()
        }
        "trap" => return Some(trap(reader, call, scope)),
        "alias" => alias(reader, call, scope),
        "unalias" => unalias(call, scope),
        "printf" if call.arg(1) == Some("-v") => printf_variable(call, scope),
        "hash" => {
            super::lookup::hash(call, scope);
            silent()
        }
        "enable" => {
            super::lookup::enable(reader, call);
            silent()
        }
        "compgen" => {
            super::lookup::compgen(reader, call, scope);
            None
        }
        ":" | "true" | "false" | "test" | "[" | "wait" | "ulimit" | "umask" | "bind" | "fc"
        | "history" | "disown" | "jobs" | "fg" | "bg" | "times" => silent(),
        _ => return None,
    };
    reader.record(call, scope);
    Some(printed)
}

/// `let`: each word is arithmetic.
fn calculate(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    for text in call.argv.iter().skip(1).filter_map(Word::literal) {
        reader.arithmetic(&super::tree::Raw::quoted(text), scope);
    }
    silent()
}

/// `break`, `continue`, `return`, `exit`: what follows here does not run.
fn leave(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    // With more words, or other ones, they only complain.
    if call.argv.len() > 2 {
        return silent();
    }
    match call.arg(0) {
        Some("return") => reader.jump(None, scope),
        Some("exit") => scope.gone = true,
        _ => {
            let loops = match call.argv.get(1) {
                None => Some(1),
                Some(word) => word.literal().and_then(|text| text.parse().ok()),
            };
            if let Some(loops) = loops.filter(|loops| *loops > 0) {
                reader.jump(Some(loops), scope);
            }
        }
    }
    silent()
}

fn unalias(call: &Call<'_>, scope: &mut Scope) -> Printed {
    let aliases = Rc::make_mut(&mut scope.aliases);
    for word in call.argv.iter().skip(1) {
        match word.literal() {
            Some("-a") => aliases.clear(),
            Some(name) => drop(aliases.remove(name)),
            None => scope.expands = false,
        }
    }
    silent()
}

fn silent() -> Printed {
    Some(String::new())
}

fn cd(reader: &Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let operand = call
        .argv
        .iter()
        .skip(1)
        .find(|word| word.literal().is_none_or(|text| !text.starts_with('-') || text == "-"));
    let next = match operand {
        // `cd` alone goes home; `pushd` alone goes back.
        None if call.arg(0) == Some("cd") => reader.home.clone(),
        None => None,
        Some(word) => match word.literal() {
            Some("-") => scope.scalar("OLDPWD").and_then(|old| old.literal().map(str::to_owned)),
            None => super::listing::spelled(word)
                .and_then(|path| super::directory::absolute(scope.cwd.as_deref(), &path)),
            Some(path) => super::directory::absolute(scope.cwd.as_deref(), path),
        },
    };
    if let Some(old) = scope.cwd.clone() {
        scope.set("OLDPWD", Value::Scalar(Word::Literal(old)));
    } else {
        scope.unset("OLDPWD");
    }
    let path = operand.and_then(Word::literal).filter(|path| *path != "-");
    let searched = searched(call, scope, path);
    let is_there = next.as_ref().is_some_and(|next| {
        matches!(next.as_str(), "/" | "/tmp")
            || reader.home.as_ref() == Some(next)
            || reader.made.contains(next)
    });
    scope.go(next, path);
    if is_there {
        // It cannot fail.
        scope.if_failed = Rc::default();
    }
    scope.may_be_in(searched);
    silent()
}

/// The directories of `CDPATH` that a relative path may be found in.
fn searched(call: &Call<'_>, scope: &Scope, path: Option<&str>) -> Vec<String> {
    let own = call.env.iter().find(|(name, _)| name == "CDPATH").map(|(_, value)| value.clone());
    let searched = own.or_else(|| scope.scalar("CDPATH"));
    let (Some(path), Some(searched)) = (path, searched.as_ref().and_then(Word::literal)) else {
        return Vec::new();
    };
    if path.starts_with(['/', '.']) {
        return Vec::new();
    }
    let folders = searched.split(':').take(8).filter(|folder| !folder.is_empty());
    let found = folders.filter_map(|folder| {
        super::directory::absolute(scope.cwd.as_deref(), &format!("{folder}/{path}"))
    });
    found.collect()
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
        reader.unknown_word(What::Code, &code, "eval");
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
    reader.returning(scope, |reader, scope| {
        if args.is_empty() {
            // A sourced file without arguments sees the caller's, and may change them.
            let text = file.literal().and_then(|path| reader.file_text(path, scope));
            if let Some(text) = text {
                return reader.code("source", &text, scope, call.input);
            }
        }
        reader.script_file(&file, "source", &args, scope)
    })
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
        if !call.redirects.is_empty() {
            // What is read or written from here on goes another way than it is followed.
            reader.source(Source::Text);
        }
        reader.record(call, scope);
        return Some(String::new());
    }
    let label = match call.arg(0) {
        Some("command") => "command",
        Some("exec") => "exec",
        _ => "builtin",
    };
    if label != "builtin" {
        let functions = std::mem::take(&mut scope.functions);
        let printed = reader.inside(label, |reader| {
            reader.run(rest.to_vec(), scope, call.redirects.to_vec(), call.input, call.env)
        });
        let new = std::mem::replace(&mut scope.functions, functions);
        if !new.is_empty() {
            let all = new.iter().map(|(name, bodies)| (name.clone(), bodies.clone()));
            scope.functions_mut().extend(all);
        }
        return printed;
    }
    reader.inside(label, |reader| {
        reader.run(rest.to_vec(), scope, call.redirects.to_vec(), call.input, call.env)
    })
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
        let sets = option.starts_with('-');
        if option == "-o" || option == "+o" {
            if call.arg(index) == Some("allexport") {
                scope.exports_all = sets;
            }
            index += 1;
        } else if option.contains('a') {
            scope.exports_all = sets;
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

fn trap(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    reader.record(call, scope);
    let index = if call.arg(1) == Some("--") { 2 } else { 1 };
    let code = call.argv.get(index)?;
    if call.argv.len() <= index + 1 || matches!(code.literal(), Some("-p" | "-l")) {
        return silent();
    }
    if matches!(code.literal(), Some("-" | "")) {
        scope.traps = Rc::default();
        return silent();
    }
    let Some(texts) = code.as_code() else {
        reader.unknown_word(What::Code, code, "trap");
        return silent();
    };
    // At the end of the shell only, or between any two commands that follow, each time on what it
    // left.
    let signals = call.argv.get(index + 1..).unwrap_or(&[]);
    let at_end = signals.iter().all(|word| matches!(word.literal(), Some("EXIT" | "0")));
    for text in texts.iter().filter(|_| !at_end) {
        let mut own = scope.clone();
        reader.code("trap", text, &mut own, &Stdin::Inherited);
        if !own.same(scope) {
            reader.code("trap", text, &mut own, &Stdin::Inherited);
        }
    }
    if scope.traps.len() < 16 && !scope.traps.contains(code) {
        Rc::make_mut(&mut scope.traps).push(code.clone());
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
            Rc::make_mut(&mut scope.aliases).insert(name.to_owned(), (text.to_owned(), line + 1));
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
