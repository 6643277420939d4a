//! Whether this memory can be written at all, said when a session starts instead of found out when a
//! note is lost. A judgement is a warning, never a refusal, and where a boundary cannot be computed
//! there is none: a guess is no warning.
//!
//! This file is the judge of an engine whose memory is written with file tools. It is pure; the facts
//! are gathered apart.

#![forbid(unsafe_code)]

mod agents;
pub mod client;
pub mod engine;
pub mod gather;
pub mod probe;
pub mod report;
pub mod rules;

use std::path::{Path, PathBuf};

/// Where the engine keeps what it commits. It only picks the knob that a sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineBackend {
    /// Files below the memory root.
    File,
    /// PostgreSQL.
    Pg,
    /// TiDB.
    Tidb,
}

/// All that is known when a session starts. Each is taken once from the real configuration; nothing
/// is computed again from another one. Paths are canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWriteBoundaryFacts {
    /// The plane where entries are really read and written, not the configured root one level above;
    /// `None` = no engine.
    pub memory_root: Option<PathBuf>,
    /// The executor's name, for the text only; `in-process` when there is none.
    pub lane: String,
    /// File tools run on this machine's disk: where the files are.
    pub host_semantics_lane: bool,
    /// The engine treats the executor as remote: any executor, `host` too.
    pub core_remote_execution_env: bool,
    /// What the operator declared, as [`effective_memory_persistence_capable`] gives it.
    pub declared_capable: Option<bool>,
    /// For the text only.
    pub engine_backend: EngineBackend,
    /// What the file tools may write below; empty = cannot be computed.
    pub containment_roots: Vec<PathBuf>,
}

/// What a warning is about; also the name of its event in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningTag {
    /// The model is told to write where its tools cannot reach.
    MemoryRootOutsideWriteBoundary,
    /// The engine does not tell the model to write at all.
    MemoryRemoteLaneWriteInstructionDropped,
}

impl WarningTag {
    /// The word in logs and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MemoryRootOutsideWriteBoundary => "memory_root_outside_write_boundary",
            Self::MemoryRemoteLaneWriteInstructionDropped => {
                "memory_remote_lane_write_instruction_dropped"
            }
        }
    }
}

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWriteBoundaryWarning {
    /// What it is about.
    pub tag: WarningTag,
    /// One whole sentence for a person: what will happen, on which lane, and the way out.
    pub detail: String,
}

/// What was found: nothing, or one warning. The arms exclude each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryWriteBoundaryAudit {
    /// The warnings.
    pub warnings: Vec<MemoryWriteBoundaryWarning>,
}

/// What a deployment declares about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPersistenceConfig {
    /// The executor (`REMOTE_EXEC`); `None` = in the engine's own process.
    pub remote_exec_provider: Option<String>,
    /// What the operator said (`MEMORY_PERSISTENCE_CAPABLE`), if anything.
    pub memory_persistence_capable: Option<bool>,
}

/// Whether memory that is written here persists, as declared. What the operator says wins; the `host`
/// executor shares this machine's files with the memory root by construction, so it counts as
/// declared; of everything else nothing is known.
///
/// The one place where that is decided: whoever needs the value calls this.
pub fn effective_memory_persistence_capable(config: &MemoryPersistenceConfig) -> Option<bool> {
    let host = config.remote_exec_provider.as_deref() == Some("host");
    config.memory_persistence_capable.or(host.then_some(true))
}

/// Judges the facts.
///
/// Known limit: in the engine's own process there may be no file tool at all, which cannot be seen
/// from here. Then the first way out of the sentence (moving the root) silences the warning without
/// making the write work.
pub fn build_memory_write_boundary_audit(
    facts: &MemoryWriteBoundaryFacts,
) -> MemoryWriteBoundaryAudit {
    MemoryWriteBoundaryAudit { warnings: judge(facts).into_iter().collect() }
}

fn judge(facts: &MemoryWriteBoundaryFacts) -> Option<MemoryWriteBoundaryWarning> {
    let root = facts.memory_root.as_deref()?;
    // `true`: the operator vouches for a channel that we cannot see. `false`: the operator knows.
    if facts.declared_capable.is_some() {
        return None;
    }
    // Never the sentence about the fence too, wherever the files are: the model is not told to write.
    if facts.core_remote_execution_env {
        return Some(MemoryWriteBoundaryWarning {
            tag: WarningTag::MemoryRemoteLaneWriteInstructionDropped,
            detail: dropped(&facts.lane),
        });
    }
    // Files elsewhere, yet not remote: there is no such lane today.
    if !facts.host_semantics_lane || facts.containment_roots.is_empty() {
        return None;
    }
    if facts.containment_roots.iter().any(|inside| is_inside(root, inside)) {
        return None;
    }
    Some(MemoryWriteBoundaryWarning {
        tag: WarningTag::MemoryRootOutsideWriteBoundary,
        detail: outside(facts, root),
    })
}

/// Whether canonical `path` is `root` or lies below it, by whole components.
pub fn is_inside(path: &Path, root: &Path) -> bool {
    path.starts_with(root)
}

fn dropped(lane: &str) -> String {
    format!(
        "On the remote executor `{lane}` the engine leaves the memory-write instruction out of the \
         prompt, so the model is never told to save anything; where this deployment has a shared \
         mount or another writer, declare `MEMORY_PERSISTENCE_CAPABLE=true`."
    )
}

fn outside(facts: &MemoryWriteBoundaryFacts, root: &Path) -> String {
    let (knob, read_only) = match facts.engine_backend {
        EngineBackend::File => (
            "move the root inside with `MEMORY_ENGINE_DIR`",
            "changes on disk without a committed record are neither adopted nor served",
        ),
        EngineBackend::Pg | EngineBackend::Tidb => (
            "move the root inside with `LOCAL_DATA_ROOT` (it is `memory-work` below that)",
            "that is disclosed, writes are refused, and nothing is harvested",
        ),
    };
    format!(
        "On the lane `{}` the model will be told to write its memory below `{}`, which its file tools \
         cannot reach (`path_not_in_root`; they reach {}): {knob}, or declare \
         `MEMORY_PERSISTENCE_CAPABLE=true` where another writer brings it there, or `false`, by which \
         the session becomes read-only for memory: {read_only}.",
        facts.lane,
        root.display(),
        places(&facts.containment_roots),
    )
}

/// At most two of the places, then a count.
fn places(all: &[PathBuf]) -> String {
    let named: Vec<String> =
        all.iter().take(2).map(|path| format!("`{}`", path.display())).collect();
    match all.len().saturating_sub(2) {
        0 => named.join(" and "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
