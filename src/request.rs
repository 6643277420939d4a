//! What an agent wants to do, in no host's words.
//!
//! The hook translates a host's payload into a [`MemoryGuardRequest`]; everything behind it judges
//! this value and never sees the payload again. Pure: no file, clock, environment or process.

#![forbid(unsafe_code)]

use std::collections::HashMap;

/// One tool call as the guard sees it.
///
/// Strings are lossy UTF-8: a lone surrogate in the payload arrives as U+FFFD.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryGuardRequest {
    /// The tool's name as the host spells it (`Bash`, `mcp__cortex__cortex_note`, …).
    pub tool: String,
    /// The call's arguments, in the order in which they came; of equal keys the last one counts.
    pub input: Arguments,
    /// Who calls.
    pub caller: Caller,
    /// The directory the host reports for the call, absolute.
    pub cwd: String,
    /// The project directory of the host's session, absolute, when the host names one.
    pub project: Option<String>,
    /// The host's id of this very call, when it has one.
    pub call_id: Option<String>,
}

/// Who makes a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caller {
    /// The host's session id: the same for a parent and all its subagents.
    pub session: String,
    /// The subagent's id; `None` only for a session that is marked as another session's child.
    pub agent: Option<String>,
    /// The subagent's type (`general-purpose`, …), for the trusted list; not a mark by itself.
    pub agent_type: Option<String>,
    /// The session whose subagent started this client, when the session is a marked child.
    pub child_of: Option<String>,
    /// What tells who it is.
    pub proof: Proof,
}

/// What tells who makes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// The host's payload, or the hook's record of this very call.
    #[default]
    Hook,
    /// A client's session and no record of the call: a subagent may have made it.
    Session,
    /// Nothing: the call carries no id of a client's call.
    Nothing,
}

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments(Vec<(String, Argument)>);

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// JSON `null`.
    Null,
    /// A string, decoded.
    Text(String),
    /// Anything else, as the raw JSON text.
    Other(String),
}

impl Arguments {
    /// Collects the pairs; of equal keys the last one counts, as in the clients.
    pub fn new(pairs: Vec<(String, Argument)>) -> Self {
        // An agent writes the arguments of an MCP call, so their number must not cost its square.
        let mut places: HashMap<String, usize> = HashMap::with_capacity(pairs.len());
        let mut kept: Vec<(String, Argument)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            match places.get(&key).and_then(|place| kept.get_mut(*place)) {
                Some(slot) => slot.1 = value,
                None => {
                    places.insert(key.clone(), kept.len());
                    kept.push((key, value));
                }
            }
        }
        Self(kept)
    }

    /// Returns the argument called `key`.
    pub fn get(&self, key: &str) -> Option<&Argument> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Returns the first of `keys` whose value is a string that is not blank, untrimmed.
    ///
    /// This is Cortex's own reader of text fields.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| match self.get(key) {
            Some(Argument::Text(text)) if !text.trim().is_empty() => Some(text.as_str()),
            Some(Argument::Text(_) | Argument::Null | Argument::Other(_)) | None => None,
        })
    }

    /// Walks all arguments.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}
