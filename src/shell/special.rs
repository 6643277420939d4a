//! Launchers whose grammar does not fit a table row: xargs, parallel, find, env, ssh, docker, …

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};

/// Runs one of them; `None` when the program is none.
pub(super) fn run(
    reader: &mut Reader<'_>,
    name: &str,
    call: &Call<'_>,
    scope: &mut Scope,
) -> Option<Printed> {
    match name {
        "env" => Some(env(reader, call, scope)),
        "xargs" | "gxargs" => Some(super::xargs::xargs(reader, call, scope)),
        "parallel" | "sem" => Some(super::xargs::parallel(reader, call, scope)),
        "find" | "gfind" | "fd" | "fdfind" => Some(super::xargs::find(reader, call, scope)),
        "su" => Some(su(reader, call, scope)),
        "ssh" | "autossh" | "sshpass" | "dbclient" => {
            Some(super::elsewhere::ssh(reader, call, scope))
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" => {
            Some(super::elsewhere::container(reader, call, scope))
        }
        "bwrap" => Some(super::elsewhere::bwrap(reader, call, scope)),
        "gdb" | "lldb" | "rr" => Some(debugger(reader, call, scope)),
        "at" | "batch" => {
            Some(super::shells::shell_input(reader, call.input, &mut scope.clone(), "at"))
        }
        "crontab" => Some(crontab(reader, call, scope)),
        "wsl" => Some(super::elsewhere::wsl(reader, call, scope)),
        "start" => Some(windows_start(reader, call, scope)),
        "nix" => Some(nix(reader, call, scope)),
        "socat" => Some(socat(reader, call, scope)),
        _ => super::hosted::run(reader, name, call, scope),
    }
}

/// `env [-i] [-u NAME] [-C DIR] [-S TEXT] [NAME=VALUE]… command`.
fn env(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut env = call.env.to_vec();
    let mut own = scope.clone();
    let mut index = 1;
    let mut split: Vec<Word> = Vec::new();
    while let Some(word) = call.argv.get(index) {
        let text = word.literal();
        match text {
            Some("-u" | "--unset" | "-a" | "--argv0") => index += 1,
            Some("-C" | "--chdir") => {
                index += 1;
                let dir = call.arg(index);
                own.cwd = dir.and_then(|dir| super::values::absolute(scope.cwd.as_deref(), dir));
            }
            Some("-S" | "--split-string") => {
                index += 1;
                split.extend(
                    call.argv
                        .get(index)
                        .and_then(Word::literal)
                        .map(split_string)
                        .unwrap_or_default(),
                );
            }
            Some(long) if long.starts_with("--chdir=") => {
                own.cwd =
                    super::values::absolute(scope.cwd.as_deref(), long.get(8..).unwrap_or(""));
            }
            Some(long) if long.starts_with("--split-string=") => {
                split.extend(split_string(long.get(15..).unwrap_or("")));
            }
            Some(short) if short.starts_with("-S") && short.len() > 2 => {
                split.extend(split_string(short.get(2..).unwrap_or("")));
            }
            Some(short) if short.starts_with("-vS") => index += 1,
            Some(option) if option.starts_with('-') => {}
            _ => match super::builtins::split_assignment(word) {
                Some(pair) => env.push(pair),
                None => break,
            },
        }
        index += 1;
    }
    let mut argv = split;
    argv.extend(call.argv.get(index..).unwrap_or(&[]).iter().cloned());
    while let Some(pair) = argv.first().and_then(super::builtins::split_assignment) {
        env.push(pair);
        argv.remove(0);
    }
    reader.launched("env", &argv, &own, call.input, &env)
}

/// The words of `env -S`: blanks and quotes, no expansion.
fn split_string(text: &str) -> Vec<Word> {
    let words = shell_words::split(text).unwrap_or_default();
    words.into_iter().map(Word::Literal).collect()
}

