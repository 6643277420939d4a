//! What starts programs besides a command's own name: Start-Process, WMI, .NET, COM.

use crate::shell::eval::Reader;
use crate::shell::launch::join;
use crate::shell::scope::Scope;
use crate::shell::types::{Stdin, What, Word};

use super::command::Command;
use super::value::{self, Value};

pub(super) fn start_process(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let given = made.positional(&["filepath", "argumentlist", "args"]);
    let named = made.named(&["filepath"]);
    let skip = usize::from(named.is_none());
    let program = named.or_else(|| given.first().cloned()).unwrap_or_else(Value::none);
    let args = made
        .named(&["argumentlist", "args"])
        .or_else(|| given.get(skip).cloned())
        .unwrap_or_else(Value::none);
    let mut own = scope.clone();
    if let Some(place) = made.named(&["workingdirectory"]) {
        own.cwd = place.literal().and_then(|path| {
            crate::shell::directory::windows_absolute(scope.cwd.as_deref(), &path)
        });
    }
    launch(reader, &program, &args, &own, "Start-Process");
    Value::none()
}

/// Starts a program with arguments that are one command line or a list.
pub(super) fn launch(
    reader: &mut Reader<'_>,
    program: &Value,
    args: &Value,
    scope: &Scope,
    label: &'static str,
) {
    let mut argv = program.words();
    argv.truncate(1);
    if argv.is_empty() {
        argv.push(Word::hole("program", false));
    }
    // The list is joined to one line and the program splits it again.
    match args.joined(" ") {
        Word::Literal(line) => argv.extend(command_line(&line).into_iter().map(Word::Literal)),
        Word::OneOf(_) | Word::Partial(_) => argv.extend(args.words()),
    }
    crate::shell::cmd::fold_program(&mut argv);
    reader.launched(label, &argv, scope, &Stdin::Inherited, &[]);
}

/// Splits a Windows command line: blanks and double quotes.
fn command_line(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.peek() == Some(&'"') => {
                rest.next();
                word.get_or_insert_default().push('"');
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `Win32_Process.Create` with a command line.
pub(super) fn wmi(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let args = made.named(&["argumentlist", "arguments", "args"]);
    let line = match args {
        Some(Value::Table(pairs)) => pairs
            .into_iter()
            .find(|(key, _)| key.eq_ignore_ascii_case("commandline"))
            .map(|(_, line)| line),
        Some(other) => Some(other.joined(" ")),
        None => None,
    };
    if let Some(line) = line {
        started_line(reader, &line, scope);
    }
    Value::unknown("output")
}

fn started_line(reader: &mut Reader<'_>, line: &Word, scope: &Scope) {
    match line.literal() {
        Some(line) => {
            let mut argv: Vec<Word> = command_line(line).into_iter().map(Word::Literal).collect();
            crate::shell::cmd::fold_program(&mut argv);
            reader.launched("process", &argv, scope, &Stdin::Inherited, &[]);
        }
        None => reader.note(What::Program, "process"),
    }
}

/// `New-Object`: its later methods may start programs.
pub(super) fn new_object(reader: &mut Reader<'_>, made: &Command, scope: &mut Scope) -> Value {
    let class = made
        .named(&["typename", "comobject", "com"])
        .or_else(|| made.positional(&["argumentlist"]).first().cloned())
        .and_then(|class| class.literal())
        .unwrap_or_default();
    if class.to_ascii_lowercase().ends_with("processstartinfo") {
        let args = made.named(&["argumentlist"]).unwrap_or_else(Value::none).words();
        let given = made.positional(&["argumentlist"]);
        let args = if args.is_empty() {
            given.iter().skip(1).flat_map(Value::words).collect()
        } else {
            args
        };
        for (property, word) in [".filename", ".arguments"].iter().zip(args) {
            value::set(scope, property, &Value::word(word));
        }
    }
    let args = made.named(&["argumentlist"]).unwrap_or_else(Value::none).words();
    if let Some(out) = super::class::called(reader, scope, &class, "new", &args) {
        return out;
    }
    Value::word(Word::hole("object", false))
}

/// `[Diagnostics.ProcessStartInfo]::new(program, arguments)`.
pub(super) fn start_info(scope: &mut Scope, args: &[Value]) -> Value {
    for (property, given) in [".filename", ".arguments"].iter().zip(args) {
        value::set(scope, property, given);
    }
    Value::word(Word::hole("object", false))
}

/// `[powershell]::Create().AddCommand(name).AddArgument(word).Invoke()`, one call of it.
pub(super) fn built(
    reader: &mut Reader<'_>,
    scope: &mut Scope,
    name: &str,
    args: &[Value],
) -> Value {
    const PROGRAM: &str = ".built";
    let words = args.iter().flat_map(Value::words);
    match name {
        "addcommand" => value::set(scope, PROGRAM, &Value::List(words.take(1).collect())),
        "addargument" | "addparameter" => {
            let so_far = value::get(scope, PROGRAM).words().into_iter();
            value::set(scope, PROGRAM, &Value::List(so_far.chain(words).collect()));
        }
        _ => {
            let built = value::get(scope, PROGRAM);
            if !built.is_unknown() && built.len() > 0 {
                let mut argv = built.words();
                crate::shell::cmd::fold_program(&mut argv);
                reader.launched("[powershell]", &argv, scope, &Stdin::Inherited, &[]);
            }
        }
    }
    Value::word(Word::hole("object", false))
}

/// `[Diagnostics.Process]::Start(…)`.
pub(super) fn started(reader: &mut Reader<'_>, scope: &mut Scope, args: &[Value]) -> Value {
    let words: Vec<Word> = args.iter().flat_map(Value::words).collect();
    let Some(program) = words.first().filter(|word| word.literal().is_some()) else {
        return object_method(reader, scope, "start", &[]);
    };
    let program = Value::word(program.clone());
    let rest = Value::List(words.get(1..).unwrap_or(&[]).to_vec());
    launch(reader, &program, &rest, scope, "Process.Start");
    Value::unknown("process")
}

/// Methods of objects that start programs: `.Run(line)`, `.ShellExecute(program, line)`, `.Start()`.
pub(super) fn object_method(
    reader: &mut Reader<'_>,
    scope: &mut Scope,
    name: &str,
    args: &[Value],
) -> Value {
    let words: Vec<Word> = args.iter().flat_map(Value::words).collect();
    match name {
        "start" if words.is_empty() => {
            if scope.get("$.filename").is_some() {
                let program = value::get(scope, ".filename");
                let line = if scope.get("$.arguments").is_some() {
                    value::get(scope, ".arguments")
                } else {
                    Value::none()
                };
                launch(reader, &program, &line, scope, "Process.Start");
            }
        }
        "addscript" | "invokescript" => {
            let code = join(&words);
            super::code(reader, "script", &code, scope);
        }
        "shellexecute" => {
            let program = Value::List(words.get(..1).unwrap_or(&[]).to_vec());
            let line = Value::List(words.get(1..2).unwrap_or(&[]).to_vec());
            launch(reader, &program, &line, scope, "ShellExecute");
        }
        _ => {
            if let Some(line) = words.first() {
                started_line(reader, line, scope);
            }
        }
    }
    Value::word(Word::hole("object", false))
}
