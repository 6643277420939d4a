//! Does the reader find every call of `cortex delete-memory`, with its ids, and no mention?

use ringfence::shell::{
    Dialect, Invocation, MemoryProgram, NoFiles, Reading, Start, What, Word, memory_call, read,
};

use crate::support::corpus;

/// A row of `shapes.tsv` and files like it.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) command: String,
    pub(super) expected: String,
    ids: String,
    pub(super) note: String,
}

#[test]
fn posix_calls_are_found_and_mentions_are_not() {
    check("shell/shapes.tsv", Dialect::Posix, Allowed { missed: 0.0, flagged: 0.0 });
}

#[test]
fn powershell_calls_are_found_and_mentions_are_not() {
    check("shell/shapes.tsv", Dialect::PowerShell, Allowed { missed: 0.0, flagged: 0.0 });
}

#[test]
fn cmd_calls_are_found_and_mentions_are_not() {
    check("shell/shapes.tsv", Dialect::Cmd, Allowed { missed: 0.0, flagged: 0.0 });
}

#[test]
fn more_posix_shapes_hold() {
    check("shell/more.tsv", Dialect::Posix, Allowed { missed: 0.0, flagged: 0.0 });
}

#[test]
fn more_powershell_shapes_hold() {
    check("shell/more.tsv", Dialect::PowerShell, Allowed { missed: 0.0, flagged: 0.0 });
}

#[test]
fn more_cmd_shapes_hold() {
    check("shell/more.tsv", Dialect::Cmd, Allowed { missed: 0.0, flagged: 0.0 });
}

#[derive(Clone, Copy)]
struct Allowed {
    missed: f64,
    flagged: f64,
}

fn check(file: &str, dialect: Dialect, allowed: Allowed) {
    let rows: Vec<Row> = rows(file).into_iter().filter(|row| dialect_of(row) == dialect).collect();
    let mut wrong = Vec::new();
    let (mut missed, mut flagged) = (0_u32, 0_u32);
    let (mut calls, mut mentions, mut silent) = (0_u32, 0_u32, 0_u32);
    for row in &rows {
        let reading = read(
            &row.command,
            dialect,
            &Start { cwd: "/tmp".into(), ..Start::default() },
            &NoFiles,
        );
        let seen = seen(&reading, dialect);
        match row.expected.as_str() {
            "invokes" => {
                calls += 1;
                if !covers(&seen, &row.ids) {
                    missed += 1;
                    wrong.push(format!(
                        "{} [{}]: wanted {}, saw {seen:?}",
                        row.id, row.command, row.ids
                    ));
                }
            }
            "mentions" => {
                mentions += 1;
                if matches!(seen, Seen::Calls(_)) {
                    flagged += 1;
                    wrong.push(format!("{} [{}]: a mention, saw {seen:?}", row.id, row.command));
                }
            }
            _ => {
                if seen == Seen::Nothing {
                    silent += 1;
                    wrong.push(format!("{} [{}]: unknowable, saw nothing", row.id, row.command));
                }
            }
        }
    }
    let report = format!(
        "{dialect:?}: {} of {calls} calls found, {flagged} of {mentions} mentions flagged\n{}",
        calls - missed,
        wrong.join("\n")
    );
    assert!(f64::from(missed) <= allowed.missed * f64::from(calls), "{report}");
    assert_eq!(silent, 0, "{report}");
    assert!(f64::from(flagged) <= allowed.flagged * f64::from(mentions), "{report}");
}

/// Whether what was seen holds every id that the row wants; `?` is any id, `-` is none.
///
/// A launcher may add words of its own (`find … -exec … {} +`), so more ids than wanted are right.
fn covers(seen: &Seen, wanted: &str) -> bool {
    let Seen::Calls(ids) = seen else { return false };
    let ids: Vec<&str> = ids.split(' ').collect();
    wanted == "?" && ids != ["-"] || wanted.split(' ').all(|id| ids.contains(&id))
}

#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    Unclear,
    /// The ids as the corpus spells them.
    Calls(String),
}

fn seen(reading: &Reading, dialect: Dialect) -> Seen {
    let windows = dialect != Dialect::Posix;
    let mut found: Option<Vec<String>> = None;
    let mut unclear = reading.unclear.iter().any(|unclear| unclear.what != What::Syntax);
    let each = |invocation: &Invocation| {
        let ways = invocation.ways();
        if ways.is_empty() { vec![invocation.clone()] } else { ways }
    };
    for invocation in &reading.invocations.iter().flat_map(each).collect::<Vec<_>>() {
        let Some(call) = memory_call(invocation, windows) else { continue };
        if call.program != MemoryProgram::Cortex {
            continue;
        }
        match call.subcommand {
            Some(Word::Literal(word)) if word == "delete-memory" => {
                found.get_or_insert_default().push(ids(call.args));
            }
            Some(word) if word.can_be("delete-memory") => unclear = true,
            _ => {}
        }
    }
    match found {
        Some(ids) => Seen::Calls(ids.join(" ")),
        None if unclear => Seen::Unclear,
        None => Seen::Nothing,
    }
}

fn ids(args: &[Word]) -> String {
    let mut ids = Vec::new();
    for word in args {
        match word {
            Word::Literal(text) => {
                if let Some(id) = text.strip_prefix("--id=") {
                    ids.push(id.to_owned());
                } else if !text.starts_with('-') && !text.is_empty() {
                    ids.push(text.trim().to_owned());
                }
            }
            Word::OneOf(all) => ids.extend(all.iter().cloned()),
            Word::Partial(_) => ids.push("?".into()),
        }
    }
    if ids.is_empty() { "-".into() } else { ids.join(" ") }
}

fn dialect_of(row: &Row) -> Dialect {
    match row.note.split(']').next().unwrap() {
        "[pwsh" => Dialect::PowerShell,
        "[cmd" => Dialect::Cmd,
        _ => Dialect::Posix,
    }
}

pub(super) fn rows(file: &str) -> Vec<Row> {
    corpus(file)
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("id\t"))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [id, command, expected, ids, note] = fields[..] else { panic!("{line}") };
            Row {
                id: id.into(),
                command: unescape(command),
                expected: expected.into(),
                ids: ids.into(),
                note: note.into(),
            }
        })
        .collect()
}

pub(super) fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('0') => out.push('\0'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}
