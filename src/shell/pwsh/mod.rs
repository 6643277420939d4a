//! PowerShell text, and what `pwsh` and `powershell` are given.

mod class;
mod cmdlets;
mod command;
mod cursor;
mod expression;
mod function;
mod keeping;
mod members;
mod rewrite;
mod starting;
mod statement;
mod strings;
mod table;
mod value;
mod words;

use super::eval::{Printed, Reader};
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Dialect, Stdin, What, Word};
use value::Value;

/// Reads a PowerShell text.
pub(super) fn text(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) -> Printed {
    run(reader, text, scope).printed()
}

/// Runs a text in the scope at hand.
fn run(reader: &mut Reader<'_>, text: &str, scope: &mut Scope) -> Value {
    let mut cursor = cursor::Cursor::new(text);
    let mut out = Value::none();
    while !cursor.done() && reader.spend(1) {
        let before = cursor.at;
        out = out.and(statement::statements(reader, &mut cursor, scope));
        if cursor.at == before || !cursor.done() {
            // A stray closer: skip it and go on.
            cursor.bump();
        }
    }
    out
}

/// Runs a text one level deeper.
fn inside(reader: &mut Reader<'_>, label: &'static str, text: &str, scope: &mut Scope) -> Value {
    if !reader.spend(1 + text.len() / 4) {
        return Value::unknown("steps");
    }
    reader
        .inside(label, |reader| {
            let value = run(reader, text, scope);
            reader.leave(Dialect::PowerShell, text);
            Some(value)
        })
        .unwrap_or_else(|| Value::unknown("depth"))
}

/// Reads a word as the code of a PowerShell of its own.
fn code(reader: &mut Reader<'_>, label: &'static str, code: &Word, scope: &Scope) -> Printed {
    let Some(texts) = code.as_code() else {
        reader.note(What::Code, &super::types::spell(std::slice::from_ref(code)));
        return None;
    };
    let mut printed = None;
    for text in texts {
        let mut own = scope.clone();
        printed = inside(reader, label, &text, &mut own).printed();
    }
    printed
}

/// A script file, read as PowerShell.
fn script(reader: &mut Reader<'_>, file: &Word, args: &[Word], scope: &mut Scope) -> Value {
    let path = file.literal().map(|path| path.replace('\\', "/"));
    match path.as_deref().and_then(|path| reader.file_text(path, scope)) {
        Some(text) => function::with_arguments(reader, "script", &text, args, scope),
        None => {
            reader.note(What::Script, &super::types::spell(std::slice::from_ref(file)));
            Value::unknown("script")
        }
    }
}

/// The parameters of `pwsh`, each known by any beginning of its name.
const PARAMETERS: &[(&str, Takes)] = &[
    ("command", Takes::Code),
    ("encodedcommand", Takes::Encoded),
    ("encodedarguments", Takes::Value),
    ("ec", Takes::Encoded),
    ("executionpolicy", Takes::Value),
    ("ep", Takes::Value),
    ("ex", Takes::Value),
    ("file", Takes::File),
    ("configurationname", Takes::Value),
    ("configurationfile", Takes::Value),
    ("custompipename", Takes::Value),
    ("inputformat", Takes::Value),
    ("outputformat", Takes::Value),
    ("psconsolefile", Takes::Value),
    ("settingsfile", Takes::Value),
    ("version", Takes::Value),
    ("windowstyle", Takes::Value),
    ("workingdirectory", Takes::Directory),
    ("wd", Takes::Directory),
    ("commandwithargs", Takes::Code),
    ("cwa", Takes::Code),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Code,
    Encoded,
    File,
    Value,
    Directory,
}

fn parameter(word: &str) -> Option<(Option<Takes>, Option<&str>)> {
    let body = word.strip_prefix("--").or(word.strip_prefix(['-', '/', '–', '—']))?;
    if body.is_empty() {
        return None;
    }
    let (name, value) = body.split_once(':').map_or((body, None), |(n, v)| (n, Some(v)));
    let name = name.to_ascii_lowercase();
    let takes = PARAMETERS.iter().find(|(full, _)| full.starts_with(&name)).map(|(_, t)| *t);
    Some((takes, value))
}

/// `pwsh -Command …`, `-EncodedCommand`, `-File`, or code on standard input.
pub(super) fn program(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let mut own = super::shells::with_env(scope, call);
    let mut index = 1;
    while let Some(word) = call.argv.get(index) {
        let Some((takes, attached)) = word.literal().and_then(parameter) else { break };
        index += 1;
        let Some(takes) = takes else { continue };
        let value = match attached {
            Some(text) => Some(Word::Literal(text.to_owned())),
            None => call.argv.get(index).cloned(),
        };
        let after = index + usize::from(attached.is_none());
        match takes {
            Takes::Code => {
                let mut words: Vec<Word> = value.into_iter().collect();
                words.extend(call.argv.get(after..).unwrap_or(&[]).iter().cloned());
                if words.len() == 1 && words.first().and_then(Word::literal) == Some("-") {
                    return input(reader, call.input, &own);
                }
                return code(reader, "pwsh -Command", &join(&words), &own);
            }
            Takes::Encoded => {
                let bytes = value.as_ref().and_then(Word::literal).and_then(super::decode::base64);
                let Some(bytes) = bytes else {
                    reader.note(What::Code, "encoded command");
                    return None;
                };
                let text = Word::Literal(super::decode::utf16le(&bytes));
                return code(reader, "pwsh -EncodedCommand", &text, &own);
            }
            Takes::File => {
                let file = value?;
                if file.literal() == Some("-") {
                    return input(reader, call.input, &own);
                }
                let args = call.argv.get(after..).unwrap_or(&[]);
                return script(reader, &file, args, &mut own).printed();
            }
            Takes::Directory => {
                own.cwd = value
                    .as_ref()
                    .and_then(Word::literal)
                    .and_then(|path| super::directory::windows_absolute(own.cwd.as_deref(), path));
                index = after;
            }
            Takes::Value => index = after,
        }
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    let Some(first) = rest.first() else { return input(reader, call.input, &own) };
    // pwsh takes a file here, Windows PowerShell a command: the ending tells.
    if first.literal().is_some_and(|text| text.to_ascii_lowercase().ends_with(".ps1")) {
        return script(reader, first, rest.get(1..).unwrap_or(&[]), &mut own).printed();
    }
    code(reader, "powershell", &join(rest), &own)
}

fn input(reader: &mut Reader<'_>, input: &Stdin, scope: &Scope) -> Printed {
    match input {
        Stdin::Text(text) => code(reader, "pwsh -", &Word::Literal(text.clone()), scope),
        Stdin::File(file) => script(reader, file, &[], &mut scope.clone()).printed(),
        Stdin::Unknown => {
            reader.note(What::Code, "standard input of a shell");
            None
        }
        Stdin::Inherited => None,
    }
}
