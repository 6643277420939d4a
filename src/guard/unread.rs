//! Texts over the reader's bounds. Nobody writes 200 KB of commands to be let through, so what is
//! left of such a text is not simply allowed: its commands that name memory, a store's file or the
//! client's settings are judged one by one.

use super::case::Case;
use super::command;
use super::tools::LITERALS;
use crate::shell::{self, Dialect, Start, Unread};

/// Judges what was not read, unless the read part is refused already.
pub(super) fn judge(case: &mut Case, unread: &[Unread]) {
    if unread.is_empty() {
        return;
    }
    let words: Vec<&str> =
        LITERALS.iter().copied().chain(case.programs.iter().map(String::as_str)).collect();
    for unread in unread {
        if !case.found.is_empty() {
            return;
        }
        let commands = unread.commands(&words);
        if commands.is_empty() {
            continue;
        }
        let start = Start {
            cwd: case.request.cwd.clone(),
            home: case.facts.home().to_owned(),
            args: Vec::new(),
        };
        let reading = shell::read(&commands, unread.dialect, &start, case.facts);
        for mut invocation in reading.invocations {
            invocation.remote |= unread.remote;
            command::judge_invocation(case, &invocation, unread.dialect != Dialect::Posix);
        }
        for line in commands.lines() {
            if case.found.is_empty() {
                super::material::named(case, line);
            }
        }
        case.found.unread = !case.found.is_empty();
    }
}
