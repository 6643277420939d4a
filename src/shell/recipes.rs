//! Recipes: make, just and npm scripts, read from their files; and npm's ways to start a program.

use super::eval::Reader;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};

/// `make`, `just`, `task`: the recipe text of a readable file, whatever its target.
pub(super) fn make(reader: &mut Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) {
    if name == "just" && just_command(reader, call, scope) {
        return;
    }
    let mut texts = Vec::new();
    let mut unread = None;
    let mut directory = inside(call, scope);
    let mut runs = Runs::All;
    let mut index = 1;
    while let Some(word) = call.argv.get(index) {
        index += 1;
        let Some(text) = word.literal() else { continue };
        let next = call.arg(index);
        match text {
            "-f" | "--file" | "--makefile" | "--justfile" | "-t" | "--taskfile" => {
                let text = match (next, call.input) {
                    (Some("-" | "/dev/stdin"), Stdin::Text(input)) => Some(input.clone()),
                    (Some(path), _) => reader.file_text(path, &directory),
                    (None, _) => None,
                };
                match text {
                    Some(text) => texts.push(text),
                    None => unread = Some(next.unwrap_or("makefile").to_owned()),
                }
                index += 1;
            }
            "-C" | "--directory" => index += 1,
            "-d" | "--working-directory" => {
                directory.cwd =
                    next.and_then(|dir| super::directory::absolute(scope.cwd.as_deref(), dir));
                index += 1;
            }
            "--eval" => texts.push(next.unwrap_or("").to_owned()),
            "-n" | "--dry-run" | "--just-print" | "--recon" | "--dry" => runs = Runs::Marked,
            _ => {
                texts.extend(text.strip_prefix("--eval=").map(str::to_owned));
                given(text, &mut directory);
            }
        }
    }
    if texts.is_empty() && unread.is_none() {
        let names: &[&str] = match name {
            "just" => &["justfile", "Justfile", ".justfile"],
            "task" => &["Taskfile.yml", "Taskfile.yaml"],
            "ninja" => &["build.ninja"],
            _ => &["GNUmakefile", "makefile", "Makefile"],
        };
        match names.iter().find_map(|file| reader.file_text(file, &directory)) {
            Some(text) => texts.push(text),
            None => unread = Some(names.first().copied().unwrap_or("recipe").to_owned()),
        }
    }
    if let Some(path) = unread {
        reader.note(What::Script, &path);
    }
    for text in texts {
        recipe(reader, &text, runs, &directory);
    }
}

/// Where `make -C DIRECTORY` works: it goes there first, wherever the option stands.
fn inside(call: &Call<'_>, scope: &Scope) -> Scope {
    let mut own = scope.clone();
    let is_option = |word: &Word| matches!(word.literal(), Some("-C" | "--directory"));
    if let Some(at) = call.argv.iter().position(is_option) {
        let folder = call.arg(at + 1);
        own.cwd = folder.and_then(|dir| super::directory::absolute(scope.cwd.as_deref(), dir));
    }
    own
}

/// `make NAME=value`.
fn given(text: &str, scope: &mut Scope) {
    if let Some((name, value)) = variable(text) {
        scope.set(name, super::scope::Value::Scalar(Word::Literal(value.to_owned())));
        scope.export(name);
    }
}

/// `just --command program …`.
fn just_command(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> bool {
    let is_option = |word: &Word| matches!(word.literal(), Some("-c" | "--command"));
    let Some(at) = call.argv.iter().position(is_option) else { return false };
    let rest = call.argv.get(at + 1..).unwrap_or(&[]);
    reader.launched("just --command", rest, scope, call.input, call.env);
    true
}

/// Which lines of a recipe run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    All,
    /// `make -n`: only those that are marked with a plus or call make.
    Marked,
}

/// The command lines of a make-like text: indented lines, and what stands after `target: ;`.
fn recipe(reader: &mut Reader<'_>, text: &str, runs: Runs, scope: &Scope) {
    let mut code = String::new();
    for line in text.lines() {
        if let Some((name, value)) = variable(line) {
            code.push_str(&format!("{name}=\"{value}\"\n"));
            continue;
        }
        let indented = line.starts_with(['\t', ' ']);
        let inline =
            (!indented).then(|| line.split_once(": ;").or(line.split_once(":;"))).flatten();
        let command = if indented {
            Some(line.trim_start())
        } else {
            inline.map(|(_, rest)| rest.trim_start())
        };
        let marked = |command: &&str| {
            command.starts_with(['@', '-', '+'])
                && command.trim_start_matches(['@', '-']).starts_with('+')
                || command.contains("$(MAKE)")
        };
        if let Some(command) = command.filter(|line| runs == Runs::All || marked(line)) {
            code.push_str(command.trim_start_matches(['@', '-', '+']));
            code.push('\n');
        }
        if let Some(at) = line.find("$(shell ") {
            code.push_str(line.get(at + 8..).unwrap_or("").trim_end_matches(')'));
            code.push('\n');
        }
    }
    // make's own `$$` is the shell's `$`.
    let code = as_variables(&code).replace("$$", "$");
    reader.launched_code("recipe", &Word::Literal(code), &[], scope, &Stdin::Inherited);
}

/// A line that gives a variable of make's a value.
fn variable(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', ' ', '!']);
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && !value.contains('"')).then(|| (name, value.trim()))
}

