//! The facts of an engine that is configured by its environment, each with its source.

use std::path::{Path, PathBuf};

use super::client::Told;
use super::gather::canonical;
use super::report::Report;
use super::{
    EngineBackend, MemoryPersistenceConfig, MemoryWriteBoundaryFacts,
    build_memory_write_boundary_audit, effective_memory_persistence_capable,
};
use crate::sys::{env, place};

/// The variables that configure it.
pub const VARIABLES: [&str; 7] = [
    "REMOTE_EXEC",
    "MEMORY_PERSISTENCE_CAPABLE",
    "MEMORY_ENGINE_BACKEND",
    "MEMORY_ENGINE_DIR",
    "MEMORY_ENGINE_REMOTE_LANE",
    "LOCAL_DATA_ROOT",
    "AGENT_DATA_DIR",
];

/// The executor that runs on this machine but counts as remote.
const HOST: &str = "host";

/// Audits the engine whose environment `variable` gives; nothing where there is none.
pub fn audit(
    report: &mut Report,
    variable: &dyn Fn(&str) -> Option<String>,
    home: &Path,
    cwd: &Path,
) {
    let default_root = home.join(".ai-agent");
    let is_set = VARIABLES.iter().any(|name| variable(name).is_some() || env::is_no_text(name));
    if !is_set && !place::is_directory(&default_root) {
        return;
    }
    if let Some(name) = VARIABLES.iter().find(|name| env::is_no_text(name)) {
        report
            .info
            .push(format!("`{name}` is set to what is no text, so nothing is said of the engine"));
        return;
    }
    let Some(facts) = facts(report, variable, &default_root, cwd) else { return };
    for warning in build_memory_write_boundary_audit(&facts).warnings {
        report.warnings.push(Told { tag: warning.tag.as_str(), detail: warning.detail });
    }
}

/// A variable's value, or what stands for it, with the source.
fn or_default(value: Option<String>, name: &str, default: &str) -> (String, String) {
    match value {
        Some(value) => (value, name.to_owned()),
        None => (default.to_owned(), format!("{name} is not set")),
    }
}

/// `None` when the configuration cannot be read for what it means: then there is nothing to judge.
fn facts(
    report: &mut Report,
    variable: &dyn Fn(&str) -> Option<String>,
    default_root: &Path,
    cwd: &Path,
) -> Option<MemoryWriteBoundaryFacts> {
    let executor = variable("REMOTE_EXEC");
    let (lane, source) = or_default(executor.clone(), "REMOTE_EXEC", "in-process");
    report.fact("engine lane", lane.clone(), source);
    let on_this_disk = executor.as_deref().is_none_or(|lane| lane == HOST);
    let (word, source) =
        or_default(variable("MEMORY_ENGINE_BACKEND"), "MEMORY_ENGINE_BACKEND", "file");
    let backend = match word.as_str() {
        "file" => EngineBackend::File,
        "pg" => EngineBackend::Pg,
        "tidb" => EngineBackend::Tidb,
        _ => {
            report.info.push(format!(
                "the engine's backend `{word}` is not known, so nothing is said of it"
            ));
            return None;
        }
    };
    report.fact("engine backend", word, source);
    let declared = declared(report, variable, executor.clone());
    let open = variable("MEMORY_ENGINE_REMOTE_LANE").as_deref() == Some("allow");
    let memory_root = if !on_this_disk && !open {
        report.fact(
            "engine memory",
            "dark on this lane",
            "MEMORY_ENGINE_REMOTE_LANE is not `allow`",
        );
        None
    } else {
        root(report, variable, backend, default_root, cwd)
    };
    let containment_roots = match &executor {
        // Where a task of an executor runs is decided for each task.
        Some(_) => Vec::new(),
        None => canonical(cwd).into_iter().collect(),
    };
    let roots = match containment_roots.first() {
        Some(root) => (root.display().to_string(), "the current directory"),
        None => ("cannot be computed".to_owned(), "each task has its own"),
    };
    report.fact("engine reaches", roots.0, roots.1);
    Some(MemoryWriteBoundaryFacts {
        memory_root,
        lane,
        host_semantics_lane: on_this_disk,
        core_remote_execution_env: executor.is_some(),
        declared_capable: declared,
        engine_backend: backend,
        containment_roots,
    })
}

fn declared(
    report: &mut Report,
    variable: &dyn Fn(&str) -> Option<String>,
    executor: Option<String>,
) -> Option<bool> {
    const NAME: &str = "MEMORY_PERSISTENCE_CAPABLE";
    let said = match variable(NAME).as_deref() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(other) => {
            report.info.push(format!(
                "{NAME} is neither `true` nor `false` but `{other}`, which declares nothing"
            ));
            None
        }
        None => None,
    };
    let config = MemoryPersistenceConfig {
        remote_exec_provider: executor,
        memory_persistence_capable: said,
    };
    let effective = effective_memory_persistence_capable(&config);
    let value = effective.map_or("nothing".to_owned(), |value| value.to_string());
    if said.is_none() && effective.is_some() {
        report.info.push(format!("the `{HOST}` executor counts as declared: {NAME}={value}"));
        report.fact("engine declares", value, format!("the `{HOST}` executor"));
    } else {
        let source = if said.is_some() { NAME.to_owned() } else { format!("{NAME} is not set") };
        report.fact("engine declares", value, source);
    }
    effective
}

/// The plane where entries are written; what cannot be resolved is not judged.
fn root(
    report: &mut Report,
    variable: &dyn Fn(&str) -> Option<String>,
    backend: EngineBackend,
    default_root: &Path,
    cwd: &Path,
) -> Option<PathBuf> {
    let named = match backend {
        EngineBackend::File => "MEMORY_ENGINE_DIR",
        EngineBackend::Pg | EngineBackend::Tidb => "LOCAL_DATA_ROOT",
    };
    let (base, source) = match (variable(named), variable("AGENT_DATA_DIR")) {
        (Some(base), _) => (cwd.join(base), named),
        (None, Some(base)) => (cwd.join(base), "AGENT_DATA_DIR"),
        (None, None) => (default_root.to_path_buf(), "the default data root"),
    };
    let below = match backend {
        EngineBackend::File => "memory",
        EngineBackend::Pg | EngineBackend::Tidb => "memory-work",
    };
    let plane = base.join(below);
    let found = canonical(&plane);
    let value = match &found {
        Some(path) => path.display().to_string(),
        None => format!("{} cannot be resolved", plane.display()),
    };
    report.fact("engine memory", value, source);
    found
}
