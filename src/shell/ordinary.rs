//! Programs that we know to start nothing, and what is said of those that we do not know.

use super::eval::Reader;
use super::run::Call;
use super::types::Word;

/// Programs whose arguments are data.
const ORDINARY: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "rmdir",
    "touch",
    "ln",
    "chmod",
    "chown",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "head",
    "tail",
    "sort",
    "uniq",
    "cut",
    "tr",
    "wc",
    "diff",
    "cmp",
    "comm",
    "file",
    "stat",
    "du",
    "df",
    "which",
    "whereis",
    "type",
    "hash",
    "man",
    "info",
    "apropos",
    "less",
    "more",
    "tee",
    "sed",
    "jq",
    "yq",
    "date",
    "sleep",
    "logger",
    "notify-send",
    "say",
    "code",
    "cursor",
    "subl",
    "open",
    "xdg-open",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "pwd",
    "true",
    "false",
    "test",
    "[",
    "seq",
    "yes",
    "rev",
    "tac",
    "nl",
    "fold",
    "column",
    "paste",
    "join",
    "split",
    "base64",
    "xxd",
    "od",
    "hexdump",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "gzip",
    "gunzip",
    "zip",
    "unzip",
    "curl",
    "wget",
    "ps",
    "kill",
    "id",
    "whoami",
    "uname",
    "hostname",
    "env",
    "export",
    "tsc",
    "eslint",
    "prettier",
    "rustc",
    "gcc",
    "cc",
    "sqlite3",
    "psql",
    "mysql",
    "truncate",
    "dd",
    "shred",
    "rsync",
    "scp",
    "bat",
    "fd",
    "tree",
    "dos2unix",
];

/// Notes an unknown program that is given what looks like a memory's id or a memory's command.
/// Returns whether the program is one that we do not know.
pub(super) fn unknown(reader: &mut Reader<'_>, name: &str, call: &Call<'_>) -> bool {
    if ORDINARY.contains(&name) || super::program::memory_program(name, false).is_some() {
        return false;
    }
    let tail = call.argv.get(1..).unwrap_or(&[]);
    let command = tail.windows(2).any(|pair| {
        let program = pair
            .first()
            .and_then(Word::literal)
            .and_then(|text| super::program::memory_program(text, false));
        let verb = pair.get(1).and_then(Word::literal).is_some_and(is_memory_verb);
        program.is_some() && verb
    });
    let id = tail.iter().filter_map(Word::literal).any(is_id);
    if command || id {
        super::launch::note_tail(reader, call.argv);
    }
    true
}

fn is_memory_verb(text: &str) -> bool {
    matches!(text, "delete-memory" | "edit-memory" | "note-resolve" | "restore-memory" | "note")
}

/// Whether a word is spelled as a UUID.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
