//! Our own files: state, configuration, and the last call that was really judged.

use std::path::Path;

use super::Row;
use super::entries::{self, Bound};
use crate::config::{self, PROJECT_FILE, Sources};
use crate::state::State;
use crate::sys::dirs::Dirs;
use crate::sys::{child, clock, env};
use crate::wiring::binding;
use crate::wiring::entry::SHIM;
use crate::wiring::table::Places;

/// A subagent makes its first call sooner than this, in milliseconds.
const GRACE: i64 = 10 * 60 * 1000;

pub(super) fn rows(places: &Places, found: &[Bound<'_>]) -> Vec<Row> {
    let state = State::at(&places.dirs.state);
    let mut rows =
        vec![state_row(&places.dirs.state), config_row(places, entries::judges(found).next())];
    rows.extend(log_row(&state));
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
    if let Some(judge) = entries::judges(found).next() {
        rows.extend(same_state(judge, &places.dirs.state));
        rows.push(last_call(&state, judge));
    }
    rows
}

/// The log, when the hook cannot write it and nobody can read it.
fn log_row(state: &State) -> Option<Row> {
    let error = state.follow_log().err()?;
    let place = state.log_path();
    let place = place.display();
    Some(Row::warn("log", format!("{place} cannot be used: {error}"), format!("ls -l {place}*")))
}

fn state_row(dir: &Path) -> Row {
    let place = dir.display();
    // The first thing on the way that is there decides whether the rest can be made.
    let there = dir.ancestors().find(|path| path.exists() || path.is_symlink());
    if let Some(path) = there.filter(|path| !path.is_dir()) {
        let path = path.display();
        let said = format!("{place} cannot be made or used: {path} is no directory");
        return Row::fail("state", said, format!("ls -ld {path}"));
    }
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

fn config_row(places: &Places, judge: Option<&Bound<'_>>) -> Row {
    let user = places.dirs.config_file();
    let project = places.project.join(PROJECT_FILE);
    // What the hook reads, not what this shell would.
    let named = judge.and_then(|judge| binding::values(&judge.entry.argv, "--config").last());
    let said = places.on_the_line.iter().find(|(flag, _)| *flag == "--config");
    let named = named.or_else(|| said.map(|(_, path)| path.as_str())).map(Path::new);
    let sources = Sources {
        user: Some(&user),
        named,
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
        return Row::pass(
            "config",
            format!("none; {} would be read", named.unwrap_or(&user).display()),
        );
    }
    let read: Vec<String> = config.read.iter().map(|path| path.display().to_string()).collect();
    let further = match config.policy.programs.as_slice() {
        [] => String::new(),
        names => format!("; Cortex's program is also {}", names.join(", ")),
    };
    Row::pass("config", format!("read {}{further}", read.join(", ")))
}

/// Where the hook's line keeps its state, if this command looks elsewhere: then it is blind.
fn same_state(judge: &Bound<'_>, here: &Path) -> Option<Row> {
    let there = binding::values(&judge.entry.argv, "--state").last()?;
    if Path::new(there) == here {
        return None;
    }
    let said = format!("the hook keeps its state in {there}, this shell's is {}", here.display());
    Some(Row::warn("state", said, format!("RINGFENCE_STATE={there} ringfence doctor")))
}

/// The client's SessionStart and SubagentStart come also where PreToolUse is dead, so only a call that
/// we were asked about proves anything.
fn last_call(state: &State, judge: &Bound<'_>) -> Row {
    let now = clock::now_ms();
    let started = state.recent_calls().into_iter().find(|call| call.event == "subagent-start");
    let started = started.and_then(|call| millis(&call.at));
    let ago = |at: i64| age(now.saturating_sub(at));
    // The shim answers for plain commands itself, and leaves no trace of them.
    let is_shim = judge.entry.argv.first().is_some_and(|program| program.ends_with(SHIM));
    let again = "let a subagent run once, then run `ringfence doctor` again";
    match (state.asked_at(), started) {
        (Some(asked), Some(started)) if started - asked > GRACE && !is_shim => {
            let said = format!(
                "a subagent started {} ago, but the last call of one that we were asked about is {} old",
                ago(started),
                ago(asked)
            );
            Row::warn("last call", said, "ringfence install, then start the client anew")
        }
        (Some(asked), _) => Row::pass(
            "last call",
            format!("we were asked about a subagent's call {} ago", ago(asked)),
        ),
        (None, Some(started)) if !is_shim => {
            let said = format!(
                "registered but never called: a subagent started {} ago, and we were not asked \
                 about a call of one",
                ago(started)
            );
            Row::warn("last call", said, "ringfence install, then start the client anew")
        }
        (None, _) => {
            let said = "registered, but we were not asked about a subagent's call yet";
            Row::warn("last call", said, again)
        }
    }
}

fn millis(at: &str) -> Option<i64> {
    at.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// A length of time in its largest unit.
pub fn age(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
