//! The log: one line for each relevant call: what was refused, what was let through, and why.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::State;
use super::off::project_of;
use crate::decision::{Code, Doubt, GuardedAction, Verdict, Weight};
use crate::request::MemoryGuardRequest;
use crate::sys::file;
use crate::sys::spool::{self, Growing};
use crate::sys::{backstop, clock};

/// The log is turned over when it grows larger; the older half stays beside it as `log.jsonl.1`.
pub const TURN_OVER: u64 = 8 * 1024 * 1024;

/// How much of its end is read for a question about the last few calls.
const TAIL: u64 = 4 * 1024 * 1024;

/// How much of its end is searched for the line of a twin, which is milliseconds old.
const TWIN: u64 = 64 * 1024;

/// The longest payload that a line keeps, in bytes, when the registration asks for it.
pub const LONGEST_PAYLOAD: usize = 64 * 1024;

/// One line of `log.jsonl`: one call. Never a memory's text; a command's only in `payload`.
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
    /// The directory of the call's project, links resolved: its repository's main work tree, or the
    /// directory itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The host's id of the call.
    pub call: Option<String>,
    /// What a refused call would have done.
    pub action: Option<String>,
    /// The ids of its targets.
    pub targets: Vec<String>,
    /// What else could not be proved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Reason>,
    /// From the start of the hook's own code to this line, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
    /// The host's whole payload, where the registration says `--log verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
}

/// One more reason of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reason {
    /// The reason code.
    pub code: String,
    /// At most 200 characters.
    pub detail: String,
}

impl LogLine {
    /// How much the call matters to whoever reads the log.
    pub fn weight(&self) -> Weight {
        if self.verdict == "deny" {
            return Weight::Refused;
        }
        let codes = std::iter::once(&self.code).chain(self.also.iter().map(|reason| &reason.code));
        // A code of another version is one that we cannot call proved.
        codes
            .map(|word| Code::named(word).map_or(Weight::Unproven, Code::weight))
            .max()
            .unwrap_or(Weight::Unproven)
    }
}

/// What a reading of the log gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogText {
    /// Oldest first.
    pub lines: Vec<LogLine>,
    /// How many lines could not be read.
    pub broken: usize,
}

impl LogText {
    /// Takes in one line; an empty one is none.
    pub fn take(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(line) => self.lines.push(line),
            Err(_) => self.broken += 1,
        }
    }

    fn take_all(&mut self, bytes: &[u8]) {
        bytes.split(|byte| *byte == b'\n').for_each(|line| self.take(line));
    }
}

impl LogLine {
    /// The line on a judged call; `None` for one that touched no memory and left no doubt.
    pub fn of(request: &MemoryGuardRequest, verdict: &Verdict) -> Option<Self> {
        let mut doubts = verdict.doubts.clone();
        let (action, mut targets): (_, Vec<String>) = match &verdict.denial {
            Some(denial) => {
                let unproven = doubts.iter().position(|doubt| doubt.code == Code::DeniedUnproven);
                let code = match (unproven, denial.action) {
                    (Some(at), _) => doubts.remove(at).code,
                    (None, GuardedAction::Tamper) => Code::DeniedTamper,
                    (None, GuardedAction::Retire | GuardedAction::Edit | GuardedAction::Delete) => {
                        Code::DeniedForeign
                    }
                };
                doubts.insert(0, Doubt::new(code, ""));
                let ids = denial.targets.iter().map(|target| target.id.clone()).collect();
                (Some(denial.action.as_str().to_owned()), ids)
            }
            None => {
                // What could not be proved comes before what was found to be in order.
                doubts.sort_by_key(|doubt| doubt.code.weight() == Weight::Allowed);
                if doubts.is_empty() && !verdict.own.is_empty() {
                    doubts.push(Doubt::new(Code::AllowedOwn, ""));
                }
                (None, verdict.own.clone())
            }
        };
        targets.truncate(LONGEST_LIST);
        let (first, others) = doubts.split_first()?;
        let reason =
            |doubt: &Doubt| Reason { code: doubt.code.as_str().into(), detail: detail(doubt) };
        Some(Self {
            verdict: if action.is_some() { "deny" } else { "allow" }.into(),
            action,
            targets,
            also: others.iter().take(LONGEST_LIST).map(reason).collect(),
            ..Self::allowed(request, first)
        })
    }

