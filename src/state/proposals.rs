//! Proposals: what a subagent was refused to write, kept for its parent to decide.
//!
//! A proposal is a file whose name is its number; deciding about it renames it, so that of two
//! decisions at once one wins. It is the one place outside a store that holds a memory's text.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{State, digest};
use crate::sys::file;

/// So many wait at the most; what is refused beyond that is not kept.
const WAITING: usize = 200;

/// So many of them may be one agent's: it must not push out what others were refused.
const OF_ONE: usize = 50;

/// So many that were decided about stay on record.
const DECIDED: usize = 200;

/// The largest file that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// One refused write: `proposals/<number>.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    /// Its number.
    #[serde(skip)]
    pub number: u64,
    /// When it was refused, RFC 3339 with milliseconds.
    pub at: String,
    /// The host's session id.
    pub session: String,
    /// The subagent's id.
    pub agent: Option<String>,
    /// The host's id of the call.
    pub call: String,
    /// The directory of the call.
    pub cwd: String,
    /// The branch scope of `cwd`.
    pub scope: Option<String>,
    /// Whose store it was meant for: `cortex` or `ringfence`.
    pub family: String,
    /// `note`, `edit`, `resolve`.
    pub action: String,
    /// The memory that is named by its id.
    pub target: Option<String>,
    /// For a note its kind.
    pub kind: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// The new text.
    pub text: Option<String>,
    /// What was considered and left.
    pub alternatives: Vec<String>,
    /// For a resolve: `resolved` or `superseded`.
    pub status: Option<String>,
}

impl State {
    fn proposals_dir(&self) -> PathBuf {
        self.dir().join("proposals")
    }

    /// Keeps a proposal; its number. The same write of the same call is kept once, and without a call's
    /// id the same write of the same agent.
    pub fn keep_proposal(&self, proposal: &Proposal) -> Option<u64> {
        let dir = self.proposals_dir();
        file::private_dir(&dir).ok()?;
        let text = serde_json::to_vec(proposal).ok()?;
        let same = Proposal { at: String::new(), ..proposal.clone() };
        let claim = digest(&serde_json::to_string(&same).ok()?);
        let known = || {
            let waiting = self.proposals().into_iter();
            let is_same = |known: &Proposal| {
                Proposal { at: String::new(), number: 0, ..known.clone() } == same
            };
            waiting.into_iter().find(is_same).map(|known| known.number)
        };
        if proposal.call.is_empty() {
            // Tried again and again it must not push out what others were refused.
            if let Some(number) = known() {
                return Some(number);
            }
        } else if file::write_new(&dir.join(format!("{claim}.claim")), b"").is_err() {
            // Another registration of ours was asked about the same call.
            return known();
        }
        let names = file::names(&dir);
        let waiting = names.iter().filter(|name| name.ends_with(".json")).count();
        if waiting >= WAITING || (waiting >= OF_ONE && self.waiting_of(proposal) >= OF_ONE) {
            return None;
        }
        let last = names.iter().filter_map(|name| number(name)).max().unwrap_or(0);
        self.forget_decided(&names);
        // Another call may take the number at the same time.
        (last + 1..last + 9)
            .find(|number| file::write_new(&dir.join(format!("{number}.json")), &text).is_ok())
    }

    /// The proposals that wait, oldest first.
    pub fn proposals(&self) -> Vec<Proposal> {
        let mut found: Vec<Proposal> = file::names(&self.proposals_dir())
            .iter()
            .filter(|name| name.ends_with(".json"))
            .filter_map(|name| {
                let bytes = file::read_bounded(&self.proposals_dir().join(name), LIMIT).ok()?;
                let known: Proposal = serde_json::from_slice(&bytes).ok()?;
                Some(Proposal { number: number(name)?, ..known })
            })
            .collect();
        found.sort_by_key(|proposal| proposal.number);
        found
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        file::names(&self.proposals_dir()).iter().filter(|name| name.ends_with(".json")).count()
    }

    /// How many wait of the agent that made a proposal.
    fn waiting_of(&self, proposal: &Proposal) -> usize {
        let maker = |one: &Proposal| (one.session.clone(), one.agent.clone());
        let own = maker(proposal);
        self.proposals().iter().filter(|one| maker(one) == own).count()
    }

    /// Takes a proposal out of those that wait, as `accepted` or `dropped`: `true` for one winner.
    pub fn decide(&self, number: u64, how: &str) -> bool {
        let place = |end: &str| self.proposals_dir().join(format!("{number}.{end}"));
        file::rename(&place("json"), &place(how)).is_ok()
    }

    /// Puts a proposal back among those that wait, because what was decided could not be done.
    pub fn undecide(&self, number: u64, how: &str) {
        let place = |end: &str| self.proposals_dir().join(format!("{number}.{end}"));
        drop(file::rename(&place(how), &place("json")));
    }

    /// Of those that were decided about, and of claims, the oldest go.
    fn forget_decided(&self, names: &[String]) {
        let dir = self.proposals_dir();
        let mut decided: Vec<(u64, &String)> = names
            .iter()
            .filter(|name| name.ends_with(".accepted") || name.ends_with(".dropped"))
            .filter_map(|name| Some((number(name)?, name)))
            .collect();
        decided.sort_unstable();
        let mut claims: Vec<(i64, &String)> = names
            .iter()
            .filter(|name| name.ends_with(".claim"))
            .filter_map(|name| Some((file::changed_ms(&dir.join(name))?, name)))
            .collect();
        claims.sort_unstable();
        let old = |count: usize| count.saturating_sub(DECIDED);
        let (decided_old, claims_old) = (old(decided.len()), old(claims.len()));
        let decided = decided.into_iter().take(decided_old).map(|(_, name)| name);
        let claims = claims.into_iter().take(claims_old).map(|(_, name)| name);
        for name in decided.chain(claims) {
            drop(file::remove(&dir.join(name)));
        }
    }
}

/// The number in a file's name.
fn number(name: &str) -> Option<u64> {
    let (number, end) = name.split_once('.')?;
    let known = matches!(end, "json" | "accepted" | "dropped");
    known.then(|| number.parse().ok()).flatten()
}
