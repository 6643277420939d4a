//! One command of cmd.exe: its words, its own commands, or a program.

use crate::shell::eval::{Printed, Reader};
use crate::shell::launch::join;
use crate::shell::run::Call;
use crate::shell::scope::Scope;
use crate::shell::types::{Redirect, Stdin, What, Word, spell};

use super::variables;
use super::words::{Parsed, parse};

/// Runs one command.
pub(super) fn run(
    reader: &mut Reader<'_>,
    text: &str,
    scope: &mut Scope,
    input: &Stdin,
) -> Printed {
    let text = variables::expand_delayed(text, scope);
    if !reader.spend(text.len() / 8) {
        return None;
    }
    let parsed = parse(&text, scope);
    if parsed.argv.is_empty() {
        return redirected(reader, &text, Some(String::new()), scope);
    }
    let input = own_input(reader, &parsed.redirects, scope).unwrap_or_else(|| input.clone());
    let printed = dispatch(reader, &parsed, scope, &input);
    reader.routed(printed, &parsed.redirects, scope)
}

/// Redirections that stand after a group.
pub(super) fn redirected(
    reader: &mut Reader<'_>,
    text: &str,
    printed: Printed,
    scope: &mut Scope,
) -> Printed {
    let parsed = parse(text, scope);
    if parsed.redirects.is_empty() {
        return printed;
    }
    record(reader, &Parsed { argv: vec![Word::Literal("(".into())], ..parsed }, scope, printed)
}

fn record(
    reader: &mut Reader<'_>,
    parsed: &Parsed,
    scope: &mut Scope,
    printed: Printed,
) -> Printed {
    let redirects = parsed.redirects.clone();
    reader.invocation(parsed.argv.clone(), scope, redirects, Stdin::Inherited, &[]);
    reader.routed(printed, &parsed.redirects, scope)
}

fn own_input(reader: &mut Reader<'_>, redirects: &[Redirect], scope: &Scope) -> Option<Stdin> {
    let redirect = redirects.iter().find(|redirect| redirect.op == "<")?;
    Some(reader.file_input(&redirect.target, scope))
}

fn dispatch(reader: &mut Reader<'_>, parsed: &Parsed, scope: &mut Scope, input: &Stdin) -> Printed {
    let Some(name) = parsed.argv.first().and_then(Word::literal) else {
        reader.note(What::Program, &spell(&parsed.argv));
        let (argv, redirects) = (parsed.argv.clone(), parsed.redirects.clone());
        reader.invocation(argv, scope, redirects, input.clone(), &[]);
        return None;
    };
    let lower = name.to_ascii_lowercase();
    let builtin = match lower.as_str() {
        "set" => {
            assign(&parsed.tail, scope);
            Some(Some(String::new()))
        }
        "cd" | "chdir" | "pushd" => {
            change_directory(parsed, scope);
            Some(Some(String::new()))
        }
        "setlocal" => {
            if parsed.tail.to_ascii_lowercase().contains("enabledelayedexpansion") {
                variables::delay(scope);
            }
            Some(Some(String::new()))
        }
        "exit" | "goto" | "cls" | "endlocal" | "title" | "color" | "shift" | "pause" | "ver"
        | "vol" | "path" | "prompt" | "popd" | "assoc" | "ftype" | "verify" | "del" | "erase"
        | "copy" | "move" | "ren" | "rename" | "md" | "rd" | "dir" | "mklink" => {
            Some(Some(String::new()))
        }
        echo if echo == "echo" || echo.starts_with("echo.") || echo.starts_with("echo:") => {
            Some(Some(parsed.tail.trim().to_owned() + "\n"))
        }
        "type" => {
            let path = parsed.argv.get(1).and_then(Word::literal);
            Some(path.and_then(|path| reader.known_text(path, scope)))
        }
        _ => None,
    };
    let redirects = parsed.redirects.clone();
    if let Some(printed) = builtin {
        reader.invocation(parsed.argv.clone(), scope, redirects, input.clone(), &[]);
        return printed;
    }
    match lower.as_str() {
        "start" if parsed.tail.trim_start().starts_with('"') && parsed.argv.len() > 2 => {
            // The first quoted word is a title; quotes are gone from the words.
            let mut argv = parsed.argv.clone();
            argv.remove(1);
            let untitled = Parsed { argv, redirects, tail: String::new() };
            program(reader, &untitled, scope, input)
        }
        "call" => called(reader, parsed, scope, input),
        "cmd" | "cmd.exe" => {
            reader.invocation(parsed.argv.clone(), scope, redirects, input.clone(), &[]);
            super::raw_program(reader, &parsed.tail, scope, input)
        }
        _ => program(reader, parsed, scope, input),
    }
}

fn program(reader: &mut Reader<'_>, parsed: &Parsed, scope: &mut Scope, input: &Stdin) -> Printed {
    let mut argv = parsed.argv.clone();
    fold_program(&mut argv);
    if !reader.spend(argv.len() + 1) {
        return None;
    }
    let call = Call { argv: &argv, redirects: &parsed.redirects, input, env: &[] };
    if let Some(printed) = batch(reader, &call, scope) {
        return printed;
    }
    reader.program(&call, scope)
}

/// Windows knows a program by its name in any case.
pub(in crate::shell) fn fold_program(argv: &mut [Word]) {
    let Some(Word::Literal(path)) = argv.first_mut() else { return };
    let base = crate::shell::base_name(path).len();
    let from = path.len().saturating_sub(base);
    if let Some(tail) = path.get_mut(from..) {
        tail.make_ascii_lowercase();
    }
}

