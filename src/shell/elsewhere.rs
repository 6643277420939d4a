//! Other machines and containers: ssh, docker, bwrap, wsl.

use super::eval::{Printed, Reader};
use super::launch::join;
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, What, Word};

/// `ssh [options] host command…`: the words are joined and read by a shell over there.
pub(super) fn ssh(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    const VALUED: &str = "BbcDEeFIiJLlmOopQRSWw";
    let mut index = 1;
    let mut config = false;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        let letter = option.chars().nth(1).unwrap_or('-');
        config |= letter == 'F';
        if option.contains("Command=")
            || option == "-o" && call.arg(index).is_some_and(|text| text.contains("Command="))
        {
            let text = if option == "-o" { call.arg(index).unwrap_or("") } else { option };
            let code = text.split_once('=').map_or("", |(_, code)| code).to_owned();
            reader.launched_code("ssh -o", &Word::Literal(code), &[], scope, &Stdin::Inherited);
        }
        if option.len() == 2 && VALUED.contains(letter) {
            index += 1;
        }
    }
    let rest = call.argv.get(index + 1..).unwrap_or(&[]);
    let rest = match rest.split_first() {
        Some((Word::Literal(dashes), more)) if dashes == "--" => more,
        _ => rest,
    };
    let outer = std::mem::replace(&mut reader.remote, true);
    let printed = if rest.is_empty() {
        match call.input {
            Stdin::Inherited if config => {
                reader.note(What::Code, "remote command of the configuration");
                None
            }
            Stdin::Inherited => None,
            input @ Stdin::Text(_) | input @ Stdin::File(_) | input @ Stdin::Unknown => {
                super::shells::shell_input(reader, input, &mut scope.clone(), "ssh")
            }
        }
    } else {
        let code = join(rest);
        reader.launched_code("ssh", &code, &[], scope, call.input)
    };
    reader.remote = outer;
    printed
}

/// Options of docker and podman that take the next word.
const CONTAINER_VALUED: &[&str] = &[
    "-v",
    "-e",
    "-w",
    "-u",
    "-p",
    "-l",
    "-h",
    "-m",
    "-c",
    "-a",
    "-f",
    "--volume",
    "--env",
    "--env-file",
    "--workdir",
    "--user",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "--mount",
    "--label",
    "--hostname",
    "--memory",
    "--cpus",
    "--platform",
    "--restart",
    "--gpus",
    "--device",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--tmpfs",
    "--ulimit",
    "--shm-size",
    "--pull",
    "--userns",
    "--pid",
    "--ipc",
    "--detach-keys",
    "--index",
    "--file",
    "--profile",
    "-H",
    "--host",
    "--context",
    "--log-level",
];

/// `docker run|exec [options] image command…`, and `compose` of both.
pub(super) fn container(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let verb = (1..call.argv.len().min(10))
        .find(|index| matches!(call.arg(*index), Some("run" | "exec" | "create")))?;
    let mut index = verb + 1;
    let mut entry = None;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += 1;
        if let Some(program) = option.strip_prefix("--entrypoint=") {
            entry = Some(Word::Literal(program.to_owned()));
        }
        if option == "--entrypoint" {
            entry = call.argv.get(index).cloned();
        }
        let bundle = option.len() > 2 && !option.starts_with("--");
        if CONTAINER_VALUED.contains(&option)
            || bundle
                && option.bytes().skip(1).all(|b| b.is_ascii_alphabetic())
                && option.ends_with(['v', 'e', 'w', 'u', 'p'])
        {
            index += 1;
        }
    }
    let mut argv: Vec<Word> = entry.into_iter().collect();
    argv.extend(call.argv.get(index + 1..).unwrap_or(&[]).iter().cloned());
    let outer = std::mem::replace(&mut reader.remote, true);
    let printed = reader.launched("container", &argv, scope, call.input, call.env);
    reader.remote = outer;
    let options = call.argv.get(verb + 1..index).unwrap_or(&[]);
    mounted(reader, options, &argv, call, scope);
    printed
}

