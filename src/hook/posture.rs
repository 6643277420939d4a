//! The posture's arm: what a hosted run's tools may do. Unlike the guard it fails closed, but only
//! in a hosted run; a person's terminal is never touched.

use std::path::Path;

use crate::config;
use crate::guard::{self, TEXT_KEYS};
use crate::payload::Payload;
use crate::posture::terminal::{self, Surroundings, TerminalRefusal};
use crate::posture::{
    Boundary, Execution, HostedSessionExecPosture as Posture, OwnerTerminalGuard, containment_for,
    execution, hosted, is_below,
};
use crate::request::Argument;
use crate::shell::{self, Dialect, Files, Start};
use crate::state::PostureRecord;
use crate::sys::dirs::Dirs;
use crate::sys::{backstop, env, file, process};
use crate::wiring::table::MANAGED_SETTINGS;

use super::line::Line;
use super::{answer, lifecycle};

/// Seconds for a start: the owner's decider may take two.
const START_SECONDS: i64 = 4;

/// The answer of a call that could not be judged in a hosted run, and of a crash in one.
const FIXED: &str = "This run is hosted and nobody is watching it, so a call that Ringfence cannot \
    judge is refused. Report in your final message what you would need.";

/// The variable by which the client contains every command.
const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";

/// The largest script that is read.
const SCRIPT_LIMIT: u64 = 256 * 1024;

/// Decides a session's posture, once.
pub(super) fn session_start(payload: &Payload, line: &Line, dirs: &Dirs) {
    backstop::extend(START_SECONDS);
    let state = line.state(dirs);
    let record = decide(payload, line, dirs);
    // What is not kept is decided again by each call, for the strictest posture.
    drop(state.record_posture(&payload.session, &record));
}

/// What holds for a session: hosted with everything that follows, or not.
fn decide(payload: &Payload, line: &Line, dirs: &Dirs) -> PostureRecord {
    let settings = config::load_for(dirs, line.config.as_deref(), Path::new(&payload.cwd));
    let client = lifecycle::client().map(|client| client.pid);
    let Some(because) = hosted::hosted_because(&settings.hosted, client) else {
        return PostureRecord::default();
    };
    let record = hosted::decide(dirs, &settings.hosted, &payload.session, &payload.cwd);
    // Without its file every command fails, which is the safe side.
    drop(hosted::write_prefix(dirs, &record.prefix_words));
    PostureRecord {
        hosted_because: because.to_owned(),
        skills_run_nothing: skills_run_nothing(),
        ..record
    }
}

/// Whether root's settings of the client keep skills from running commands.
fn skills_run_nothing() -> bool {
    let bytes = file::read_bounded(Path::new(MANAGED_SETTINGS), SCRIPT_LIMIT).unwrap_or_default();
    let settings: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
    settings.get("disableSkillShellExecution") == Some(&serde_json::Value::Bool(true))
}

/// One call of a hosted run.
pub(super) struct HostedCall {
    /// None where it could not be read.
    payload: Option<Payload>,
    record: PostureRecord,
    dirs: Dirs,
}

/// Whether the call belongs to a hosted run. From then on a crash ends in a refusal.
pub(super) fn hosted(raw: &[u8], line: &Line) -> Option<HostedCall> {
    let dirs = line.dirs()?;
    let payload = Payload::read(raw);
    let known = payload.as_ref().and_then(|payload| line.state(&dirs).posture(&payload.session));
    if known.as_ref().is_some_and(|record| !record.hosted) {
        return None;
    }
    let record = match (known, &payload) {
        (Some(record), _) => record,
        // No start was seen, so nothing was granted.
        (None, Some(payload)) => {
            let record = decide(payload, line, &dirs);
            PostureRecord { posture: Posture::Conversational.as_str().to_owned(), ..record }
        }
        (None, None) => decide(&Payload::default(), line, &dirs),
    };
    if !record.hosted {
        return None;
    }
    backstop::answer_with(fixed());
    Some(HostedCall { payload, record, dirs })
}

impl HostedCall {
    /// Judges the call and answers it.
    pub(super) fn judge(&self) {
        match &self.payload {
            Some(payload) => judge(payload, &self.record, &self.dirs),
            None => refuse(FIXED),
        }
    }
}

/// The refusal as bytes that live as long as the process.
fn fixed() -> &'static [u8] {
    Box::leak(answer::deny(FIXED, None).into_boxed_str()).as_bytes()
}

fn refuse(reason: &str) {
    process::write_output(answer::deny(reason, None).as_bytes());
}

fn judge(payload: &Payload, record: &PostureRecord, dirs: &Dirs) {
    if guard::is_shell_tool(&payload.tool) {
        return judge_shell(payload, record);
    }
    match payload.tool.to_ascii_lowercase().as_str() {
        "write" | "edit" | "multiedit" | "notebookedit" | "apply_patch" => {
            if let Some(path) = named(payload)
                && let Some(why) = closed(&path, record, dirs)
            {
                refuse(&sentence(record, &format!("`{path}` {why}")));
            }
        }
        "read" | "grep" | "glob" if named(payload).is_some_and(|path| is_ours(&path, dirs)) => {
            refuse(&sentence(record, "what belongs to Ringfence cannot be read"));
        }
        "skill" if record.skills_run_nothing => {}
        "skill" => refuse(&sentence(
            record,
            "a skill can run commands of its own, which no boundary holds",
        )),
        _ => {}
    }
}

/// Who refuses, why, and what to do instead.
fn sentence(record: &PostureRecord, what: &str) -> String {
    format!(
        "This run is hosted ({}) and nobody is watching it: {what}. Report in your final message \
         what you would need and why.",
        record.posture
    )
}

