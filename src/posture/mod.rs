//! How much authority a hosted run's shell tool carries, and whose terminal it may not touch.
//!
//! A hosted run is one that nobody watches. `conversational`, the default, requires a boundary around
//! each command and refuses where there is none; `workstream` is granted by the owner and prefers one.
//! The owner's terminal is off limits in both. This file and `terminal` are pure; what probes and
//! starts something lies beside them.

#![forbid(unsafe_code)]

pub mod boundary;
pub mod hosted;
pub mod terminal;

use std::borrow::Cow;

/// How much authority a hosted run's shell tool carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostedSessionExecPosture {
    /// The boundary is required: a command that cannot be contained is refused.
    Conversational,
    /// The owner granted the host: the boundary is used where there is one.
    Workstream,
}

impl HostedSessionExecPosture {
    /// What a word grants. Only exactly `workstream` grants anything.
    pub fn of_word(word: &str) -> Self {
        if word == "workstream" { Self::Workstream } else { Self::Conversational }
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conversational => "conversational",
            Self::Workstream => "workstream",
        }
    }
}

/// What is to happen where no boundary is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecContainmentRequirement {
    /// No boundary, no command.
    Required,
    /// The boundary where available, the host where not.
    Preferred,
}

/// No boundary, no command.
pub const CONVERSATIONAL_CONTAINMENT: ExecContainmentRequirement =
    ExecContainmentRequirement::Required;

/// The boundary where available, the host where not.
pub const WORKSTREAM_CONTAINMENT: ExecContainmentRequirement =
    ExecContainmentRequirement::Preferred;

/// Which terminal sessions a hosted run may drive: by name, because nothing else is seen of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerTerminalGuard {
    /// Sessions whose name begins so are the run's own.
    pub prefix: Cow<'static, str>,
    /// And these, by their whole name.
    pub names: Vec<String>,
}

/// What holds in every hosted posture unless the owner says otherwise.
pub const HOSTED_OWNER_TERMINAL_GUARD: OwnerTerminalGuard =
    OwnerTerminalGuard { prefix: Cow::Borrowed("ringfence-"), names: Vec::new() };

impl OwnerTerminalGuard {
    /// Whether a session of that name is the run's own. An empty prefix makes none.
    pub fn owns(&self, name: &str) -> bool {
        (!self.prefix.is_empty() && name.starts_with(self.prefix.as_ref()))
            || self.names.iter().any(|known| !known.is_empty() && known == name)
    }
}

/// The session that a posture is decided for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostureInput<'a> {
    /// The host's session id.
    pub session_id: &'a str,
    /// The directory the session started in: absolute, links resolved.
    pub workspace_root: &'a str,
}

/// The owner's decider; `Err` says in a sentence why there is no answer.
pub type HostedExecPostureDecider<'a> =
    &'a dyn Fn(PostureInput<'_>) -> Result<HostedSessionExecPosture, String>;

/// The requirement of a posture; an absent one requires.
pub fn containment_for(posture: Option<HostedSessionExecPosture>) -> ExecContainmentRequirement {
    match posture {
        Some(HostedSessionExecPosture::Workstream) => WORKSTREAM_CONTAINMENT,
        Some(HostedSessionExecPosture::Conversational) | None => CONVERSATIONAL_CONTAINMENT,
    }
}

/// Resolves the posture of one session; a decider that fails has granted nothing.
pub fn resolve_hosted_exec_posture(
    decide: Option<HostedExecPostureDecider<'_>>,
    input: PostureInput<'_>,
) -> HostedSessionExecPosture {
    decide.and_then(|decide| decide(input).ok()).unwrap_or(HostedSessionExecPosture::Conversational)
}

/// One rule of the owner's configuration; it matches when all that it names matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostureRule {
    /// This directory and below, absolute.
    pub workspace: Option<String>,
    /// This session.
    pub session: Option<String>,
    /// The posture's word.
    pub posture: String,
}

impl PostureRule {
    /// A rule that names nothing matches nothing: it would be a grant for everyone.
    fn matches(&self, input: PostureInput<'_>) -> bool {
        let below = |root: &String| is_below(input.workspace_root, root);
        let same = |session: &String| session == input.session_id;
        (self.workspace.is_some() || self.session.is_some())
            && self.workspace.as_ref().is_none_or(below)
            && self.session.as_ref().is_none_or(same)
    }
}

/// Whether `path` is `root` or below it; both absolute and without `..`.
pub fn is_below(path: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        && path.starts_with('/')
}

/// A posture and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The posture.
    pub posture: HostedSessionExecPosture,
    /// Who said so.
    pub because: Because,
}

/// Where a posture comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The rule of that number, from 1.
    Rule(usize),
    /// The decider's answer.
    Decider,
    /// The decider gave none; why.
    DeciderFailed(String),
    /// Nothing was granted.
    Default,
}

/// The first rule that matches, else the decider, else `conversational`.
pub fn resolve(
    rules: &[PostureRule],
    decide: Option<HostedExecPostureDecider<'_>>,
    input: PostureInput<'_>,
) -> Resolution {
    let conversational = HostedSessionExecPosture::Conversational;
    if let Some((index, rule)) = rules.iter().enumerate().find(|(_, rule)| rule.matches(input)) {
        let posture = HostedSessionExecPosture::of_word(&rule.posture);
        return Resolution { posture, because: Because::Rule(index + 1) };
    }
    match decide.map(|decide| decide(input)) {
        Some(Ok(posture)) => Resolution { posture, because: Because::Decider },
        Some(Err(why)) => {
            Resolution { posture: conversational, because: Because::DeciderFailed(why) }
        }
        None => Resolution { posture: conversational, because: Because::Default },
    }
}

/// What the machine has to offer as a boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// It was proved to hold.
    Available,
    /// The owner switched it off.
    Disabled,
    /// None works here; why.
    Unavailable(String),
    /// No boundary is wired at all.
    Missing,
}

/// What happens to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// It runs inside the boundary.
    Contained,
    /// It runs on the host, for this reason; the run is told.
    OnHost(String),
    /// It does not run, for this reason.
    Refused(String),
}

/// Holds a requirement against what there is.
pub fn execution(required: ExecContainmentRequirement, boundary: &Boundary) -> Execution {
    let lack = match boundary {
        Boundary::Available => return Execution::Contained,
        Boundary::Disabled => "the boundary is not enabled".to_owned(),
        Boundary::Unavailable(why) => format!("no boundary is available: {why}"),
        Boundary::Missing => "no boundary is wired".to_owned(),
    };
    match required {
        ExecContainmentRequirement::Required => Execution::Refused(lack),
        ExecContainmentRequirement::Preferred => Execution::OnHost(lack),
    }
}
