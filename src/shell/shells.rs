//! Shells: the code in their arguments, on their input, in their files.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// Whether a program reads posix shell code.
pub(super) fn is_shell(name: &str) -> bool {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "ksh93"
            | "mksh"
            | "ash"
            | "rbash"
            | "fish"
            | "yash"
            | "hush"
    )
}

pub(super) fn shell(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let (mut code, mut input, mut idle) = (false, false, false);
    let mut index = 1;
    while let Some(option) =
        call.arg(index).filter(|text| text.len() > 1 && text.starts_with(['-', '+']))
    {
        index += 1;
        match option {
            "--" => break,
            "--rcfile" | "--init-file" => {
                if let Some(file) = call.argv.get(index).cloned() {
                    reader.script_file(&file, "--rcfile", &[], &mut scope.clone());
                }
                index += 1;
            }
            "--version" | "--help" => return None,
            long if long.starts_with("--") => {}
            letters => {
                code |= letters.contains('c') && letters.starts_with('-');
                input |= letters.contains('s');
                idle |= letters.contains('n') && letters.starts_with('-');
                if letters.ends_with(['o', 'O']) {
                    super::glob::option(&mut reader.globbing, call.argv.get(index));
                    index += 1;
                }
            }
        }
    }
    if code && call.arg(index) == Some("--") {
        index += 1;
    }
    if idle {
        return Some(String::new());
    }
    let rest = call.argv.get(index..).unwrap_or(&[]);
    let Some((first, args)) = rest.split_first() else {
        return shell_input(reader, call.input, &mut with_env(scope, call), "sh");
    };
    let mut own = with_env(scope, call);
    if code {
        let plain = zsh_code(reader, call, first);
        let first = plain.as_ref().unwrap_or(first);
        let args: Vec<Word> =
            if args.is_empty() { vec![Word::Literal("bash".into())] } else { args.to_vec() };
        return reader.launched_code("sh -c", first, &args, &own, call.input);
    }
    if input {
        own.args = std::rc::Rc::new(
            [Word::Literal("bash".into())].into_iter().chain(rest.iter().cloned()).collect(),
        );
        return shell_input(reader, call.input, &mut own, "sh -s");
    }
    if matches!(first.literal(), Some("/dev/stdin" | "/dev/fd/0" | "-" | "/proc/self/fd/0")) {
        return shell_input(reader, call.input, &mut own, "sh");
    }
    let printed = reader.script_file(first, "sh file", args, &mut own);
    reader.finish(&mut own);
    printed
}

/// zsh's code without the marks on its globs that only zsh has; they say what globs match.
fn zsh_code(reader: &mut Reader<'_>, call: &Call<'_>, code: &Word) -> Option<Word> {
    if call.arg(0).is_none_or(|path| super::program::base_name(path) != "zsh") {
        return None;
    }
    reader.globbing.deep = true;
    let plain = super::glob::unqualified(code.literal()?)?;
    reader.globbing.hidden = true;
    Some(Word::Literal(plain))
}

/// The scope of a child process: it sees what the call's own assignments give it.
pub(super) fn with_env(scope: &Scope, call: &Call<'_>) -> Scope {
    let mut own = scope.child();
    for (name, value) in call.env {
        own.set(name, super::scope::Value::Scalar(value.clone()));
        own.export(name);
    }
    own
}

/// Reads a shell's standard input as code.
pub(super) fn shell_input(
    reader: &mut Reader<'_>,
    input: &Stdin,
    scope: &mut Scope,
    label: &'static str,
) -> Printed {
    match input {
        Stdin::Text(text) => {
            let text = text.clone();
            let printed = reader.code(label, &text, scope, &Stdin::Inherited);
            if label != "source" {
                reader.finish(scope);
            }
            printed
        }
        Stdin::File(file) => {
            let file = file.clone();
            reader.script_file(&file, label, &[], scope)
        }
        Stdin::Unknown => {
            reader.unknown_input("standard input of a shell");
            None
        }
        Stdin::Inherited => None,
    }
}

/// Whether a bare word names a script by its ending.
pub(super) fn is_script(path: &str) -> bool {
    [".sh", ".bash", ".py", ".js", ".mjs", ".ps1"].iter().any(|end| path.ends_with(end))
}

/// `./script`: read when the file is a shell script or this text wrote it.
pub(super) fn own_script(
    reader: &mut Reader<'_>,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    let path = call.arg(0)?.to_owned();
    if super::program::memory_program(&path, false).is_some() {
        return None;
    }
    let Some(text) = reader.file_text(&path, scope) else {
        // A program elsewhere is a program; a path beside the work is likely a script.
        let near = path.starts_with("./") || path.starts_with("../") || is_script(&path);
        if near {
            reader.note(super::types::What::Script, &path);
        }
        return None;
    };
    let args: Vec<Word> = call.argv.iter().skip(1).cloned().collect();
    let first = text.lines().next().unwrap_or("");
    let Some(shebang) = first.strip_prefix("#!") else {
        let mut own = with_env(scope, call);
        return Some(reader.script_file(&Word::Literal(path), "script", &args, &mut own));
    };
    let mut words: Vec<Word> =
        shebang.split_whitespace().map(|word| Word::Literal(word.to_owned())).collect();
    words.push(Word::Literal(path));
    words.extend(args);
    Some(reader.launched("#!", &words, scope, call.input, call.env))
}
