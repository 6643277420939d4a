//! Snapshots of the stores at a session's start: by a process of its own, for which nobody waits.

use std::path::Path;

use crate::facts::{Machine, Setup};
use crate::memory::store::snapshot::When;
use crate::request::Caller;
use crate::sys::{child, env};

use super::line::Line;

/// The variables that say where stores are; a project's settings can put any other one into ours.
const PLACES: [&str; 5] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CORTEX_HOME"];

/// Starts the process.
pub(super) fn start(line: &Line, cwd: &str) {
    let Some(program) = env::current_exe() else { return };
    let mut argv = vec![program.to_string_lossy().into_owned()];
    argv.extend(["hook", "snapshots", "--cwd", cwd].map(str::to_owned));
    if let Some(project) = env::var("CLAUDE_PROJECT_DIR") {
        argv.extend(["--project".to_owned(), project]);
    }
    argv.extend(line.places());
    let env: Vec<(&str, String)> =
        PLACES.iter().filter_map(|name| Some((*name, env::var(name)?))).collect();
    // Without it there is one snapshot less.
    drop(child::detach(&argv, Path::new("/"), &env));
}

/// Is that process.
pub(super) fn take(line: &Line) {
    let (Some(dirs), Some(cwd)) = (line.dirs(), line.cwd.clone()) else { return };
    let state = line.state(&dirs);
    let machine = Machine::new(Setup {
        dirs,
        state,
        stores: line.stores.clone(),
        cortex_homes: line.cortex_homes.clone(),
        caller: Caller::default(),
        cwd,
        project: line.project.clone(),
        call_id: None,
        client: None,
        config: None,
    });
    machine.take_snapshots(When::Hourly);
}
