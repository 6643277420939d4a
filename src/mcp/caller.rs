//! Who makes a call: the hook wrote down which agent each call of the client is of, and the client
//! tells the server the same id of the call.

use crate::memory::note::UNKNOWN_AGENT;
use crate::memory::store::native::Author;
use crate::request::{self, Proof};
use crate::state::CallRecord;
use crate::sys::{clock, git};

use super::home::Home;

/// How old the hook's record of a call may be: as long as a person may think about a permission.
const RECORD_AGE_MS: i64 = 10 * 60 * 1000;

/// The session of a note that was written outside any client.
const TERMINAL: &str = "terminal";

/// One call's maker.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Caller {
    /// As the guard sees it.
    pub(super) judged: request::Caller,
    /// The directory of the call.
    pub(super) cwd: String,
    /// As a change is signed.
    pub(super) author: Author,
}

impl Caller {
    /// Finds out who makes the call `id` of `tool`.
    pub(super) fn find(home: &Home, id: Option<&str>, tool: &str) -> Self {
        let now = clock::now_ms();
        match id.and_then(|id| record(home, id, tool, now)) {
            Some(record) => recorded(home, record, now),
            None => unknown(home, id, now),
        }
    }

    /// The maker if nobody has shown the same id before; else somebody of whom nothing is known.
    pub(super) fn once(self, home: &Home, id: Option<&str>) -> Self {
        match id.filter(|_| self.is_proved()) {
            Some(id) if !home.state.claim_call(id) => unknown(home, None, clock::now_ms()),
            Some(_) | None => self,
        }
    }

    /// Whether the call is proved to be the parent's, which nobody judges.
    pub(super) fn is_parent(&self) -> bool {
        let judged = &self.judged;
        judged.proof == Proof::Hook && judged.agent.is_none() && judged.child_of.is_none()
    }

    /// Whether the owner of what it writes is exact.
    pub(super) fn is_proved(&self) -> bool {
        self.judged.proof == Proof::Hook
    }
}

/// The hook's fresh record of this very call. Where two differ, a subagent's counts.
fn record(home: &Home, id: &str, tool: &str, now: i64) -> Option<CallRecord> {
    let mut fitting: Vec<CallRecord> = home
        .state
        .recent_calls()
        .into_iter()
        .filter(|record| record.event == "call" && record.call == id)
        .filter(|record| record.tool.ends_with(tool))
        .filter(|record| {
            let at = record.at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
            // The clock may have been set back by a little between hook and server.
            at.is_ok_and(|at| (-RECORD_AGE_MS..=RECORD_AGE_MS).contains(&(now - at)))
        })
        .collect();
    fitting.sort_by_key(|record| record.agent.is_none());
    fitting.into_iter().next()
}

fn recorded(home: &Home, record: CallRecord, now: i64) -> Caller {
    // A call in another repository has that one's branch, which is none of this store.
    let here = home.is_here(&record.cwd);
    let scope = if here { record.scope } else { git::scope_of(&home.dir) };
    let cwd = if here { record.cwd } else { home.dir_text() };
    let child_of = match record.agent {
        Some(_) => None,
        None => home.state.parent_of(&record.session),
    };
    Caller {
        author: Author {
            session: record.session.clone(),
            agent: record.agent.clone(),
            scope,
            call: Some(record.call),
            pid: None,
            at: clock::rfc3339(now),
        },
        judged: request::Caller {
            session: record.session,
            agent: record.agent,
            agent_type: record.agent_type,
            child_of,
            proof: Proof::Hook,
        },
        cwd,
    }
}

/// Without a record the project's primary is taken for the writer, and marked as not known.
fn unknown(home: &Home, id: Option<&str>, now: i64) -> Caller {
    let session = home.session.clone();
    let judged = match id {
        Some(_) => request::Caller {
            child_of: session.as_deref().and_then(|session| home.state.parent_of(session)),
            session: session.clone().unwrap_or_default(),
            proof: Proof::Session,
            ..request::Caller::default()
        },
        None => request::Caller { proof: Proof::Nothing, ..request::Caller::default() },
    };
    let session = session.or_else(|| home.primary()).unwrap_or_else(|| TERMINAL.to_owned());
    Caller {
        judged,
        cwd: home.dir_text(),
        author: Author {
            session,
            agent: Some(UNKNOWN_AGENT.to_owned()),
            scope: git::scope_of(&home.dir),
            call: id.map(str::to_owned),
            pid: None,
            at: clock::rfc3339(now),
        },
    }
}
