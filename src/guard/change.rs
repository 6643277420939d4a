//! A change of a path, and the words of the command that makes it.

use super::options::Options;
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

/// The words of a command, with what each operand was.
pub(super) struct Words {
    pub(super) options: Options,
    pub(super) operands: Vec<Word>,
}

impl Words {
    pub(super) fn read(args: &[Word], with_value: &'static [&'static str]) -> Self {
        let options = Options::read(args, with_value);
        Self { operands: operand_words(args, with_value), options }
    }

    pub(super) fn after(&self, count: usize) -> &[Word] {
        self.operands.get(count..).unwrap_or(&[])
    }
}

/// The operands as words: [`Options`] keeps values, and a path needs its globs.
fn operand_words(args: &[Word], with_value: &[&str]) -> Vec<Word> {
    let mut operands = Vec::new();
    let mut words = args.iter();
    let mut only_operands = false;
    while let Some(word) = words.next() {
        match word.literal() {
            Some("--") if !only_operands => only_operands = true,
            Some(text) if !only_operands && text.starts_with('-') && text.len() > 1 => {
                if with_value.contains(&text) {
                    words.next();
                }
            }
            Some(_) | None => operands.push(word.clone()),
        }
    }
    operands
}

/// The options that take their value as the next word.
pub(super) fn value_options(program: &str) -> &'static [&'static str] {
    match program {
        "mv" | "cp" | "ln" => &["-t", "--target-directory", "-S", "--suffix"],
        "install" => {
            &["-t", "--target-directory", "-m", "--mode", "-o", "-g", "--owner", "--group"]
        }
        "truncate" => &["-s", "--size", "-r", "--reference"],
        "fallocate" => &["-l", "-o", "--length", "--offset"],
        "shred" => &["-n", "-s", "--iterations", "--size"],
        "sed" | "gsed" => &["-e", "-f", "--expression", "--file", "-l"],
        "perl" | "ruby" => &["-e", "-E", "-I", "-M", "-m"],
        "awk" | "gawk" => &["-i", "-f", "-v", "-F"],
        "chmod" | "chown" | "chgrp" => &["--reference"],
        "setfacl" => &["-m", "-M", "-x", "-X", "--modify", "--remove"],
        "rsync" => &[
            "-e",
            "--rsh",
            "--exclude",
            "--include",
            "--filter",
            "-f",
            "--exclude-from",
            "--files-from",
            "--backup-dir",
            "--suffix",
        ],
        "curl" => {
            &["-o", "--output", "-H", "--header", "-d", "--data", "-X", "-u", "-A", "--output-dir"]
        }
        "wget" => &["-O", "--output-document", "-P", "-U", "--header"],
        "sort" => &["-o", "--output", "-k", "-t", "-T", "-S"],
        "iconv" => &["-o", "--output", "-f", "-t"],
        "scp" => &["-i", "-P", "-o", "-F", "-c", "-l", "-J"],
        "tar" | "bsdtar" => &["-C", "--directory", "-f", "--file", "--exclude"],
        "vi" | "vim" | "nvim" => &["-c", "--cmd", "-u", "-S"],
        "patch" => &["-p", "-i", "-d", "-o"],
        "mount" => &["-t", "-o"],
        _ => &[],
    }
}

pub(super) fn each(words: &[Word], reach: Reach, how: &'static str, text: &NewText) -> Vec<Change> {
    words.iter().map(|word| Change::new(word, reach, how, text.clone())).collect()
}

pub(super) fn last(words: &[Word], reach: Reach, how: &'static str, text: &NewText) -> Vec<Change> {
    words.last().map(|word| Change::new(word, reach, how, text.clone())).into_iter().collect()
}

pub(super) fn first_is(words: &[Word], names: &[&str]) -> bool {
    words.first().and_then(Word::literal).is_some_and(|name| names.contains(&name))
}

pub(super) fn is(words: &[Word], texts: &[&str]) -> bool {
    words.iter().map(Word::literal).eq(texts.iter().map(|text| Some(*text)))
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