    /// A change of the client's settings that was refused, and what was wrong with it.
    pub fn refused_change(request: &MemoryGuardRequest, said: &str, path: &Path) -> Self {
        Self {
            verdict: "deny".into(),
            action: Some(GuardedAction::Tamper.as_str().into()),
            targets: vec![path.to_string_lossy().into_owned()],
            ..Self::allowed(request, &Doubt::new(Code::DeniedUnbinding, said))
        }
    }

    /// A relevant call that was let through, and why that was not sure.
    pub fn allowed(request: &MemoryGuardRequest, doubt: &Doubt) -> Self {
        Self {
            at: clock::rfc3339(clock::now_ms()),
            verdict: "allow".into(),
            code: doubt.code.as_str().into(),
            detail: detail(doubt),
            session: request.caller.session.clone(),
            agent: request.caller.agent.clone(),
            project: project(request),
            tool: request.tool.clone(),
            call: request.call_id.clone(),
            took_us: backstop::elapsed_us(),
            ..Self::default()
        }
    }
}

/// The project of a call: the host's, or that of the directory.
fn project(request: &MemoryGuardRequest) -> Option<String> {
    let dir = request.project.as_deref().unwrap_or(&request.cwd);
    (!dir.is_empty()).then(|| project_of(Path::new(dir)).to_string_lossy().into_owned())
}

fn detail(doubt: &Doubt) -> String {
    doubt.detail.chars().take(200).collect()
}

/// The most targets and the most further reasons that a line names.
const LONGEST_LIST: usize = 32;

impl State {
    /// Leaves a line on a judged call, if there is anything to say.
    pub fn log_verdict(&self, request: &MemoryGuardRequest, verdict: &Verdict) {
        if let Some(line) = LogLine::of(request, verdict) {
            // The decision stands whether or not it can be written down.
            drop(self.append_log(&line));
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
        let text = serde_json::to_string(line)?;
        match line.call.as_deref().filter(|call| !call.is_empty()) {
            None => spool::append(&self.log_path(), TURN_OVER, &text, 0, |_| false),
            Some(call) => spool::append(&self.log_path(), TURN_OVER, &text, TWIN, |tail| {
                memchr::memmem::find(tail, call.as_bytes()).is_some() && holds(tail, line)
            }),
        }
    }

    /// The lines at the end of the log, oldest first.
    pub fn log_lines(&self) -> Vec<LogLine> {
        let mut text = LogText::default();
        text.take_all(&file::read_tail(&self.log_path(), TAIL).unwrap_or_default());
        text.lines
    }

    /// The whole log, with what was turned over last.
    ///
    /// # Errors
    /// When a file is there and cannot be read, or is no regular file of its own.
    pub fn whole_log(&self) -> std::io::Result<LogText> {
        let (mut text, growing) = self.follow_log()?;
        text.take(growing.unfinished());
        Ok(text)
    }

    /// The whole log, and the file in which it goes on.
    ///
    /// # Errors
    /// As [`Self::whole_log`].
    pub fn follow_log(&self) -> std::io::Result<(LogText, Growing)> {
        let path = self.log_path();
        let older = spool::turned_over(&path);
        loop {
            let before = file::identity(&older);
            let mut text = LogText::default();
            match file::read_tail(&older, 2 * TURN_OVER) {
                Ok(bytes) => text.take_all(&bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            let mut growing = Growing::begin(&path, 2 * TURN_OVER)?;
            growing.lines().iter().for_each(|line| text.take(line));
            // Turned over meanwhile, lines would be missing. That takes the hook thousands of calls.
            if file::identity(&older) == before {
                return Ok((text, growing));
            }
        }
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
