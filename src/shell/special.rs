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
        "env" => Some(super::env::env(reader, call, scope)),
        "xargs" | "gxargs" => Some(super::xargs::xargs(reader, call, scope)),
        "parallel" | "sem" => Some(super::xargs::parallel(reader, call, scope)),
        "find" | "gfind" | "fd" | "fdfind" => Some(super::xargs::find(reader, call, scope)),
        "su" => Some(su(reader, call, scope)),
        "runuser" if !matches!(call.arg(1), Some("-u" | "--user")) => Some(su(reader, call, scope)),
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
        "wmic" => Some(wmic(reader, call, scope)),
        "cargo" if cargo_binary(call).is_some() => {
            let (mut argv, after) = cargo_binary(call)?;
            argv.extend(call.argv.get(after..).unwrap_or(&[]).iter().cloned());
            Some(reader.launched("cargo run", &argv, scope, call.input, call.env))
        }
        "nix" => Some(nix(reader, call, scope)),
        "socat" => Some(socat(reader, call, scope)),
        _ => super::hosted::run(reader, name, call, scope),
    }
}

/// `cargo run --bin name -- arguments`: the program and the place of its arguments.
fn cargo_binary(call: &Call<'_>) -> Option<(Vec<Word>, usize)> {
    let at = |text: &str| call.argv.iter().position(|word| word.literal() == Some(text));
    let run = at("run").or_else(|| at("r"))?;
    let end = at("--").unwrap_or(call.argv.len());
    let options = call.argv.get(run + 1..end)?;
    let named = options.iter().enumerate().find_map(|(index, word)| match word.literal()? {
        "--bin" | "-p" | "--package" => options.get(index + 1).and_then(Word::literal),
        text => text.strip_prefix("--bin="),
    });
    Some((vec![Word::Literal(named?.to_owned())], end + 1))
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
        Stdin::Inherited | Stdin::Text(_) | Stdin::File(_) | Stdin::Unknown => call
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

/// `wmic process call create "line"`.
fn wmic(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let at = call
        .argv
        .iter()
        .position(|word| word.literal().is_some_and(|text| text.eq_ignore_ascii_case("create")))?;
    let line = call.argv.get(at + 1)?.literal()?.to_owned();
    super::cmd::code(reader, "wmic", &line, scope, &Stdin::Inherited)
}

/// cmd's `start "title" /options command`.
fn windows_start(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    if call.arg(1).is_some_and(|title| title.is_empty() || title.contains(' ')) {
        index = 2;
    }
    let mut own = scope.clone();
    while let Some(text) = call.arg(index).filter(|text| text.starts_with('/') || text.is_empty()) {
        index += 1;
        if text.eq_ignore_ascii_case("/d") {
            own.cwd = call
                .arg(index)
                .and_then(|path| super::directory::windows_absolute(scope.cwd.as_deref(), path));
            index += 1;
        }
    }
    let scope = &own;
    let rest = call.argv.get(index..).unwrap_or(&[]).to_vec();
    reader.launched("start", &rest, scope, call.input, call.env)
}

/// `nix develop -c command`, `nix shell p --command command`.
fn nix(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    if call.arg(1) == Some("run") {
        return nix_run(reader, call, scope);
    }
    let at =
        call.argv.iter().position(|word| matches!(word.literal(), Some("-c" | "--command")))?;
    let rest = call.argv.get(at + 1..).unwrap_or(&[]).to_vec();
    reader.launched("nix", &rest, scope, call.input, call.env)
}

/// `nix run flake#program -- arguments`.
fn nix_run(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let flake = call.argv.iter().skip(2).filter_map(Word::literal).find(|w| !w.starts_with('-'))?;
    let program = flake.rsplit(['#', '/', ':', '.']).next().unwrap_or(flake);
    let dashes = call.argv.iter().position(|word| word.literal() == Some("--"));
    let mut argv = vec![Word::Literal(program.to_owned())];
    argv.extend(dashes.and_then(|at| call.argv.get(at + 1..)).unwrap_or(&[]).iter().cloned());
    reader.launched("nix run", &argv, scope, call.input, call.env)
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
