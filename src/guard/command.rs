//! A shell text: each program that it would run, and what could not be read of it.

use super::case::Case;
use super::program::{self, memory_cli};
use super::{Place, client, files, material, paths, tools, unread, verbs};
use crate::decision::Code;
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::{self, Dialect, Invocation, Reading, Start, Unclear, What, Word};

/// The arguments in which tools carry their shell text.
pub const TEXT_KEYS: [&str; 2] = ["command", "cmd"];

/// Judges a call of a shell tool.
pub(super) fn judge_tool(case: &mut Case, dialect: Dialect) {
    let request: &MemoryGuardRequest = case.request;
    for key in TEXT_KEYS {
        match request.input.get(key) {
            Some(Argument::Text(text)) => judge_text(case, text, dialect, &[]),
            // Some hosts send the words of a command line.
            Some(Argument::Other(raw)) => {
                let words: Vec<String> =
                    super::json::strings(raw).into_iter().map(|found| quote(&found.text)).collect();
                judge_text(case, &words.join(" "), dialect, &[]);
            }
            Some(Argument::Null) | None => {}
        }
    }
}

/// Judges a shell text that starts in the call's directory with these `$1 …`.
pub(super) fn judge_text(case: &mut Case, text: &str, dialect: Dialect, args: &[String]) {
    let start = Start {
        cwd: case.request.cwd.clone(),
        home: case.facts.home().to_owned(),
        args: args.to_vec(),
    };
    let reading = shell::read(text, dialect, &start, case.facts);
    judge_reading(case, &reading, dialect, text);
}

/// Judges what was read of `text`.
pub(super) fn judge_reading(case: &mut Case, reading: &Reading, dialect: Dialect, text: &str) {
    for invocation in &reading.invocations {
        judge_invocation(case, invocation, dialect != Dialect::Posix);
    }
    files::judge_pipelines(case, &reading.invocations);
    unread::judge(case, &reading.unread);
    material::judge(case, reading, text);
    if case.changes_unknown && names_store(text) {
        case.doubt_of(Code::TargetRuntime, "the name of a changed file");
    }
    if reading.unclear.is_empty() {
        return;
    }
    let is_relevant = is_relevant(text, &reading.invocations);
    // That a text was not read whole is told of any text.
    let told = |unclear: &&Unclear| is_relevant || unclear.what == What::Bound;
    for unclear in reading.unclear.iter().filter(told) {
        case.doubt_of(code(unclear), &format!("{} at byte {}", unclear.detail, unclear.at));
    }
}

/// Judges one program start, in each way that its words can be read and each place it may run in.
pub(super) fn judge_invocation(case: &mut Case, invocation: &Invocation, windows: bool) {
    let ways = invocation.ways();
    if ways.is_empty() {
        judge_places(case, invocation, windows);
    }
    for way in &ways {
        judge_places(case, way, windows);
    }
}

fn judge_places(case: &mut Case, invocation: &Invocation, windows: bool) {
    judge_start(case, invocation, windows);
    for directory in &invocation.elsewhere {
        if !case.found.is_empty() {
            return;
        }
        let there = Invocation { cwd: Some(directory.clone()), ..invocation.clone() };
        judge_start(case, &there, windows);
    }
}

fn judge_start(case: &mut Case, invocation: &Invocation, windows: bool) {
    let place = place(invocation);
    if let Some(cli) = memory_cli(&invocation.argv, windows, case.programs) {
        verbs::judge(case, &cli, &place, !invocation.remote && is_this_user(case, invocation));
    }
    judge_emptied(case, invocation, windows);
    // In another machine or container the paths are not ours; an id is, wherever it is spelled.
    if !invocation.remote {
        files::judge(case, invocation, windows);
        client::judge(case, invocation, windows);
    }
}

/// Judges a memory's own program as if what only run time knows were nothing: a variable that nobody
/// set is. Other programs are not: `rm -rf "$X"/*` is no `rm -rf /*`.
fn judge_emptied(case: &mut Case, invocation: &Invocation, windows: bool) {
    let Some(emptied) = invocation.emptied().filter(|_| case.found.is_empty()) else { return };
    let Some(cli) = memory_cli(&emptied.argv, windows, case.programs) else { return };
    let doubts = case.found.doubts.clone();
    let ours = !invocation.remote && is_this_user(case, invocation);
    verbs::judge(case, &cli, &place(invocation), ours);
    if case.found.is_empty() {
        // What is not known has been said already.
        case.found.doubts = doubts;
    }
}

/// Whether a program gets this user's home: with another one it has its own settings and stores.
fn is_this_user(case: &Case, invocation: &Invocation) -> bool {
    let home = invocation.env.iter().rev().find(|(key, _)| key == "HOME");
    home.is_none_or(|(_, value)| value.literal().is_none_or(|value| value == case.facts.home()))
}

fn place(invocation: &Invocation) -> Place {
    let variable = |name: &str| {
        let found = invocation.env.iter().rev().find(|(key, _)| key == name);
        found.and_then(|(_, value)| value.literal()).map(str::to_owned)
    };
    Place {
        cwd: invocation.cwd.clone(),
        cortex_home: variable("CORTEX_HOME"),
        named: variable("RINGFENCE_STORE").into_iter().collect(),
    }
}

fn names_store(text: &str) -> bool {
    paths::STORE_NAMES.iter().any(|name| text.contains(name))
}

/// Whether what is unclear could reach memory: the text, or a word of what it runs, names a verb or
/// a store's file.
fn is_relevant(text: &str, invocations: &[Invocation]) -> bool {
    tools::shell_command_targets_memory(text)
        || names_store(text)
        || invocations.iter().any(|invocation| verbs::speaks_of_memory(&invocation.argv))
}

pub(super) fn code(unclear: &Unclear) -> Code {
    match unclear.what {
        What::Program | What::Launcher => Code::ProgramUnknown,
        What::Script => Code::ScriptUnread,
        What::Code => Code::TargetRuntime,
        What::Bound | What::Nul | What::Syntax => Code::ShellUnclear,
    }
}

/// The invocation's program by name, lower-cased on Windows; `None` if only run time knows.
pub(super) fn program_of(invocation: &Invocation, windows: bool) -> Option<String> {
    let first: &Word = invocation.argv.first()?;
    program::names(first).first().map(|name| program::program_name(name, windows))
}

/// `word` as one word of a shell text.
pub(super) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
