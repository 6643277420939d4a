//! What we answer, and the one list of reason codes. Pure.

#![forbid(unsafe_code)]

/// How grave an action is; the most severe one that has a foreign target names the denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardedAction {
    /// A memory is resolved or superseded.
    Retire,
    /// A memory's text is changed in place.
    Edit,
    /// A memory is removed.
    Delete,
    /// The store's file, our state, our configuration or our wiring is changed past the tools.
    Tamper,
}

impl GuardedAction {
    /// The word used in logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retire => "retire",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Tamper => "tamper",
        }
    }
}

/// One memory, or one path, that a refused call would have touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedTarget {
    /// The id as the call spelled it, the note's for a subject or an implicit target, or a path.
    pub id: String,
    /// Plain words for the reason: quoted, one line, at most 60 characters, controls escaped.
    pub label: String,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryGuardDenial {
    /// The most severe verb that has a foreign target.
    pub action: GuardedAction,
    /// What would have been touched, without duplicates, in the order found.
    pub targets: Vec<GuardedTarget>,
    /// The text for the model: every clause true of what was checked.
    pub reason: String,
}

/// The outcome of judging one call: a refusal or nothing, and what could not be proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The refusal; `None` is allow-and-say-nothing.
    pub denial: Option<MemoryGuardDenial>,
    /// Why a relevant call was let through unproven, in the order found, without duplicates.
    pub doubts: Vec<Doubt>,
    /// The ids of what the call would change of the caller's own, without duplicates.
    pub own: Vec<String>,
}

/// A doubt: its code and a short detail for the log (never a memory's text, never a secret).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The reason code.
    pub code: Code,
    /// At most 200 characters: a path, an id, a place in the text. May be empty.
    pub detail: String,
}

impl Doubt {
    /// Makes a doubt with a detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// How much a logged call matters to whoever reads the log: the graver, the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Let through for a known reason.
    Allowed,
    /// Let through although something could not be proved.
    Unproven,
    /// Let through because we failed.
    Failed,
    /// Refused.
    Refused,
}

impl Weight {
    /// All weights, the gravest first.
    pub const ALL: [Self; 4] = [Self::Refused, Self::Unproven, Self::Failed, Self::Allowed];

    /// The word in tables and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Unproven => "unproven",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

macro_rules! codes {
    ($($name:ident $weight:ident $word:literal $meaning:literal,)*) => {
        /// Why something was refused, let through unproven, or not done. The words are the same in
        /// the log, in `stats`, in JSON and in `ringfence explain --codes`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $meaning] $name,)* }

        impl Code {
            /// All codes, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word.
            pub fn as_str(self) -> &'static str { match self { $(Self::$name => $word,)* } }

            /// What a call with this code counts as.
            pub fn weight(self) -> Weight { match self { $(Self::$name => Weight::$weight,)* } }

            /// One sentence for a person.
            pub fn meaning(self) -> &'static str { match self { $(Self::$name => $meaning,)* } }
        }
    };
}

codes! {
    DeniedForeign Refused "denied-foreign" "The call would have changed memory of another session.",
    DeniedTamper Refused "denied-tamper" "The call would have changed the memory's files or our own past the tools.",
    DeniedUnproven Refused "denied-unproven" "Nothing was proved, and the owner's configuration refuses that.",
    DeniedUnbinding Refused "denied-unbinding" "The client's settings changed so that it would not ask us any more.",
    PayloadUnreadable Failed "payload-unreadable" "The payload could not be read although it holds an agent mark.",
    StoreMissing Unproven "store-missing" "There is no store where the call would look.",
    StoreLocked Unproven "store-locked" "The store stayed locked for longer than the hook waits.",
    StoreCorrupt Unproven "store-corrupt" "The store's file is damaged or is not a database.",
    StoreSchema Unproven "store-schema" "The store lacks a table or column that the decision needs.",
    StoreUnreadable Unproven "store-unreadable" "The store could not be opened or read.",
    SnapshotUsed Unproven "snapshot-used" "The store could not be read, and its newest snapshot does not tell what is active now.",
    CallerUnknown Unproven "caller-unknown" "The store does not know the calling agent.",
    CallerAmbiguous Unproven "caller-ambiguous" "The store knows the calling agent under several sessions.",
    NoSession Unproven "no-session" "The caller's own session is not in the store.",
    TargetUnknown Unproven "target-unknown" "The id or subject that the call names is not in the store.",
    TargetRuntime Unproven "target-runtime" "The target is built when the command runs.",
    TargetOwnerless Unproven "target-ownerless" "The memory carries no owner.",
    OwnerUnknown Unproven "owner-unknown" "The session that owns the memory is not in the store.",
    SameSitting Unproven "same-sitting" "The memory may belong to the same sitting: its session ended too late to be sure.",
    ScopeUnknown Unproven "scope-unknown" "The branch of the caller is not known, so implicit targets were not judged.",
    ShellUnclear Unproven "shell-unclear" "A part of the shell text could not be read.",
    ProgramUnknown Unproven "program-unknown" "A program that is only known when it runs gets words that could reach memory.",
    ScriptUnread Unproven "script-unread" "A script that the command runs could not be read.",
    MaintenanceAllowed Allowed "maintenance-allowed" "A maintenance command of the store (gc, adopt) was let through.",
    AgentTrusted Allowed "agent-trusted" "The owner's configuration trusts this agent type.",
    AllowedOwn Allowed "allowed-own" "All that the call would change belongs to the caller's own conversation.",
    Granted Allowed "granted" "A grant of the parent let the call through.",
    SwitchedOff Unproven "switched-off" "The guard was switched off by the owner.",
    Deadline Failed "deadline" "Too many stores were locked to wait for one more.",
    Crashed Failed "crashed" "The hook failed in itself and let the call through.",
}

impl Code {
    /// The code that this word stands for.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_word() {
        let mut words: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
    }
}
