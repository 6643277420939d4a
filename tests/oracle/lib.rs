//! Another parser of bash reads what we read: every program that it finds must be among ours. Where it is
//! not, bash decides whether it really runs.

#![cfg(test)]

use std::collections::BTreeSet;

use brush_parser::word;
use brush_parser::{Parser, ParserOptions};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use ringfence::shell::{Dialect, NoFiles, Start, Word, read};

#[path = "../it/shell/bench.rs"]
mod bench;
#[path = "../it/shell/grammar.rs"]
mod grammar;

/// Generated texts; ten times as many in the long run.
const CASES: usize = 500;

/// Programs that the other parser finds where none runs: a name, a piece of the text, and why.
const KNOWN: &[(&str, &str, &str)] = &[
    ("x", "ln -s $(which cortex) b/x", "we say what the link leads to"),
    ("x", "hash -p $(command -v cortex) x", "we say what the hashed path is"),
];

fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

/// The names of all simple commands that the other parser finds; `None` where it refuses the text.
fn names(text: &str) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    in_code(text, &mut names, 0)?;
    Some(names)
}

fn in_code(text: &str, names: &mut BTreeSet<String>, depth: usize) -> Option<()> {
    if depth > 8 {
        return None;
    }
    let program = Parser::new(text.as_bytes(), &options()).parse_program().ok()?;
    walk(&serde_json::to_value(program).ok()?, names, depth);
    Some(())
}

/// Finds commands in a tree, and words that may hold others.
fn walk(value: &Value, names: &mut BTreeSet<String>, depth: usize) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, names, depth)),
        Value::Object(fields) => {
            // The body of a quoted here-doc is text.
            if fields.get("requires_expansion") == Some(&Value::Bool(false)) {
                return;
            }
            let name = fields.get("word_or_name").and_then(|word| word.get("value"));
            if let Some(name) = name.and_then(Value::as_str)
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
            {
                names.insert(name.to_owned());
            }
            fields.values().for_each(|field| walk(field, names, depth));
        }
        Value::String(text) if text.contains(['$', '`']) || text.contains("<(") => {
            in_word(text, names, depth + 1);
        }
        _ => {}
    }
}

fn in_word(text: &str, names: &mut BTreeSet<String>, depth: usize) {
    if depth > 8 {
        return;
    }
    let Ok(pieces) = word::parse(text, &options()) else { return };
    let Ok(tree) = serde_json::to_value(pieces) else { return };
    substitutions(&tree, text, names, depth);
}

fn substitutions(value: &Value, word: &str, names: &mut BTreeSet<String>, depth: usize) {
    match value {
        Value::Array(items) => {
            items.iter().for_each(|item| substitutions(item, word, names, depth));
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                match field {
                    Value::String(code) if key.contains("CommandSubstitution") => {
                        in_code(code, names, depth + 1);
                    }
                    Value::String(text) if key.contains("SingleQuoted") || text == word => {}
                    Value::String(text) if text.contains(['$', '`']) => {
                        in_word(text, names, depth + 1);
                    }
                    other => substitutions(other, word, names, depth),
                }
            }
        }
        _ => {}
    }
}

fn is_found(name: &str, text: &str) -> bool {
    let start = Start { cwd: "/work".into(), home: "/home/me".into(), ..Start::default() };
    let reading = read(text, Dialect::Posix, &start, &NoFiles);
    let found = reading.invocations.iter().filter_map(|invocation| invocation.argv.first()).any(
        |program| match program {
            Word::Literal(known) => known == name,
            other => other.can_be(name),
        },
    );
    // Keywords are no programs of ours.
    found || !reading.unclear.is_empty() || matches!(name, "time" | "coproc" | "select")
}

/// Directories do not run.
fn can_run(name: &str) -> bool {
    !matches!(name.rsplit('/').next(), Some("" | "." | ".."))
}

/// What neither the reader nor bash makes a program of may be dead code; what bash runs is a miss.
fn judge(texts: impl Iterator<Item = String>) -> (usize, Vec<String>) {
    let mut bench = bench::Bench::new();
    let (mut compared, mut missed) = (0, Vec::new());
    for text in texts {
        let Some(names) = names(&text) else { continue };
        compared += names.len();
        for name in names.iter().filter(|name| can_run(name) && !is_found(name, &text)) {
            if KNOWN.iter().any(|(known, piece, _)| known == name && text.contains(piece)) {
                continue;
            }
            let Some(bench) = &mut bench else { continue };
            let number = bench.run_with(&text, name);
            if !bench.runs(number).is_empty() {
                missed.push(format!("{name} in {text:?}"));
            }
        }
    }
    (compared, missed)
}

fn corpus(file: &str) -> Vec<String> {
    let path = format!("{}/../corpus/shell/{file}", env!("CARGO_MANIFEST_DIR"));
    let unescape = |text: &str| {
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            out.push(match (character, character == '\\') {
                (_, true) => match rest.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('0') => '\0',
                    other => other.unwrap_or('\\'),
                },
                (other, false) => other,
            });
        }
        out
    };
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let posix = fields.get(4).is_some_and(|note| note.starts_with("[posix]"));
            posix.then(|| unescape(fields[1])).filter(|text| !text.contains('\0'))
        })
        .collect()
}

#[test]
fn what_the_other_parser_finds_in_the_corpus_is_found() {
    let texts = ["shapes.tsv", "more.tsv"].into_iter().flat_map(corpus);
    let (compared, missed) = judge(texts);
    assert!(missed.is_empty(), "{} of {compared}\n{}", missed.len(), missed.join("\n"));
    assert!(compared > 1_000, "only {compared} names");
}

#[test]
fn what_the_other_parser_finds_in_generated_texts_is_found() {
    let long = std::env::var("RINGFENCE_LONG").is_ok_and(|value| value == "1");
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let texts = grammar::texts();
    let cases = if long { 10 * CASES } else { CASES };
    let all = (0..cases).map(|_| texts.new_tree(&mut runner).unwrap().current());
    let (compared, missed) = judge(all);
    assert!(missed.is_empty(), "{} of {compared}\n{}", missed.len(), missed.join("\n"));
    assert!(compared > cases, "only {compared} names");
}