/// `su [-] [user] -c code`.
fn su(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    while let Some(word) = call.argv.get(index) {
        index += 1;
        let Some(text) = word.literal() else { continue };
        let bundled = text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
        if bundled || text == "--command" {
            let code = call.argv.get(index)?.clone();
            return reader.launched_code("su -c", &code, &[], scope, call.input);
        }
        if let Some(code) = text.strip_prefix("--command=") {
            return reader.launched_code(
                "su -c",
                &Word::Literal(code.to_owned()),
                &[],
                scope,
                call.input,
            );
        }
    }
    None
}

/// `gdb --args program…`, `gdb -ex 'shell code'`.
fn debugger(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    for (index, word) in call.argv.iter().enumerate() {
        let next = call.argv.get(index + 1);
        match word.literal() {
            Some("-ex" | "-eval-command" | "--eval-command" | "-o") => {
                let code = next.and_then(Word::literal).unwrap_or("");
                if let Some(code) = code.strip_prefix("shell ").or(code.strip_prefix('!')) {
                    reader.launched_code(
                        "gdb",
                        &Word::Literal(code.to_owned()),
                        &[],
                        scope,
                        &Stdin::Inherited,
                    );
                }
            }
            Some("--args" | "--" | "record") => {
                let rest = call.argv.get(index + 1..).unwrap_or(&[]).to_vec();
                return reader.launched("gdb --args", &rest, scope, call.input, call.env);
            }
            _ => {}
        }
    }
    None
}

/// `crontab -`: each line's command, after its five fields.
fn crontab(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let from_input =
        call.argv.len() == 1 || call.argv.iter().any(|word| word.literal() == Some("-"));
    let text = match call.input {
        Stdin::Text(text) if from_input => Some(text.clone()),
        Stdin::Unknown | Stdin::File(_) if from_input => {
            reader.note(What::Code, "lines of crontab");
            None
        }
        _ => call
            .arg(call.argv.len() - 1)
            .filter(|path| !path.starts_with('-'))
            .and_then(|path| reader.file_text(path, scope)),
    };
    for line in text.unwrap_or_default().lines().take(256) {
        let line = line.trim_start();
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest
                .find(char::is_whitespace)
                .and_then(|at| rest.get(at..))
                .unwrap_or("")
                .trim_start();
        }
        if !line.starts_with('#') && !rest.is_empty() {
            reader.launched_code(
                "crontab",
                &Word::Literal(rest.to_owned()),
                &[],
                scope,
                &Stdin::Inherited,
            );
        }
    }
    None
}

/// cmd's `start "title" /options command`.
fn windows_start(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    if call.arg(1).is_some_and(|title| title.is_empty() || title.contains(' ')) {
        index = 2;
    }
    while call.arg(index).is_some_and(|text| text.starts_with('/')) {
        index += 1;
    }
    let rest = call.argv.get(index..).unwrap_or(&[]).to_vec();
    reader.launched("start", &rest, scope, call.input, call.env)
}

/// `nix develop -c command`, `nix shell p --command command`.
fn nix(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let at =
        call.argv.iter().position(|word| matches!(word.literal(), Some("-c" | "--command")))?;
    let rest = call.argv.get(at + 1..).unwrap_or(&[]).to_vec();
    reader.launched("nix", &rest, scope, call.input, call.env)
}

/// `socat … EXEC:'command'` and `SYSTEM:'code'`.
fn socat(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    for word in call.argv.iter().skip(1).filter_map(Word::literal) {
        let upper = word.get(..7).unwrap_or(word).to_ascii_uppercase();
        let code = if upper.starts_with("EXEC:") {
            word.get(5..)
        } else if upper.starts_with("SYSTEM:") {
            word.get(7..)
        } else {
            None
        };
        if let Some(code) = code {
            reader.launched_code(
                "socat",
                &Word::Literal(code.to_owned()),
                &[],
                scope,
                &Stdin::Inherited,
            );
        }
    }
    None
}
