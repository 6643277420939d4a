//! The dot commands of SQLite's shell.

use super::{Script, Session, read};
use crate::guard::case::Case;
use crate::guard::command;
use crate::guard::files::{Done, apply, tamper};
use crate::guard::landing::{self, Arrival};
use crate::shell::{Dialect, Invocation, Word};

/// All commands: the shell takes any beginning of a name.
const COMMANDS: [&str; 63] = [
    "archive",
    "auth",
    "backup",
    "bail",
    "binary",
    "cd",
    "changes",
    "check",
    "clone",
    "connection",
    "crnl",
    "databases",
    "dbconfig",
    "dbinfo",
    "dbtotxt",
    "dump",
    "echo",
    "eqp",
    "excel",
    "exit",
    "expert",
    "explain",
    "filectrl",
    "fullschema",
    "headers",
    "help",
    "import",
    "imposter",
    "indexes",
    "intck",
    "iotrace",
    "limit",
    "lint",
    "load",
    "log",
    "mode",
    "nonce",
    "nullvalue",
    "once",
    "open",
    "output",
    "parameter",
    "print",
    "progress",
    "prompt",
    "quit",
    "read",
    "recover",
    "restore",
    "save",
    "scanstats",
    "schema",
    "selftest",
    "separator",
    "session",
    "sha3sum",
    "shell",
    "show",
    "stats",
    "system",
    "tables",
    "trace",
    "www",
];

/// The commands that a name may be short for.
fn meant(name: &str) -> Vec<&'static str> {
    if let Some(whole) = COMMANDS.iter().find(|known| **known == name) {
        return vec![whole];
    }
    COMMANDS.iter().filter(|known| !name.is_empty() && known.starts_with(name)).copied().collect()
}

/// Runs one dot command; `line` is without the dot.
pub(super) fn run(
    session: &mut Session,
    case: &mut Case,
    invocation: &Invocation,
    line: &str,
    depth: u8,
) {
    let words = words(line);
    let Some((name, rest)) = words.split_first() else { return };
    for command in meant(name) {
        match command {
            "open" => opened(session, case, rest),
            "cd" => {
                let folder = rest.first().map_or("", String::as_str);
                session.cwd = session.cwd.take().map(|cwd| case.resolve(&cwd, folder));
            }
            "connection" => session.several = true,
            "read" => match file(rest).and_then(|file| file.strip_prefix('|')) {
                Some(text) => shell(session, case, text),
                None => match read(case, session.cwd.as_deref(), &word(rest.last())) {
                    Script::Text(text) if depth < 4 => {
                        session.run(case, invocation, &text, depth + 1);
                    }
                    Script::Text(_) | Script::Unknown => session.run_unknown(case),
                },
            },
            "import" => {
                if let Some(text) = file(rest).and_then(|file| file.strip_prefix('|')) {
                    shell(session, case, text);
                }
                session.write(case, None, "load other content into");
            }
            "restore" | "load" => session.write(case, None, "load other content into"),
            "selftest" if rest.iter().any(|word| word.ends_with("-init")) => {
                session.write(case, None, "make a table in");
            }
            "output" | "once" | "trace" | "log" => match file(rest) {
                Some(file) if file.starts_with('|') => {
                    shell(session, case, file.trim_start_matches('|'));
                }
                Some(file) => overwritten(session, case, file),
                None => {}
            },
            "backup" | "save" | "clone" | "session" => {
                if let Some(file) = rest.last() {
                    overwritten(session, case, file);
                }
            }
            "archive" => archived(session, case, rest),
            "shell" | "system" => {
                let text = line.split_once(char::is_whitespace).map_or("", |(_, text)| text);
                shell(session, case, text);
            }
            _ => {}
        }
    }
}

/// The first word that is no option.
fn file(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| !word.starts_with('-'))
}

fn word(text: Option<&String>) -> Word {
    Word::Literal(text.cloned().unwrap_or_default())
}

/// A command's words; quotes hold blanks together.
fn words(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter.is_whitespace() => {}
            '\'' | '"' => found.push(letters.by_ref().take_while(|next| *next != letter).collect()),
            _ => {
                let mut word = String::from(letter);
                while let Some(next) = letters.next_if(|next| !next.is_whitespace()) {
                    word.push(next);
                }
                found.push(word);
            }
        }
    }
    found
}

fn opened(session: &mut Session, case: &mut Case, rest: &[String]) {
    let has = |name: &str| {
        rest.iter().any(|word| word.starts_with('-') && word.trim_start_matches('-') == name)
    };
    let Some(path) = file(rest).map(str::to_owned) else { return };
    session.close_main();
    // Whatever the command line said: this is about this file.
    session.readonly = has("readonly") || has("deserialize");
    if has("new") {
        overwritten(session, case, &path);
    }
    session.open(case, "main", &path);
}

fn overwritten(session: &Session, case: &mut Case, path: &str) {
    for protected in session.stores_hit(case, &Word::Literal(path.to_owned())) {
        tamper(case, &protected, Done::new("overwrite", "sqlite3"));
    }
}

/// `.archive -cf file …`: into a file or the open database; `-x`: out of it.
fn archived(session: &Session, case: &mut Case, rest: &[String]) {
    let letters: String = rest
        .iter()
        .enumerate()
        .filter(|(at, word)| *at == 0 || word.starts_with('-'))
        .filter(|(_, word)| !word.starts_with("--"))
        .map(|(_, word)| word.trim_start_matches('-'))
        .collect();
    let has = |letter: char, name: &str| letters.contains(letter) || rest.iter().any(|w| w == name);
    let after = |letter: char, name: &str| {
        let at = rest
            .iter()
            .position(|word| word == name || (!word.starts_with("--") && word.contains(letter)));
        at.and_then(|at| rest.get(at + 1))
    };
    let packs = [('c', "--create"), ('u', "--update"), ('i', "--insert"), ('r', "--remove")];
    if has('x', "--extract") {
        let here = Word::Literal(".".into());
        let folder = after('C', "--directory").filter(|_| has('C', "--directory"));
        let folder = folder.map_or(here, |folder| Word::Literal(folder.clone()));
        let arrival = Arrival::of_anything(&folder, "unpack other files over");
        for change in landing::changes(case, session.cwd.as_deref(), &arrival) {
            apply(case, session.cwd.as_deref(), &change, "sqlite3");
        }
    } else if packs.iter().any(|(letter, name)| has(*letter, name)) {
        match after('f', "--file").filter(|_| has('f', "--file")) {
            Some(file) => overwritten(session, case, file),
            None => session.write(case, None, "pack files into"),
        }
    }
}

/// Judges a shell text where the session is.
pub(super) fn shell(session: &Session, case: &mut Case, text: &str) {
    let text = match session.cwd.as_deref() {
        Some(cwd) if cwd != case.request.cwd => format!("cd {} && {text}", command::quote(cwd)),
        Some(_) | None => text.to_owned(),
    };
    case.deeper(|case| command::judge_text(case, &text, Dialect::Posix, &[]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_be_cut_short() {
        for (name, expected) in [
            ("open", vec!["open"]),
            ("op", vec!["open"]),
            ("on", vec!["once"]),
            ("ar", vec!["archive"]),
            ("sys", vec!["system"]),
            ("rest", vec!["restore"]),
            ("o", vec!["once", "open", "output"]),
            ("opened", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(meant(name), expected, "{name}");
        }
    }

    #[test]
    fn quotes_hold_a_word_together() {
        assert_eq!(words("import \"|a b\" 't u'  v"), ["import", "|a b", "t u", "v"]);
    }
}
