//! What ordinary programs print, when that can be known: it may become code further on.

use super::eval::{Printed, Reader};
use super::run::Call;
use super::scope::Scope;
use super::types::{Stdin, Word};

/// Bytes that a filter looks at within one step.
const BYTES_WORKED: usize = 32;

/// The printed text of a program that starts nothing else.
pub(super) fn printed(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) -> Printed {
    let input = match call.input {
        Stdin::Text(text) => Some(text.as_str()),
        Stdin::Inherited | Stdin::File(_) | Stdin::Unknown => None,
    };
    scope.owe(input.map_or(0, str::len) / BYTES_WORKED);
    match super::program::base_name(call.arg(0)?) {
        "echo" => echo(call),
        "printf" => printf(call, scope),
        "cat" | "zcat" => cat(reader, call, input, scope),
        "tee" => {
            for path in operands(call) {
                reader.feed(&path, input, scope);
                remember(scope, &path, input, call.argv.iter().any(|w| w.literal() == Some("-a")));
            }
            input.map(str::to_owned)
        }
        // Packed and unpacked again, a text is itself.
        "gzip" | "gunzip" | "xz" | "unxz" | "zstd" | "unzstd" | "bzip2" | "bunzip2" | "lz4"
        | "pv" | "sponge" | "iconv" | "dos2unix" => input.map(str::to_owned),
        "rev" => input.map(super::decode::rev),
        "tac" => {
            input.map(|text| text.lines().rev().fold(String::new(), |out, line| out + line + "\n"))
        }
        "tr" => tr(call, input),
        "base64" | "openssl" | "base32" => base64(call, input),
        "xxd" => {
            let flags: Vec<String> = call.known(1)?;
            let reverse = flags.iter().any(|flag| flag.starts_with('-') && flag.contains('r'));
            if reverse { super::decode::hex(input?) } else { None }
        }
        filter @ ("head" | "tail" | "sort" | "uniq" | "shuf") => {
            super::listing::filtered(filter, call, input).or_else(|| one_line(input))
        }
        "paste" | "column" if call.argv.len() == 1 => one_line(input),
        filter @ ("grep" | "egrep" | "fgrep") => super::listing::filtered(filter, call, input),
        "sed" | "awk" | "perl" | "jq" => None,
        "ls" | "gls" => super::listing::ls(call),
        name @ ("realpath" | "readlink" | "dirname" | "basename") => {
            super::pathnames::printed(name, call, scope)
        }
        "pwd" => scope.cwd.clone().map(|cwd| cwd + "\n"),
        "which" | "type" | "hash" => looked_up(call.argv.last()),
        "dd" => dd(reader, call, input, scope),
        "cp" | "mv" | "ln" | "install" => {
            copy(reader, call, scope);
            Some(String::new())
        }
        "mkdir" => {
            super::pathnames::made(reader, &operands(call), scope);
            Some(String::new())
        }
        "rm" | "rmdir" | "touch" | "chmod" | "chown" | "sleep" | "kill" | "sync" | "truncate"
        | "unlink" => Some(String::new()),
        _ => None,
    }
}

/// `dd if=file of=file`, either of them the standard one.
fn dd(reader: &mut Reader<'_>, call: &Call<'_>, input: Option<&str>, scope: &mut Scope) -> Printed {
    let named =
        |key| call.argv.iter().filter_map(Word::literal).find_map(|word| word.strip_prefix(key));
    let from = named("if=").map(|path| reader.file_text(path, scope));
    let text = from.unwrap_or_else(|| input.map(str::to_owned));
    let Some(path) = named("of=") else { return text };
    remember(scope, path, text.as_deref(), false);
    Some(String::new())
}

/// The path that a look-up prints: the program's own name will do.
pub(super) fn looked_up(word: Option<&Word>) -> Printed {
    word.and_then(Word::literal).map(|name| name.to_owned() + "\n")
}

