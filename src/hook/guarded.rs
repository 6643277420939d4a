//! The guard's arm: one tool call, judged.

use std::path::Path;

use crate::config;
use crate::decision::{Code, Doubt, MemoryGuardDenial};
use crate::facts::{Machine, Setup, proposals};
use crate::guard::{self, TEXT_KEYS, evaluate_memory_guard};
use crate::payload::Payload;
use crate::request::{Argument, MemoryGuardRequest};
use crate::shell::{Dialect, NoFiles, Start, memory_call, read};
use crate::state::log::{LONGEST_PAYLOAD, LogLine};
use crate::state::{CallRecord, State};
use crate::sys::{clock, dirs::Dirs, env, git, memory, process};

use super::answer;
use super::line::Line;
use super::prefilter;

/// What a look-up in a store takes of the heap, in bytes.
const HEAP: usize = 384 * 1024;

/// Judges one call; says whether it was refused, which is an answer, and a call has only one.
pub(super) fn pre_tool_use(raw: &[u8], line: &Line) -> bool {
    if !line.has_guard() {
        return false;
    }
    let marked = prefilter::may_hold_mark(raw);
    if !marked && !prefilter::may_be_memory_call(raw) && !of_child(raw, line) {
        return false;
    }
    let Some(dirs) = line.dirs() else { return false };
    let state = line.state(&dirs);
    let Some(payload) = Payload::read(raw) else {
        if marked {
            log_failure(&state, &Doubt::new(Code::PayloadUnreadable, ""));
        }
        return false;
    };
    record(&payload, &state);
    let child_of = match payload.agent {
        Some(_) => None,
        None => state.parent_of(&payload.session),
    };
    if payload.agent.is_none() && child_of.is_none() {
        return false;
    }
    // What doctor goes by: nothing else shows that the client asks about subagents' calls.
    state.touch_asked();
    judge(payload, child_of, raw, line, dirs, &state)
}

/// Whether the raw bytes name a session that is marked as another one's child.
fn of_child(raw: &[u8], line: &Line) -> bool {
    let Some(session) = prefilter::session_id(raw) else { return false };
    line.dirs().is_some_and(|dirs| line.state(&dirs).parent_of(session).is_some())
}

fn judge(
    payload: Payload,
    child_of: Option<String>,
    raw: &[u8],
    line: &Line,
    dirs: Dirs,
    state: &State,
) -> bool {
    if !concerns(&payload) {
        return false;
    }
    let kept = line.logs_payloads.then_some(raw);
    let project = env::var("CLAUDE_PROJECT_DIR");
    let request = payload.request(child_of, project);
    if state.is_off(&request, clock::now_ms()) {
        let off = LogLine::allowed(&request, &Doubt::new(Code::SwitchedOff, ""));
        log(state, &LogLine { payload: kept.and_then(whole), ..off });
        return false;
    }
    let settings = config::load_for(&dirs, line.config.as_deref(), Path::new(&request.cwd));
    let setup = Setup {
        dirs,
        state: state.clone(),
        stores: line.stores.clone(),
        cortex_homes: line.cortex_homes.clone(),
        config: line.config.clone(),
        client: line.client.clone(),
        caller: request.caller.clone(),
        cwd: request.cwd.clone(),
        project: request.project.clone(),
        call_id: request.call_id.clone(),
    };
    memory::lay_out_heap(HEAP);
    let machine = Machine::new(setup);
    let verdict = evaluate_memory_guard(&machine, &request, &settings.policy);
    let kept_as = verdict.denial.as_ref().and_then(|denial| {
        let ids = denial.targets.iter().map(|target| target.id.as_str());
        proposals::keep(&request, denial, state, || machine.family_of(ids))
    });
    // The process ends with the answer: closing the stores would only take time.
    std::mem::forget(machine);
    if let Some(denial) = &verdict.denial {
        let message = settings.system_message.then(|| notice(denial));
        let reason = match kept_as {
            Some(kept_as) => format!("{}\n{kept_as}", denial.reason),
            None => denial.reason.clone(),
        };
        process::write_output(answer::deny(&reason, message.as_deref()).as_bytes());
    }
    if let Some(entry) = LogLine::of(&request, &verdict) {
        log(state, &LogLine { payload: kept.and_then(whole), ..entry });
    }
    verdict.denial.is_some()
}

/// Whether a call of this tool with these arguments can concern memory at all.
fn concerns(payload: &Payload) -> bool {
    if !guard::is_shell_tool(&payload.tool) {
        return guard::is_guarded_tool(&payload.tool);
    }
    TEXT_KEYS.iter().any(|key| match payload.input.get(key) {
        Some(Argument::Text(text)) => prefilter::text_may_matter(text),
        Some(Argument::Other(_)) => true,
        Some(Argument::Null) | None => false,
    })
}

/// One line for the person at the terminal.
fn notice(denial: &MemoryGuardDenial) -> String {
    let first = denial.targets.first().map_or("", |target| target.label.as_str());
    let more = denial.targets.len().saturating_sub(1);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("Ringfence refused a subagent's call ({}): {first}{more}", denial.action.as_str())
}

/// Records a memory call's maker: the parent's too, because the store's server cannot tell them apart.
fn record(payload: &Payload, state: &State) {
    let tool = payload.tool.as_str();
    let (memory, digest, grants) = if guard::is_shell_tool(tool) {
        let text = payload.input.text(&TEXT_KEYS).unwrap_or("");
        if !text.contains("ringfence") {
            return;
        }
        (true, crate::state::digest(text), granted(text))
    } else {
        (tool.contains("cortex_note") || tool.contains("cortex_resolve"), String::new(), Vec::new())
    };
    if !memory {
        return;
    }
    let record = CallRecord {
        at: clock::rfc3339(clock::now_ms()),
        event: "call".into(),
        session: payload.session.clone(),
        call: payload.call.clone().unwrap_or_default(),
        agent: payload.agent.clone(),
        agent_type: payload.agent_type.clone(),
        tool: tool.to_owned(),
        scope: git::scope_of(Path::new(&payload.cwd)),
        cwd: payload.cwd.clone(),
        digest,
        grants,
    };
    // Without its record a note's owner is unknown, which is allowed; the call goes on.
    drop(state.append_call(&record));
}

/// The ids that the text would grant: `ringfence grant ID`, as the shell reads it.
fn granted(text: &str) -> Vec<String> {
    if !text.contains("grant") {
        return Vec::new();
    }
    let reading = read(text, Dialect::Posix, &Start::default(), &NoFiles);
    reading
        .invocations
        .iter()
        .filter_map(|invocation| memory_call(invocation, false))
        .filter(|call| call.subcommand.and_then(crate::shell::Word::literal) == Some("grant"))
        .filter_map(|call| {
            call.args
                .iter()
                .filter_map(crate::shell::Word::literal)
                .find(|word| !word.starts_with('-'))
        })
        .map(str::to_owned)
        .collect()
}

/// Logs a failure of our own, about a call of which nothing is known.
pub(super) fn log_failure(state: &State, doubt: &Doubt) {
    log(state, &LogLine::allowed(&MemoryGuardRequest::default(), doubt));
}

fn log(state: &State, entry: &LogLine) {
    // A log that cannot be written changes no verdict.
    drop(state.append_log(entry));
}

/// The payload as it is kept in the log; a longer one would be of no use as a piece.
fn whole(raw: &[u8]) -> Option<String> {
    (raw.len() <= LONGEST_PAYLOAD).then(|| String::from_utf8_lossy(raw).trim_end().to_owned())
}
