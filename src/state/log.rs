//! The log: one line for each refusal and each uncertain allow of a relevant call.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::State;
use super::spool::turn_over;
use crate::decision::{Code, Doubt, GuardedAction, MemoryGuardDenial, Verdict};
use crate::request::MemoryGuardRequest;
use crate::sys::{clock, file};

/// The log is turned over when it grows larger.
const TURN_OVER: u64 = 8 * 1024 * 1024;

/// How much of its end is read.
const TAIL: u64 = 4 * 1024 * 1024;

/// How much of its end is searched for the line of a twin, which is milliseconds old.
const TWIN: u64 = 64 * 1024;

/// One line of `log.jsonl`. Never a memory's text, never a command's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogLine {
    /// RFC 3339 with milliseconds.
    pub at: String,
    /// `deny` or `allow`.
    pub verdict: String,
    /// The reason code.
    pub code: String,
    /// At most 200 characters: a path, an id, a place.
    pub detail: String,
    /// The host's session id.
    pub session: String,
    /// The subagent's id.
    pub agent: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The host's id of the call.
    pub call: Option<String>,
    /// What a refused call would have done.
    pub action: Option<String>,
    /// The ids of its targets.
    pub targets: Vec<String>,
}

impl LogLine {
    /// A relevant call that was let through, and why that was not sure.
    pub fn allowed(request: &MemoryGuardRequest, doubt: &Doubt) -> Self {
        Self { verdict: "allow".into(), ..Self::about(request, doubt.code, &doubt.detail) }
    }

    /// A call that was refused; `doubts` are those of its verdict.
    pub fn denied(
        request: &MemoryGuardRequest,
        denial: &MemoryGuardDenial,
        doubts: &[Doubt],
    ) -> Self {
        let unproven =
            doubts.iter().map(|doubt| doubt.code).find(|code| *code == Code::DeniedUnproven);
        let code = unproven.unwrap_or(match denial.action {
            GuardedAction::Tamper => Code::DeniedTamper,
            GuardedAction::Retire | GuardedAction::Edit | GuardedAction::Delete => {
                Code::DeniedForeign
            }
        });
        Self {
            verdict: "deny".into(),
            action: Some(denial.action.as_str().into()),
            targets: denial.targets.iter().map(|target| target.id.clone()).collect(),
            ..Self::about(request, code, "")
        }
    }

    fn about(request: &MemoryGuardRequest, code: Code, detail: &str) -> Self {
        Self {
            at: clock::rfc3339(clock::now_ms()),
            code: code.as_str().into(),
            detail: detail.chars().take(200).collect(),
            session: request.caller.session.clone(),
            agent: request.caller.agent.clone(),
            tool: request.tool.clone(),
            call: request.call_id.clone(),
            ..Self::default()
        }
    }
}

impl State {
    /// Leaves a line for a refusal, or one for each doubt of a call that was let through.
    pub fn log_verdict(&self, request: &MemoryGuardRequest, verdict: &Verdict) {
        let lines: Vec<LogLine> = match &verdict.denial {
            Some(denial) => vec![LogLine::denied(request, denial, &verdict.doubts)],
            None => verdict.doubts.iter().map(|doubt| LogLine::allowed(request, doubt)).collect(),
        };
        for line in &lines {
            // The decision stands whether or not it can be written down.
            drop(self.append_log(line));
        }
    }

    /// The log's file.
    pub fn log_path(&self) -> PathBuf {
        self.dir().join("log.jsonl")
    }

    /// Appends one line, unless another of us said the same of the same call: where we are registered
    /// twice, two of us judge it at once.
    ///
    /// # Errors
    /// As the system says.
    pub fn append_log(&self, line: &LogLine) -> std::io::Result<()> {
        file::private_dir(self.dir())?;
        turn_over(&self.log_path(), TURN_OVER);
        let text = serde_json::to_string(line)?;
        match line.call.as_deref().filter(|call| !call.is_empty()) {
            None => file::append_line(&self.log_path(), &text),
            Some(call) => file::append_line_unless(&self.log_path(), &text, TWIN, |tail| {
                memchr::memmem::find(tail, call.as_bytes()).is_some() && holds(tail, line)
            }),
        }
    }

    /// The lines at the end of the log, oldest first.
    pub fn log_lines(&self) -> Vec<LogLine> {
        let bytes = file::read_tail(&self.log_path(), TAIL).unwrap_or_default();
        bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }
}

/// Whether the end of the log says of a call what `line` says, or that it was refused, which is all
/// there is to say.
fn holds(tail: &[u8], line: &LogLine) -> bool {
    let lines = tail.split(|byte| *byte == b'\n');
    let mut known = lines.filter_map(|text| serde_json::from_slice::<LogLine>(text).ok());
    known.any(|known| {
        let same_call = known.call == line.call && known.session == line.session;
        let same = (&known.verdict, &known.code, &known.detail)
            == (&line.verdict, &line.code, &line.detail);
        same_call && (same || (known.verdict == "deny" && line.verdict == "allow"))
    })
}