/// What a container does to folders of ours that are mounted in it: once more with our paths.
fn mounted(
    reader: &mut Reader<'_>,
    options: &[Word],
    argv: &[Word],
    call: &Call<'_>,
    scope: &Scope,
) {
    let mounts = mounts(options);
    if mounts.is_empty() {
        return;
    }
    let ours = |text: &str| {
        mounts.iter().fold(text.to_owned(), |text, (from, to)| text.replace(to.as_str(), from))
    };
    let mapped: Vec<Word> = argv.iter().map(|word| word.map(ours)).collect();
    let mut own = scope.child();
    let directory = options.windows(2).find_map(|pair| match pair {
        [Word::Literal(option), Word::Literal(path)]
            if matches!(option.as_str(), "-w" | "--workdir") =>
        {
            Some(ours(path))
        }
        _ => None,
    });
    own.cwd = directory;
    reader.launched("container", &mapped, &own, call.input, call.env);
}

/// The most mounts of one container that are followed.
const MAX_MOUNTS: usize = 16;

/// Folders of ours and where a container sees them: `-v from:to`, `--mount source=from,target=to`.
fn mounts(options: &[Word]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (index, word) in options.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        let next = || options.get(index + 1).and_then(Word::literal);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (text, next()),
        };
        let Some(value) = value else { continue };
        let pair = match name {
            "-v" | "--volume" => {
                let mut parts = value.split(':');
                parts.next().zip(parts.next())
            }
            "--mount" => {
                let field = |names: &[&str]| {
                    value
                        .split(',')
                        .filter_map(|field| field.split_once('='))
                        .find_map(|(name, value)| names.contains(&name).then_some(value))
                };
                field(&["source", "src"]).zip(field(&["target", "destination", "dst"]))
            }
            _ => None,
        };
        let is_path = |path: &str| path.starts_with('/') || path.starts_with('.');
        if let Some((from, to)) = pair.filter(|(from, to)| is_path(from) && to.len() > 1) {
            found
                .push((from.trim_end_matches('/').to_owned(), to.trim_end_matches('/').to_owned()));
        }
    }
    found.truncate(MAX_MOUNTS);
    found
}

pub(super) fn bwrap(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with("--")) {
        index += 1 + match option {
            "--" => 0,
            "--bind" | "--ro-bind" | "--dev-bind" | "--bind-try" | "--ro-bind-try"
            | "--dev-bind-try" | "--symlink" | "--setenv" | "--file" | "--bind-data"
            | "--ro-bind-data" | "--chmod" => 2,
            "--dev" | "--proc" | "--tmpfs" | "--dir" | "--chdir" | "--unsetenv" | "--uid"
            | "--gid" | "--hostname" | "--seccomp" | "--add-seccomp-fd" | "--cap-add"
            | "--cap-drop" | "--lock-file" | "--sync-fd" | "--perms" | "--size" | "--mqueue"
            | "--remount-ro" | "--args" | "--userns" | "--pidns" | "--info-fd" | "--argv0" => 1,
            _ => 0,
        };
        if option == "--" {
            break;
        }
    }
    let rest = call.argv.get(index..).unwrap_or(&[]).to_vec();
    reader.launched("bwrap", &rest, scope, call.input, call.env)
}

pub(super) fn wsl(reader: &mut Reader<'_>, call: &Call<'_>, scope: &Scope) -> Printed {
    let mut index = 1;
    while let Some(option) = call.arg(index).filter(|text| text.starts_with('-')) {
        index += match option {
            "-d" | "--distribution" | "-u" | "--user" | "--cd" => 2,
            _ => 1,
        };
    }
    let rest = call.argv.get(index..).unwrap_or(&[]).to_vec();
    reader.launched("wsl", &rest, scope, call.input, call.env)
}