fn printf(call: &Call<'_>, scope: &Scope) -> Printed {
    let args = call.known(1)?;
    let args = args.strip_prefix(&["--".to_owned()]).unwrap_or(&args).to_vec();
    args.split_first().map(|(format, rest)| {
        scope.owe(format.len() / BYTES_WORKED);
        super::decode::printf(format, rest)
    })
}

fn echo(call: &Call<'_>) -> Printed {
    let mut args = call.known(1)?;
    let (mut newline, mut escapes) = (true, false);
    while let Some(flags) = args.first().and_then(|first| first.strip_prefix('-')) {
        if flags.is_empty() || !flags.bytes().all(|flag| matches!(flag, b'n' | b'e' | b'E')) {
            break;
        }
        newline &= !flags.contains('n');
        escapes = flags.contains('e');
        args.remove(0);
    }
    let text = args.join(" ");
    let text = if escapes { super::decode::echo_escapes(&text) } else { text };
    Some(if newline { text + "\n" } else { text })
}

fn cat(reader: &mut Reader<'_>, call: &Call<'_>, input: Option<&str>, scope: &Scope) -> Printed {
    let files = operands(call);
    if call.argv.iter().skip(1).any(|word| word.literal().is_none()) {
        return None;
    }
    if files.is_empty() {
        return input.map(str::to_owned);
    }
    let mut out = String::new();
    for file in files {
        match file.as_str() {
            "-" | "/dev/stdin" => out.push_str(input?),
            // Only what this text wrote itself: the text of other files is data, not ours to weigh.
            path => out.push_str(&reader.known_text(path, scope)?),
        }
    }
    (out.len() <= super::eval::MAX_PRINTED).then_some(out)
}

fn operands(call: &Call<'_>) -> Vec<String> {
    call.argv
        .iter()
        .skip(1)
        .filter_map(Word::literal)
        .filter(|text| !text.starts_with('-') || *text == "-")
        .map(str::to_owned)
        .collect()
}

fn remember(scope: &mut Scope, path: &str, text: Option<&str>, append: bool) {
    if let Some(text) = text {
        let absolute = super::directory::absolute(scope.cwd.as_deref(), path);
        scope.write(absolute.unwrap_or_else(|| path.to_owned()), text.to_owned(), append);
    }
}

fn tr(call: &Call<'_>, input: Option<&str>) -> Printed {
    let args = call.known(1)?;
    let delete = args.first().is_some_and(|arg| arg == "-d");
    let mut sets = args.iter().filter(|arg| !(arg.starts_with('-') && arg.len() == 2));
    let from = sets.next()?;
    let to = sets.next();
    Some(super::decode::tr(input?, from, if delete { None } else { Some(to?) }))
}

/// `base64 -d`, `openssl base64 -d`, `openssl enc -d -base64`.
fn base64(call: &Call<'_>, input: Option<&str>) -> Printed {
    let args = call.known(1)?;
    let decodes = args.iter().any(|arg| {
        matches!(arg.as_str(), "--decode" | "-D")
            || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('d')
    });
    if !decodes {
        return Some(super::decode::to_base64(input?.as_bytes()) + "\n");
    }
    let bytes = super::decode::base64(input?)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Filters of lines leave a single line as it is.
fn one_line(input: Option<&str>) -> Printed {
    let text = input?;
    (text.lines().count() <= 1).then(|| text.to_owned())
}

/// `cp a b`, `mv a b`, `install /dev/stdin b`: a known text gets another name.
fn copy(reader: &mut Reader<'_>, call: &Call<'_>, scope: &mut Scope) {
    let paths = operands(call);
    let [from, to] = paths.get(paths.len().saturating_sub(2)..).unwrap_or(&[]) else { return };
    let text = match (from.as_str(), call.input) {
        ("/dev/stdin" | "-", Stdin::Text(text)) => Some(text.clone()),
        _ if super::program::memory_program(from, false).is_some() => {
            Some(format!("exec {} \"$@\"\n", shell_words::quote(from)))
        }
        _ => reader.file_text(from, scope),
    };
    remember(scope, to, text.as_deref(), false);
}