/// The path that a file tool names, absolute, links resolved.
fn named(payload: &Payload) -> Option<String> {
    let path = payload.input.text(&["file_path", "notebook_path", "path", "filePath"])?;
    let absolute = file::resolve(Path::new(&payload.cwd), Path::new(path));
    Some(absolute.to_string_lossy().into_owned())
}

fn is_ours(path: &str, dirs: &Dirs) -> bool {
    let own = [&dirs.config, &dirs.state, &dirs.data];
    own.iter().any(|dir| is_below(path, &dir.to_string_lossy()))
}

/// Why a file may not be written, after its name.
fn closed(path: &str, record: &PostureRecord, dirs: &Dirs) -> Option<&'static str> {
    if is_ours(path, dirs) {
        return Some("belongs to Ringfence");
    }
    let below_workspace = path.strip_prefix(record.workspace.as_str()).unwrap_or("");
    let wiring = ["/.claude/", "/.mcp.json", "/.git/hooks/", "/.git/config", "/.ringfence.toml"];
    if wiring.iter().any(|name| below_workspace.starts_with(name)) {
        return Some("starts programs outside the boundary");
    }
    let inside =
        is_below(path, &record.workspace) || record.write.iter().any(|open| is_below(path, open));
    (!inside).then_some("lies outside the workspace")
}

fn judge_shell(payload: &Payload, record: &PostureRecord) {
    let texts: Vec<&str> = TEXT_KEYS
        .iter()
        .filter_map(|key| match payload.input.get(key) {
            Some(Argument::Text(text)) => Some(text.as_str()),
            Some(Argument::Null | Argument::Other(_)) | None => None,
        })
        .collect();
    let [text] = texts.as_slice() else {
        // Words, or two texts: what would run is not known.
        return refuse(&sentence(record, "its command could not be read"));
    };
    if let Some(refusal) = touches_terminal(payload, record, text) {
        return refuse(&terminal_reason(&refusal));
    }
    let posture = Posture::of_word(&record.posture);
    let boundary = match record.boundary.as_str() {
        "" if record.lack == "the boundary is not enabled" => Boundary::Disabled,
        "" if record.lack.is_empty() => Boundary::Missing,
        "" => Boundary::Unavailable(record.lack.clone()),
        _ => Boundary::Available,
    };
    match execution(containment_for(Some(posture)), &boundary) {
        Execution::Refused(lack) => {
            refuse(&sentence(record, &format!("a command must run inside a boundary, and {lack}")));
        }
        Execution::OnHost(lack) => {
            let told =
                format!("This command runs on the host, not inside a boundary: {lack}. Take care.");
            process::write_output(answer::context(&told).as_bytes());
        }
        Execution::Contained => contain(payload, record, text),
    }
}

/// By the client's own prefix where that is ours; else by a rewrite of the call.
fn contain(payload: &Payload, record: &PostureRecord, text: &str) {
    let prefix = env::var(PREFIX);
    let first = lifecycle::client().and_then(|client| process::variable(client.pid, PREFIX));
    match (prefix.as_deref(), first.as_deref()) {
        (Some(prefix), _) if prefix == record.prefix => {}
        (None, None | Some("")) => {
            let key = TEXT_KEYS.into_iter().find(|key| payload.input.get(key).is_some());
            let rewritten = rewritten(record, text);
            let input = payload.input.iter().map(|(name, value)| {
                (
                    name,
                    if Some(name) == key {
                        Argument::Text(rewritten.clone())
                    } else {
                        value.clone()
                    },
                )
            });
            process::write_output(answer::rewrite(input).as_bytes());
        }
        _ => refuse(&sentence(
            record,
            "the client's shell prefix is not the one that contains this run's commands",
        )),
    }
}

/// The command inside `ringfence contain`, without loss.
fn rewritten(record: &PostureRecord, text: &str) -> String {
    let mut words: Vec<String> = record.prefix_words.clone();
    words.push(text.to_owned());
    shell_words::join(words)
}

struct Scripts;

impl Files for Scripts {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = file::read_bounded(Path::new(path), SCRIPT_LIMIT).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn touches_terminal(
    payload: &Payload,
    record: &PostureRecord,
    text: &str,
) -> Option<TerminalRefusal> {
    let start = Start {
        cwd: payload.cwd.clone(),
        home: env::var("HOME").unwrap_or_default(),
        args: Vec::new(),
    };
    let dialect = match payload.tool.to_ascii_lowercase().as_str() {
        "powershell" | "pwsh" => Dialect::PowerShell,
        _ => Dialect::Posix,
    };
    let reading = shell::read(text, dialect, &start, &Scripts);
    let guard = OwnerTerminalGuard {
        prefix: record.terminal_prefix.clone().into(),
        names: record.terminal_names.clone(),
    };
    let around = Surroundings {
        workspace: &record.workspace,
        own: &record.write,
        starts_must_be_private: Posture::of_word(&record.posture) == Posture::Conversational,
        files: &Scripts,
    };
    terminal::judge(&reading, &guard, &around)
}

fn terminal_reason(refusal: &TerminalRefusal) -> String {
    let mut reason = format!(
        "The owner's terminal is off limits to a hosted run. `{}` {}.",
        guard::label::one_line(&refusal.command, 120),
        guard::label::one_line(&refusal.because, 200)
    );
    match &refusal.instead {
        Some(instead) => reason.push_str(&format!(" Use a session of your own: `{instead}`.")),
        None => reason.push_str(" Report in your final message what you would need."),
    }
    reason
}