/// `$(NAME)` as the shell's `${NAME}`.
fn as_variables(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("$(") {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let inner = tail.get(2..).unwrap_or("");
        let end =
            inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
        let named = end > 0 && inner.get(end..).is_some_and(|tail| tail.starts_with(')'));
        if named && !before.ends_with('$') {
            out.push_str(&format!("${{{}}}", inner.get(..end).unwrap_or("")));
            rest = inner.get(end + 1..).unwrap_or("");
        } else {
            out.push_str("$(");
            rest = inner;
        }
    }
    out + rest
}

/// Options of npm and its kin that take the next word.
const VALUED: &[&str] = &[
    "-p",
    "--package",
    "-w",
    "--workspace",
    "--prefix",
    "-C",
    "--dir",
    "--filter",
    "-F",
    "--cwd",
    "--registry",
    "--cache",
];

/// npm and its kin: scripts of package.json, and programs of packages.
pub(super) fn node(reader: &mut Reader<'_>, name: &str, call: &Call<'_>, scope: &Scope) {
    let mut index = 1;
    let mut direct = matches!(name, "npx" | "bunx" | "pnpx");
    let mut own = scope.clone();
    while let Some(text) = call.arg(index) {
        if matches!(text, "-c" | "--call") {
            if let Some(code) = call.argv.get(index + 1).cloned() {
                reader.launched_code("npx -c", &code, &[], &own, call.input);
            }
            return;
        }
        if matches!(text, "--prefix" | "-C" | "--dir" | "--cwd") {
            own.cwd = call
                .arg(index + 1)
                .and_then(|dir| super::directory::absolute(scope.cwd.as_deref(), dir));
        }
        if VALUED.contains(&text) {
            index += 2;
            continue;
        }
        if text.starts_with('-') && text != "--" {
            index += 1;
            continue;
        }
        if text == "--" {
            index += 1;
            break;
        }
        if !direct && text == "workspace" {
            index += 2;
            continue;
        }
        if !direct && matches!(text, "exec" | "x" | "dlx") {
            direct = true;
            index += 1;
            continue;
        }
        break;
    }
    let Some(first) = call.arg(index).map(str::to_owned) else { return };
    if !direct && script(reader, name, &first, index, call, &own) {
        return;
    }
    // `npm exec cortex -- delete-memory`: the dashes are npm's.
    let rest: Vec<Word> = call
        .argv
        .get(index..)
        .unwrap_or(&[])
        .iter()
        .enumerate()
        .filter(|(at, word)| !(*at == 1 && word.literal() == Some("--")))
        .map(|(_, word)| word.clone())
        .collect();
    if direct || matches!(name, "yarn" | "pnpm" | "bun") {
        reader.launched("package program", &rest, &own, call.input, call.env);
    }
}

/// Verbs of the package managers themselves.
const VERBS: &[&str] = &[
    "install",
    "i",
    "ci",
    "add",
    "remove",
    "rm",
    "uninstall",
    "update",
    "up",
    "upgrade",
    "init",
    "create",
    "publish",
    "pack",
    "link",
    "unlink",
    "list",
    "ls",
    "outdated",
    "audit",
    "config",
    "view",
    "info",
    "search",
    "login",
    "logout",
    "version",
    "cache",
    "why",
    "dedupe",
    "prune",
    "rebuild",
    "bin",
    "root",
    "set",
    "get",
    "help",
    "store",
    "import",
    "fetch",
    "patch",
    "deploy",
    "workspaces",
    "workspace",
    "plugin",
    "node",
    "pm",
    "build",
];

/// Whether `first` is a package manager's own verb or a script; runs the script.
fn script(
    reader: &mut Reader<'_>,
    name: &str,
    first: &str,
    index: usize,
    call: &Call<'_>,
    scope: &Scope,
) -> bool {
    let (target, lifecycle) = match first {
        "run" | "run-script" | "rum" => (call.arg(index + 1).unwrap_or(""), true),
        "test" | "t" | "tst" | "start" | "stop" | "restart" => (first, true),
        other => (other, false),
    };
    if !lifecycle && VERBS.contains(&first) {
        return true;
    }
    // `bun run FILE` is an interpreter's business and was seen before.
    let text = reader.file_text("package.json", scope);
    let Some(text) = text else {
        if lifecycle {
            reader.note(What::Script, "package.json");
        }
        if lifecycle && name != "npm" {
            // yarn, pnpm and bun look for a program of that name too.
            let rest = call.argv.get(index + 1..).unwrap_or(&[]).to_vec();
            reader.launched("package program", &rest, scope, call.input, call.env);
        }
        return lifecycle || name == "npm";
    };
    let body = json_script(&text, target);
    match body {
        Some(body) => {
            let mut code = body;
            let extra = call.argv.iter().skip(index + if lifecycle { 2 } else { 1 });
            for word in extra.filter(|word| word.literal() != Some("--")) {
                code.push(' ');
                code.push_str(&word.literal().map_or_else(
                    || "$__unknown".to_owned(),
                    |text| shell_words::quote(text).into_owned(),
                ));
            }
            reader.launched_code(
                "package script",
                &Word::Literal(code),
                &[],
                scope,
                &Stdin::Inherited,
            );
            true
        }
        None => lifecycle || name == "npm",
    }
}

/// The text of one script in package.json, without a JSON library: the file is only searched.
fn json_script(text: &str, name: &str) -> Option<String> {
    let scripts = text.get(text.find("\"scripts\"")?..)?;
    let key = format!("\"{name}\"");
    let after = scripts
        .get(scripts.find(&key)? + key.len()..)?
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    let body = after.strip_prefix('"')?;
    let mut out = String::new();
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return Some(out),
            '\\' => match characters.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    None
}
