//! Terminals as files: what is written to another terminal's device appears on it.

use super::words::{known_start, known_texts, literals};
use super::{Call, Judged, Wrong};
use crate::shell::{self, Invocation, Word};

/// Refuses redirections into another's terminal.
pub(super) fn redirects(invocation: &Invocation) -> Judged {
    for redirect in &invocation.redirects {
        if redirect.op.starts_with('<') && redirect.op != "<>" {
            continue;
        }
        refuse_device(invocation, &redirect.target)?;
    }
    Ok(())
}

/// Programs that write the files they are given.
const WRITERS: [&str; 14] = [
    "tee", "cp", "mv", "dd", "install", "sponge", "script", "ln", "truncate", "rsync", "socat",
    "setfont", "setterm", "stty",
];

/// Refuses another's terminal among the operands of a program that writes them.
pub(super) fn operands(call: &Call<'_>) -> Judged {
    if !WRITERS.contains(&call.name) {
        return Ok(());
    }
    // What a copy reads stands first.
    let written: Vec<&Word> = match call.name {
        "cp" | "mv" | "install" | "rsync" | "ln" => call.args().iter().rev().take(1).collect(),
        "stty" if only_shows(call.args()) => return Ok(()),
        _ => call.args().iter().collect(),
    };
    for word in written {
        match call.name {
            "dd" => {
                if let Some(path) = known_start(word).strip_prefix("of=") {
                    refuse_device(call.invocation, &Word::Literal(path.to_owned()))?;
                }
            }
            "socat" => {
                for text in known_texts(word) {
                    for path in text.split([',', ':']) {
                        refuse_device(call.invocation, &Word::Literal(path.to_owned()))?;
                    }
                }
            }
            _ => refuse_device(call.invocation, word)?,
        }
    }
    Ok(())
}

/// `stty -F DEVICE -a` and the like only show a terminal's settings.
fn only_shows(args: &[Word]) -> bool {
    let mut texts = literals(args).peekable();
    let mut shows = false;
    while let Some(text) = texts.next() {
        match text {
            "-F" | "--file" => drop(texts.next()),
            "-a" | "-g" | "--all" | "--save" | "size" | "speed" => shows = true,
            _ if text.starts_with("-F") || text.starts_with("--file=") => {}
            _ => return false,
        }
    }
    shows
}

fn refuse_device(invocation: &Invocation, word: &Word) -> Judged {
    let cwd = invocation.cwd.as_deref();
    let paths: Vec<&str> = match word {
        Word::OneOf(all) => all.iter().map(String::as_str).collect(),
        Word::Literal(_) | Word::Partial(_) => vec![known_start(word)],
    };
    for path in paths.into_iter().filter(|path| !path.is_empty()) {
        // A path that goes on with an unknown part keeps the slash that it has.
        let whole = word.literal().is_some() || matches!(word, Word::OneOf(_));
        let Some(mut absolute) = shell::absolute(cwd, path) else { continue };
        if !whole && path.ends_with('/') {
            absolute.push('/');
        }
        if is_anothers_terminal(&absolute, whole) {
            return Err(Wrong::new(format!("writes to `{absolute}`, another terminal's device")));
        }
    }
    Ok(())
}

/// Whether a path is the device of a terminal, or a way to feed one. The process's own `/dev/tty`
/// is nobody else's.
fn is_anothers_terminal(path: &str, whole: bool) -> bool {
    if let Some(rest) = path.strip_prefix("/proc/") {
        let Some((process, below)) = rest.split_once('/') else { return false };
        let own = matches!(process, "self" | "thread-self");
        return !own && (below == "fd" || below.starts_with("fd/") || below.starts_with("task/"));
    }
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    let numbered =
        |prefix: &str| device.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() || !whole);
    match device {
        "tty" => !whole,
        "console" | "uinput" | "input/uinput" => true,
        "pts" | "pts/ptmx" | "ptmx" => false,
        _ => {
            numbered("pts/")
                || numbered("tty")
                || numbered("vcs")
                || numbered("pty")
                || numbered("input/event")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_anothers_terminal;

    #[test]
    fn a_terminals_device_is_told_from_other_files() {
        for (path, whole, expected) in [
            ("/dev/pts/3", true, true),
            ("/dev/pts/", false, true),
            ("/dev/tty1", true, true),
            ("/dev/ttys001", true, true),
            ("/dev/tty", true, false),
            ("/dev/tty", false, true),
            ("/dev/console", true, true),
            ("/dev/null", true, false),
            ("/dev/stderr", true, false),
            ("/dev/fd/2", true, false),
            ("/dev/pts", true, false),
            ("/proc/self/fd/1", true, false),
            ("/proc/4711/fd/1", true, true),
            ("/proc/4711/status", true, false),
            ("/w/dev/pts/3", true, false),
        ] {
            assert_eq!(is_anothers_terminal(path, whole), expected, "{path} {whole}");
        }
    }
}