/// A batch file: read when it can be, noted when it cannot and is no well-known program.
pub(in crate::shell) fn batch(
    reader: &mut Reader<'_>,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    let path = call.arg(0)?.to_owned();
    if crate::shell::memory_program(&path, true).is_some() {
        return None;
    }
    let ends = [".bat", ".cmd"].iter().any(|end| path.ends_with(end));
    let (spelled, text) = if ends {
        let spelled = path.replace('\\', "/");
        let text = reader.file_text(&spelled, scope);
        (spelled, text)
    } else {
        // Only what this text wrote itself: a bare name is looked up on the machine otherwise.
        [".bat", ".cmd"].iter().find_map(|end| {
            let spelled = format!("{}{end}", path.replace('\\', "/"));
            let text = reader.known_text(&spelled, scope)?;
            Some((spelled, Some(text)))
        })?
    };
    let Some(text) = text else {
        let base = crate::shell::base_name(&path);
        if !INSTALLED.iter().any(|name| base.strip_prefix(name).is_some_and(|end| end.len() == 4)) {
            reader.note(What::Script, &spelled);
        }
        return None;
    };
    reader.record(call, scope);
    Some(super::code(reader, "batch file", &text, scope, call.input))
}

/// Well-known programs that come as batch files.
const INSTALLED: &[&str] = &[
    "npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "bunx", "code", "tsc", "tsx", "eslint",
    "jest", "vitest", "gcloud", "az", "mvn", "gradlew", "gradle", "corepack", "claude", "codex",
    "nodemon", "prettier", "vite", "next",
];

/// `call command`: its `%NAME%`s are replaced once more. `call :label` stays in the text.
fn called(reader: &mut Reader<'_>, parsed: &Parsed, scope: &mut Scope, input: &Stdin) -> Printed {
    let tail = parsed.tail.trim();
    if tail.starts_with(':') {
        return Some(String::new());
    }
    let text = variables::expand(&tail.replace("%%", "%"), scope);
    reader.inside("call", |reader| run(reader, &text, scope, input))
}

/// `set NAME=value`, `set "NAME=value"`, `set /p NAME=`.
fn assign(tail: &str, scope: &mut Scope) {
    let tail = tail.trim_start();
    let (asks, tail) = match tail.get(..2) {
        Some("/p" | "/P" | "/a" | "/A") => (true, tail.get(2..).unwrap_or("").trim_start()),
        _ => (false, tail),
    };
    let body = match tail.strip_prefix('"') {
        Some(inner) => inner.rfind('"').and_then(|end| inner.get(..end)).unwrap_or(inner),
        None => tail,
    };
    let Some((name, value)) = body.split_once('=') else { return };
    let value = if asks { Word::hole(format!("%{name}%"), false) } else { plain(value) };
    variables::set(scope, name.trim(), value);
}

/// A text with its `^`s taken off.
fn plain(text: &str) -> Word {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '^' => out.extend(characters.next()),
            other => out.push(other),
        }
    }
    Word::Literal(out)
}

fn change_directory(parsed: &Parsed, scope: &mut Scope) {
    let words: Vec<Word> = parsed
        .argv
        .iter()
        .skip(1)
        .filter(|word| !word.literal().is_some_and(|text| text.eq_ignore_ascii_case("/d")))
        .cloned()
        .collect();
    if words.is_empty() {
        return;
    }
    let path = join(&words);
    let next = path
        .literal()
        .and_then(|path| crate::shell::directory::windows_absolute(scope.cwd.as_deref(), path));
    scope.cwd = if scope.conditional > 0 && next != scope.cwd { None } else { next };
}

/// The values of a `for` loop's set.
pub(super) fn set_values(
    reader: &mut Reader<'_>,
    kind: char,
    options: &str,
    set: &str,
    scope: &mut Scope,
) -> Vec<String> {
    let unknown = || vec![super::UNKNOWN.to_owned()];
    match kind {
        'f' => {
            let set = set.trim();
            let inner =
                |mark: char| set.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
            let command = if options.contains("usebackq") { inner('`') } else { inner('\'') };
            let text = match command {
                Some(command) => {
                    let command = command.to_owned();
                    super::code(reader, "for /f", &command, scope, &Stdin::Inherited)
                }
                None => inner('"').map(str::to_owned),
            };
            let Some(text) = text else { return unknown() };
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(str::to_owned).take(16).collect()
        }
        'l' => {
            let numbers: Vec<i64> =
                set.split(',').filter_map(|part| part.trim().parse().ok()).collect();
            let [from, step, to] = numbers.as_slice() else { return unknown() };
            if *step <= 0 || to < from || (to - from) / step > 15 {
                return unknown();
            }
            (0..=(to - from) / step).map(|n| (from + n * step).to_string()).collect()
        }
        _ if set.contains(['*', '?']) || kind != ' ' => unknown(),
        _ => set
            .split([' ', ',', ';', '\t', '\n'])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .take(16)
            .collect(),
    }
}

/// The body with `%i`, `%%i` and `%~i` replaced.
pub(super) fn with_loop_variable(body: &str, name: &str, value: &str) -> String {
    if name.is_empty() {
        return body.to_owned();
    }
    let plain = value.trim_matches('"');
    let mut text = body.to_owned();
    for (mark, value) in [
        (format!("%%~{name}"), plain),
        (format!("%%{name}"), value),
        (format!("%~{name}"), plain),
        (format!("%{name}"), value),
    ] {
        if text.len() < 262_144 {
            text = crate::shell::changes::replaced(&text, &mark, value).unwrap_or(text);
        }
    }
    text
}
