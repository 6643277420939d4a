//! The host's protocol: payload in, answer out. The only place that knows its JSON.
//!
//! One process, one call: read, decide, answer, leave. It fails open: whatever goes wrong is silence
//! and status 0, and never status 2, which the client takes as "block".

mod answer;
mod guarded;
mod lifecycle;
mod line;
pub mod prefilter;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::sys::{backstop, process};
use line::{Event, Line};

/// The longest payload that is read, in bytes.
const MAX_PAYLOAD: u64 = 32 * 1024 * 1024;

/// Runs one hook call. Always exits 0.
pub fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    // Every arm so far fails open: the fixed answer is nothing.
    backstop::install(b"");
    let line = Line::read(args);
    match &line.event {
        Event::SelfTest(what) => backstop::fail_on_purpose(what),
        Event::Unknown => {}
        Event::PreToolUse
        | Event::PostToolUseFailure
        | Event::SessionStart
        | Event::SessionEnd
        | Event::SubagentStart
        | Event::SubagentStop => call(&line),
    }
    process::leave()
}

fn call(line: &Line) {
    let Some(raw) = process::read_input(MAX_PAYLOAD) else { return };
    match &line.event {
        Event::PreToolUse => guarded::pre_tool_use(&raw, line),
        Event::PostToolUseFailure => lifecycle::call_failed(&raw, line),
        Event::SessionStart => lifecycle::session_start(&raw, line),
        Event::SessionEnd => lifecycle::session_end(&raw, line),
        Event::SubagentStart => lifecycle::subagent(&raw, line, "subagent-start"),
        Event::SubagentStop => lifecycle::subagent(&raw, line, "subagent-stop"),
        Event::SelfTest(_) | Event::Unknown => {}
    }
}
