//! Sessions and subagents as they come and go: what the session tree is built from.

use std::path::Path;

use crate::payload::Payload;
use crate::state::{CallRecord, Off, SessionRecord, State};
use crate::sys::{clock, env, git, process};

use super::answer;
use super::line::Line;
use super::{audit, posture, proposals, scratchpad, snapshots};

/// A session starts, resumes, was cleared or compacted.
pub(super) fn session_start(raw: &[u8], line: &Line) {
    let Some((payload, state)) = read(raw, line) else { return };
    if line.has_posture()
        && let Some(dirs) = line.dirs()
    {
        posture::session_start(&payload, line, &dirs);
    }
    let client = client();
    let child_of = client.and_then(|client| caller_of(&client, &state, &payload.session));
    let is_new_client = matches!(payload.source.as_deref(), Some("startup" | "resume"));
    // A child session that a person resumes is that person's from then on.
    if child_of.is_none()
        && is_new_client
        && client.is_some_and(|client| state.is_persons_client(&client))
    {
        // What stays marked is guarded, which is the safe side.
        drop(state.unmark(&payload.session));
    }
    let now = clock::now_ms();
    let pause = state.pause_at(Path::new(&payload.cwd), now);
    let record = SessionRecord {
        first_seen: clock::rfc3339(clock::now_ms()),
        ended: String::new(),
        // Where we are registered twice, a first start is seen twice.
        restarted: payload.source.as_deref() != Some("startup")
            && state.session(&payload.session).is_some(),
        project: env::var("CLAUDE_PROJECT_DIR").unwrap_or_default(),
        scope: git::scope_of(Path::new(&payload.cwd)),
        child_of,
        cwd: payload.cwd,
        session: payload.session,
    };
    // What cannot be kept is not known later, and what is not known is allowed.
    if state.record_session(record.clone()).is_ok()
        && let Some(client) = client
    {
        drop(state.record_client(client.pid, client.start, &record.session));
    }
    say(raw, line, &state, &record, pause.as_ref());
    state.tidy();
    if line.has_guard() {
        snapshots::start(line, &record.cwd);
    }
}

/// What is said at the start of a session: to the person, and to the model.
fn say(raw: &[u8], line: &Line, state: &State, record: &SessionRecord, pause: Option<&Off>) {
    let off = pause.filter(|_| line.has_guard()).map(off_notice);
    let audit = line.has("audit").then(|| audit::sentence(raw, line, &record.cwd)).flatten();
    let messages: Vec<String> = off.into_iter().chain(audit).collect();
    let message = (!messages.is_empty()).then(|| messages.join("\n"));
    // A client that a subagent started decides about nothing.
    let is_parent = record.child_of.is_none() && line.has_guard();
    let reminder = is_parent.then(|| proposals::reminder(state, &record.cwd)).flatten();
    let elsewhere = line
        .has("scratchpad")
        .then(|| scratchpad::session_start(&record.session, line, &record.cwd))
        .flatten();
    let contexts: Vec<String> = reminder.into_iter().chain(elsewhere).collect();
    let context = (!contexts.is_empty()).then(|| contexts.join("\n"));
    if message.is_some() || context.is_some() {
        let said = answer::session_start(message.as_deref(), context.as_deref());
        process::write_output(said.as_bytes());
    }
}

/// What the person is told at the start of a session in a pause.
fn off_notice(pause: &Off) -> String {
    let whom = match &pause.project {
        None => String::new(),
        Some(project) => format!(" for {}", project.display()),
    };
    let until = clock::rfc3339(pause.until);
    format!("Ringfence is off{whom} until {until}: subagents may change any memory")
}

/// A session ends; it may be resumed later.
pub(super) fn session_end(raw: &[u8], line: &Line) {
    let Some((payload, state)) = read(raw, line) else { return };
    if let Some(mut record) = state.session(&payload.session) {
        record.ended = clock::rfc3339(clock::now_ms());
        drop(state.record_session(record));
    }
}

/// A subagent starts or stops.
pub(super) fn subagent(raw: &[u8], line: &Line, event: &str) {
    let Some((payload, state)) = read(raw, line) else { return };
    let Some(agent) = payload.agent else { return };
    // The parent reads of it in the subagent's final message: what a hook adds to this event goes to the
    // subagent, which would go on because of it.
    if event == "subagent-stop"
        && let Some(notice) = proposals::notice(&state, &payload.session, &agent)
    {
        process::write_output(answer::notice(&notice).as_bytes());
    }
    drop(state.append_call(&CallRecord {
        at: clock::rfc3339(clock::now_ms()),
        event: event.into(),
        session: payload.session,
        agent: Some(agent),
        scope: git::scope_of(Path::new(&payload.cwd)),
        cwd: payload.cwd,
        ..CallRecord::default()
    }));
}

/// A call failed after it was let through: its grants are given back.
pub(super) fn call_failed(raw: &[u8], line: &Line) {
    let Some((payload, state)) = read(raw, line) else { return };
    state.give_back(&payload.call.unwrap_or_default());
}

fn read(raw: &[u8], line: &Line) -> Option<(Payload, State)> {
    let payload = Payload::read(raw).filter(|payload| !payload.session.is_empty())?;
    let dirs = line.dirs()?;
    Some((payload, line.state(&dirs)))
}

/// The client's own process: our parent, or the one above the shells between us (the shim, or a
/// registration in shell form).
///
/// A client starts its hooks in a kernel session of their own, so a shell between us is in ours. A
/// client that was copied to `/tmp/bash` is not, and is seen for what it is.
pub(super) fn client() -> Option<process::Process> {
    let own = process::own()?;
    process::ancestors().into_iter().find(|ancestor| {
        let name = process::name(ancestor.pid).unwrap_or_default();
        let is_shell = matches!(name.as_str(), "sh" | "dash" | "bash" | "ringfence.sh");
        !is_shell || ancestor.session != own.session
    })
}

/// The session from whose tool call this client was started: the nearest ancestor that is the client
/// of another session, or, when those between have left, what the client itself was started with.
fn caller_of(client: &process::Process, state: &State, session: &str) -> Option<String> {
    process::ancestors()
        .into_iter()
        .skip_while(|ancestor| ancestor.pid != client.pid)
        .skip(1)
        .find_map(|ancestor| state.client_session(ancestor.pid, ancestor.start))
        .or_else(|| {
            // The client gives this to every shell that it starts, and never to itself.
            process::variable(client.pid, "CLAUDE_CODE_SESSION_ID")
                .filter(|other| state.session(other).is_some())
        })
        .filter(|other| other != session)
}
