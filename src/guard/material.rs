//! Code that only run time knows is made of something. `grep x <<< 'CALL' | sh` runs a text that
//! nobody can tell beforehand, but the call stands in what the text is made of; a mention beside it
//! that nothing runs is none.

use super::case::Case;
use super::program::memory_cli;
use super::tools::LITERALS;
use super::{Place, command, verbs};
use crate::shell::{self, Dialect, Invocation, Piece, Reading, Source, Start, Stdin, Unread, Word};

/// The most text that is looked through.
const MAX_BYTES: usize = 1 << 20;

/// The most words that are taken for an id.
const MAX_IDS: usize = 64;

/// The verbs that change one memory, and what follows its id.
const VERBS: [(&str, &[&str], &[&str]); 4] = [
    ("delete-memory", &[], &["--yes"]),
    ("edit-memory", &[], &["--text", "…"]),
    ("note-resolve", &["--id"], &[]),
    ("restore-memory", &[], &[]),
];

/// Judges what unknown code is made of, unless the call is refused already.
pub(super) fn judge(case: &mut Case, reading: &Reading, text: &str) {
    for source in &reading.sources {
        if !case.found.is_empty() {
            return;
        }
        match source {
            Source::Text => {
                let mut material = text.to_owned();
                gather(&reading.invocations, &mut material);
                named(case, &material);
            }
            Source::Printed(range) => {
                let mut material = String::new();
                gather(reading.invocations.get(range.clone()).unwrap_or(&[]), &mut material);
                named(case, &material);
                lines(case, material);
            }
        }
        case.found.made = !case.found.is_empty();
    }
}

/// Appends the words and inputs of invocations, one on each line.
fn gather(invocations: &[Invocation], material: &mut String) {
    for invocation in invocations {
        if material.len() > MAX_BYTES {
            return;
        }
        for word in invocation.argv.iter().chain(invocation.env.iter().map(|(_, value)| value)) {
            match word {
                Word::Literal(text) => push(material, text),
                Word::OneOf(all) => all.iter().for_each(|text| push(material, text)),
                Word::Partial(pieces) => pieces.iter().for_each(|piece| match piece {
                    Piece::Text(text) => push(material, text),
                    Piece::Glob(_) | Piece::Hole { .. } => {}
                }),
            }
        }
        if let Stdin::Text(text) = &invocation.stdin {
            push(material, text);
        }
    }
}

fn push(material: &mut String, text: &str) {
    material.push('\n');
    material.push_str(text);
}

/// Judges each call that the verbs and the ids in `material` make together.
pub(super) fn named(case: &mut Case, material: &str) {
    let plain: String =
        material.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\' | '^')).collect();
    let verbs = VERBS.iter().filter(|(verb, _, _)| plain.contains(verb));
    for (verb, before, after) in verbs {
        for id in ids(&plain) {
            for program in ["ringfence", "cortex"] {
                let words = [&[program, *verb], *before, &[id], *after].concat();
                let argv: Vec<Word> =
                    words.into_iter().map(|word| Word::Literal(word.to_owned())).collect();
                one(case, &argv);
            }
        }
    }
}

fn one(case: &mut Case, argv: &[Word]) {
    let Some(cli) = memory_cli(argv, false, &[]) else { return };
    let doubts = case.found.doubts.clone();
    let place = Place { cwd: Some(case.request.cwd.clone()), ..Place::default() };
    verbs::judge(case, &cli, &place, true);
    if case.found.is_empty() {
        // That a word is no id is nothing to tell.
        case.found.doubts = doubts;
    }
}

/// Words that can be ids, each once.
fn ids(text: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let mut found: Vec<&str> = Vec::new();
    for word in text.split(|letter| !is_part(letter)) {
        let word = word.trim_matches('-');
        let is_id = (6..=64).contains(&word.len()) && word.bytes().any(|b| b.is_ascii_digit());
        if is_id && found.len() < MAX_IDS && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Judges the commands in `material` that name memory, its files or the client's.
fn lines(case: &mut Case, material: String) {
    if !case.found.is_empty() {
        return;
    }
    let unread = Unread { dialect: Dialect::Posix, text: material, remote: false };
    let commands = unread.commands(LITERALS);
    if commands.is_empty() {
        return;
    }
    let start = Start {
        cwd: case.request.cwd.clone(),
        home: case.facts.home().to_owned(),
        args: Vec::new(),
    };
    let reading = shell::read(&commands, Dialect::Posix, &start, case.facts);
    for invocation in &reading.invocations {
        command::judge_invocation(case, invocation, false);
    }
}
