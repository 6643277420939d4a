//! A change of a path, and the options of the programs that make it.

use super::arguments::Grammar;
use super::paths::Reach;
use crate::shell::{Invocation, Piece, Stdin, Word};

/// One change of one path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) word: Word,
    pub(super) reach: Reach,
    /// What is done, as a verb with its object left out: `remove`, `overwrite`.
    pub(super) how: &'static str,
    pub(super) text: NewText,
}

/// What a file holds afterwards.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NewText {
    /// It is gone, or empty.
    Gone,
    /// This.
    Known(String),
    /// What it held, and this after it.
    Appended(String),
    /// What the file of this name holds now.
    CopyOf(Word),
    /// What it held, changed by a program with this text.
    Edited(String),
    /// Only run time knows.
    Unknown,
    /// Its text stays.
    Same,
}

impl Change {
    pub(super) fn new(word: &Word, reach: Reach, how: &'static str, text: NewText) -> Self {
        Self { word: word.clone(), reach, how, text }
    }
}

const RSYNC: &[&str] = &[
    "--rsh",
    "--exclude",
    "--include",
    "--filter",
    "--exclude-from",
    "--include-from",
    "--files-from",
    "--backup-dir",
    "--suffix",
    "--log-file",
    "--write-batch",
    "--compare-dest",
    "--link-dest",
    "--temp-dir",
    "--chmod",
    "--chown",
    "--rsync-path",
];

const TAR: &[&str] = &[
    "--file",
    "--directory",
    "--exclude",
    "--exclude-from",
    "--files-from",
    "--listed-incremental",
    "--label",
    "--use-compress-program",
    "--strip-components",
    "--transform",
    "--xform",
    "--to-command",
    "--owner",
    "--group",
    "--mode",
    "--format",
];

/// The options of a program that take a value.
pub(super) fn grammar(program: &str) -> Grammar {
    let row = GRAMMARS.iter().find(|(programs, ..)| programs.contains(&program));
    row.map_or_else(Grammar::default, |(_, letters, attached, names)| Grammar {
        letters,
        attached,
        names,
        ..Grammar::default()
    })
}

/// Programs; letters that take the next word; letters that take the rest of theirs; long names that
/// take the next word.
type GrammarRow = (&'static [&'static str], &'static str, &'static str, &'static [&'static str]);

const GRAMMARS: &[GrammarRow] = &[
    (&["mv", "cp", "ln"], "tS", "", &["--target-directory", "--suffix"]),
    (
        &["install"],
        "tmogS",
        "",
        &["--target-directory", "--mode", "--owner", "--group", "--suffix"],
    ),
    (&["truncate"], "sr", "", &["--size", "--reference"]),
    (&["fallocate"], "lo", "", &["--length", "--offset"]),
    (&["shred"], "ns", "", &["--iterations", "--size", "--random-source"]),
    (&["sed", "gsed"], "efl", "i", &["--expression", "--file", "--line-length"]),
    (&["perl"], "eEIMmF", "ixCdDV", &[]),
    (&["ruby"], "eEICrF", "ix", &[]),
    (
        &["awk", "gawk", "mawk", "nawk"],
        "ifvFel",
        "",
        &["--include", "--file", "--assign", "--field-separator", "--source"],
    ),
    (&["chmod", "chown", "chgrp"], "", "", &["--reference", "--from"]),
    (&["setfacl"], "mMxX", "", &["--modify", "--remove"]),
    (&["split"], "abClnt", "", &["--additional-suffix", "--bytes", "--lines", "--filter"]),
    (&["csplit"], "bfn", "", &["--prefix", "--suffix-format", "--digits"]),
    (&["rsync"], "efTBM", "", RSYNC),
    (&["curl"], "AbcCdDeEFhHKmoPQrtTuUwxXyYz", "", &["--output", "--output-dir", "--write-out"]),
    (&["wget"], "aoieBtOTwQPUlADRIXS", "", &["--output-document", "--directory-prefix"]),
    (&["scp"], "iPoFclJSX", "", &[]),
    (&["tar", "bsdtar", "gtar"], "fbCXTgVNKFHIL", "", TAR),
    (&["unzip"], "dP", "", &[]),
    (&["zip"], "bntP", "", &[]),
    (&["vi", "vim", "nvim", "ex", "view"], "cuST", "pOo", &["--cmd"]),
    (&["ed"], "p", "", &["--prompt"]),
    (&["mount"], "to", "", &[]),
    (&["cpio"], "DEFHIMORC", "", &["--directory", "--file", "--pattern-file"]),
    (&["7z", "7za", "7zz"], "", "o", &[]),
    (&["unsquashfs"], "dp", "", &["-dest"]),
];

pub(super) fn each(words: &[Word], reach: Reach, how: &'static str, text: &NewText) -> Vec<Change> {
    words.iter().map(|word| Change::new(word, reach, how, text.clone())).collect()
}

pub(super) fn last(words: &[Word], reach: Reach, how: &'static str, text: &NewText) -> Vec<Change> {
    words.last().map(|word| Change::new(word, reach, how, text.clone())).into_iter().collect()
}

pub(super) fn first_is(words: &[Word], names: &[&str]) -> bool {
    words.first().and_then(Word::literal).is_some_and(|name| names.contains(&name))
}

/// The text on standard input, where the command's own text gives it.
pub(super) fn stdin_text(invocation: &Invocation) -> Option<String> {
    match &invocation.stdin {
        Stdin::Text(text) => Some(text.clone()),
        Stdin::Inherited | Stdin::File(_) | Stdin::Unknown => None,
    }
}

/// `folder/name` as a word.
pub(super) fn below(folder: &Word, name: &str) -> Word {
    match folder {
        Word::Literal(path) => Word::Literal(format!("{}/{name}", path.trim_end_matches('/'))),
        Word::OneOf(all) => Word::OneOf(
            all.iter().map(|path| format!("{}/{name}", path.trim_end_matches('/'))).collect(),
        ),
        Word::Partial(pieces) => {
            let mut pieces = pieces.clone();
            pieces.push(Piece::Text(format!("/{name}")));
            Word::Partial(pieces)
        }
    }
}

/// What a program prints, where its own words say so.
pub(super) fn printed(invocation: &Invocation, program: &str) -> Option<String> {
    let args = invocation.argv.get(1..).unwrap_or(&[]);
    let words = || args.iter().map(Word::literal).collect::<Option<Vec<&str>>>();
    match program {
        "echo" => {
            let words = words()?;
            let text: Vec<&str> =
                words.into_iter().skip_while(|word| matches!(*word, "-n" | "-e" | "-en")).collect();
            Some(text.join(" "))
        }
        "printf" => {
            let words = words()?;
            let (format, values) = words.split_first()?;
            let mut text = format.replace("\\n", "\n");
            for value in values.iter().take(64) {
                text = text.replacen("%s", value, 1);
            }
            Some(text)
        }
        "cat" if args.is_empty() => stdin_text(invocation),
        "" | ":" | "true" => Some(String::new()),
        _ => None,
    }
}
