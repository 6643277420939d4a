//! The host's protocol: payload in, answer out. The only place that knows its JSON.
//!
//! One process, one call: read, decide, answer, leave. It fails open: whatever goes wrong is silence
//! and status 0, and never status 2, which the client takes as "block".

mod answer;
mod audit;
mod config_change;
mod guarded;
mod lifecycle;
mod line;
mod posture;
pub mod prefilter;
mod proposals;
mod scratchpad;
mod snapshots;

use std::ffi::OsString;
use std::sync::OnceLock;

use crate::decision::{Code, Doubt};
use crate::sys::{backstop, process};
use line::{Event, Line};

/// How much of a payload is read, in bytes; what is cut off is unreadable.
const MAX_PAYLOAD: u64 = 32 * 1024 * 1024;

/// Runs one hook call. Always exits 0.
pub fn run(args: impl Iterator<Item = OsString>) -> ! {
    let line = LINE.get_or_init(|| Line::read(args));
    if line.event == Event::Snapshots {
        // No call: nobody waits for it, so it may take its time.
        snapshots::take(line);
        process::leave();
    }
    // Every arm so far fails open: the fixed answer is nothing.
    backstop::install(b"", crashed);
    if let Event::SelfTest(what) = &line.event {
        backstop::fail_on_purpose(what);
    } else if line.event != Event::Unknown {
        call(&line.event, line);
    }
    process::leave()
}

/// The line of this process, for whoever has to know it after a crash.
static LINE: OnceLock<Line> = OnceLock::new();

/// Leaves a line in the log: a call that was let through because we failed is worth knowing.
fn crashed(place: &str) {
    let Some(line) = LINE.get() else { return };
    if let Some(dirs) = line.dirs() {
        guarded::log_failure(&line.state(&dirs), &Doubt::new(Code::Crashed, place));
    }
}

fn call(event: &Event, line: &Line) {
    let raw = process::read_input(MAX_PAYLOAD);
    match event {
        Event::PreToolUse => {
            // Looked at first: in a hosted run a crash of the guard must end closed as well.
            let hosted = if line.has_posture() { posture::hosted(&raw, line) } else { None };
            let refused = guarded::pre_tool_use(&raw, line);
            if let Some(hosted) = hosted.filter(|_| !refused) {
                hosted.judge();
            }
            if line.has("scratchpad") {
                scratchpad::pre_tool_use(&raw, line);
            }
        }
        Event::PostToolUseFailure => lifecycle::call_failed(&raw, line),
        Event::SessionStart => lifecycle::session_start(&raw, line),
        Event::SessionEnd => lifecycle::session_end(&raw, line),
        Event::SubagentStart => lifecycle::subagent(&raw, line, "subagent-start"),
        Event::SubagentStop => lifecycle::subagent(&raw, line, "subagent-stop"),
        Event::ConfigChange => config_change::config_change(&raw, line),
        Event::Snapshots | Event::SelfTest(_) | Event::Unknown => {}
    }
}
