//! Our own files: state, configuration, and the last call that was really judged.

use std::path::Path;

use super::Row;
use crate::config::{self, PROJECT_FILE, Sources};
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::{child, clock, env};
use crate::wiring::table::Places;

pub(super) fn rows(places: &Places, registered: bool) -> Vec<Row> {
    let state = State::at(&places.dirs.state);
    let mut rows = vec![state_row(&places.dirs.state), config_row(places)];
    for pause in state.pauses(clock::now_ms()) {
        let until = clock::rfc3339(pause.until);
        rows.push(match &pause.project {
            None => {
                let said = format!("the guard is off until {until}");
                Row::warn("off", said, "ringfence off --end")
            }
            Some(project) => {
                let place = project.display();
                let said = format!("the guard is off for {place} until {until}");
                Row::warn("off", said, format!("cd {place} && ringfence off --project --end"))
            }
        });
    }
    if registered {
        rows.push(last_call(&state));
    }
    rows
}

fn state_row(dir: &Path) -> Row {
    let place = dir.display();
    if !dir.is_dir() {
        let said = format!("{place} is not there yet; the first call makes it");
        return Row::pass("state", said);
    }
    if let Some(mode) = env::mode(dir).filter(|mode| mode & 0o077 != 0) {
        let said = format!("{place} is open to other users (mode {mode:o})");
        return Row::warn("state", said, format!("chmod 700 {place}"));
    }
    match child::try_write(dir) {
        Ok(()) => Row::pass("state", format!("{place} can be written")),
        Err(error) => {
            let said = format!("{place} cannot be written: {error}");
            Row::fail("state", said, format!("ls -ld {place}"))
        }
    }
}

fn config_row(places: &Places) -> Row {
    let user = places.dirs.config_file();
    let project = places.project.join(PROJECT_FILE);
    let named = places.on_the_line.iter().find(|(flag, _)| *flag == "--config");
    let sources = Sources {
        user: Some(&user),
        named: named.map(|(_, path)| Path::new(path)),
        managed: Some(Dirs::managed_file()),
        project: Some(&project),
    };
    let config = config::load(&sources);
    if let Some(first) = config.warnings.first() {
        let more = match config.warnings.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        return Row::warn("config", format!("{first}{more}"), "edit that file");
    }
    if config.read.is_empty() {
        return Row::pass("config", format!("none; {} would be read", user.display()));
    }
    let read: Vec<String> = config.read.iter().map(|path| path.display().to_string()).collect();
    Row::pass("config", format!("read {}", read.join(", ")))
}

/// The hook leaves a record of each judged call and each subagent's start: without any, nothing
/// proves that the client asks us.
fn last_call(state: &State) -> Row {
    let calls = state.recent_calls();
    let marked = calls.iter().find(|call| call.agent.is_some());
    let logged = state.log_lines().into_iter().rev().find(|line| line.agent.is_some());
    let newest = marked.map(|call| call.at.clone()).max(logged.map(|line| line.at));
    match newest.filter(|at| !at.is_empty()) {
        Some(at) => Row::pass("last call", format!("a subagent was seen at {at}")),
        None => Row::warn(
            "last call",
            "registered, but no subagent was seen yet",
            "let a subagent run once, then run `ringfence doctor` again",
        ),
    }
}
