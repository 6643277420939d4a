//! May this call go on? Pure: what it needs to know it is given by [`Facts`].

#![forbid(unsafe_code)]

mod access;
mod archives;
mod arguments;
pub mod calm;
mod carriers;
mod case;
mod change;
mod client;
mod code;
mod command;
mod conclude;
mod documents;
mod edits;
mod expression;
mod files;
mod find;
mod git;
pub mod inspect;
mod json;
pub mod label;
mod landing;
mod links;
mod material;
mod mcp;
mod note;
mod options;
mod outputs;
mod owner;
mod paths;
mod program;
mod reason;
mod resolve;
mod scripts;
mod settings;
mod snippet;
mod sql;
mod stream;
mod tools;
mod unread;
mod verbs;
mod wanted;
mod writers;

use std::rc::Rc;

use crate::decision::{Doubt, GuardedAction, Verdict};
use crate::memory::{Family, Memory};
use crate::request::MemoryGuardRequest;
use crate::shell::Files;

pub use command::TEXT_KEYS;
pub use tools::{
    LITERALS, MEMORY_GUARD_MATCHER, MEMORY_GUARD_MCP_TOOLS, MEMORY_GUARD_TOOLS,
    SHELL_MEMORY_COMMANDS, SHELL_TOOL_NAMES, dialect_of, is_guarded_tool, is_shell_tool,
    shell_command_targets_memory,
};

pub use wanted::{Wanted, wanted};

use case::{Case, Tamper};
use tools::Route;

/// The settings that can change a decision; from the owner's configuration only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Refuse a relevant call of which nothing could be proved (`guard.unproven = "deny"`).
    pub deny_unproven: bool,
    /// Agent types whose job is upkeep (`guard.trusted_agents`).
    pub trusted_agents: Vec<String>,
    /// Further names of Cortex's program (`guard.programs`); a project may add some.
    pub programs: Vec<String>,
}

/// Where an invocation looks for its store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The directory it runs in, absolute; `None` = only known at run time.
    pub cwd: Option<String>,
    /// `CORTEX_HOME` as the text sets it; looked in as well as the default, never instead.
    pub cortex_home: Option<String>,
    /// Store files that the text or the registration names (`--db`, `--store`).
    pub named: Vec<String>,
}

/// A store that a call reaches.
pub struct Reached {
    /// The store.
    pub memory: Rc<dyn Memory>,
    /// Belongs to the project of the call; in another project's store every row is outside.
    pub own_project: bool,
}

/// A path that only its own program may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protected {
    /// Absolute, links resolved. A directory protects all below it.
    pub path: String,
    /// What it is, in words for the reason: `the memory store`, `Ringfence's configuration`, …
    pub what: &'static str,
    /// How a write to it is judged.
    pub kind: ProtectedKind,
}

/// How a write to a protected path is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedKind {
    /// A store's file: `-wal`, `-shm` and `-journal` beside it count as well.
    Store,
    /// Our own state, configuration, binary: any write.
    Own,
    /// A client's settings file: only writes after which our entries would stop binding, or that
    /// add a hook, statusLine, helper or MCP entry.
    Settings,
}

/// Whose file defines an agent type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definer {
    /// The owner's, in the client's own directory.
    Owner,
    /// The project's, which the client prefers: anyone in the working tree can write one.
    Project,
}

/// What the guard may ask the machine, through whoever may touch it.
pub trait Facts: Files {
    /// The stores of `family` that a call at `place` would reach; the call's own directory and the
    /// project directory are looked at as well. A store that is there but cannot be read is a doubt.
    fn stores(&self, family: Family, place: &Place) -> (Vec<Reached>, Vec<Doubt>);

    /// Every protected path known for this call.
    fn protected(&self) -> Vec<Protected>;

    /// `path` made absolute against `cwd`, `.` and `..` and links resolved as far as it exists.
    fn resolve(&self, cwd: &str, path: &str) -> String;

    /// The user's home.
    fn home(&self) -> &str;

    /// Whose file defines the agent type for a call in this project; `None` = nobody's is known.
    fn definer(&self, agent_type: &str) -> Option<Definer>;

    /// Whether there is a grant for this caller, store, id and action; it stays where it is.
    fn has_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool;

    /// Takes the grant for this caller, store, id and action, if there is one: true once.
    fn take_grant(&self, store: &str, id: &str, action: GuardedAction) -> bool;
}

/// Decides whether to refuse. A verdict without denial is allow-and-say-nothing: the ordinary
/// outcome and every failure outcome.
pub fn evaluate_memory_guard(
    facts: &dyn Facts,
    request: &MemoryGuardRequest,
    policy: &Policy,
) -> Verdict {
    let mut case = Case::new(facts, request, policy);
    match Route::of(&request.tool) {
        Route::Note(families) => note::judge_tool(&mut case, &families),
        Route::Resolve(families) => resolve::judge_tool(&mut case, &families),
        Route::Disengage => disengage(&mut case),
        Route::Shell(dialect) => command::judge_tool(&mut case, dialect),
        Route::File => files::judge_tool(&mut case),
        Route::Skill => documents::judge_skill(&mut case),
        Route::Later => documents::judge_later(&mut case),
        Route::Mcp => mcp::judge_tool(&mut case),
        Route::Other => {}
    }
    conclude::conclude(case, policy)
}

/// `cortex_disengage` stops recording for every agent of the project.
fn disengage(case: &mut Case) {
    let path = format!("{}/.cortex.state", case.request.cwd.trim_end_matches('/'));
    case.tamper(Tamper {
        may_not: "switch the project's memory off",
        would: format!("switch Cortex off in {}", label::quoted_path(&case.request.cwd)),
        label: label::quoted_path(&path),
        path,
    });
}
