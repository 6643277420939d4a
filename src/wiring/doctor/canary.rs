//! Tries the registered command line on a throw-away store: it must refuse a subagent's delete of a
//! foreign note, and say nothing to the parent's.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Row;
use super::entries::{Bound, judges};
use crate::memory::store::Project;
use crate::memory::store::native::{Author, Draft, Writer};
use crate::payload::canary::{refusal, shell_call};
use crate::sys::child::{self, Ended, Run, Scratch};
use crate::sys::{clock, file, replace};
use crate::wiring::entry::Form;
use crate::wiring::plugin;
use crate::wiring::table::{self, Places, Scope};

/// Less than the client's own limit on the entry.
const PATIENCE: Duration = Duration::from_secs(5);

/// A home with one note of an earlier session in it.
struct Cage {
    _scratch: Scratch,
    home: PathBuf,
    project: PathBuf,
    note: String,
}

/// Tries each registered judge; without any, the line that install would write.
pub(super) fn rows(found: &[Bound<'_>], places: &Places) -> Vec<Row> {
    let mut lines: Vec<(Vec<String>, Form)> = Vec::new();
    for bound in judges(found) {
        let line = (bound.entry.argv.clone(), bound.entry.form);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        let entries =
            table::entries(places, Scope::User, &places.binary, Form::Exec, &["guard".to_owned()]);
        lines.extend(entries.first().map(|entry| {
            let program = std::iter::once(entry.command.clone());
            (program.chain(entry.args.iter().cloned()).collect(), Form::Exec)
        }));
    }
    let home = &places.dirs.home;
    lines.iter().flat_map(|(argv, form)| trial(argv, *form, home)).collect()
}

fn trial(argv: &[String], form: Form, real_home: &Path) -> Vec<Row> {
    let program = argv.first().map(Path::new).unwrap_or(Path::new(""));
    let cage = match build().and_then(|cage| bring_along(program, real_home, cage)) {
        Ok(cage) => cage,
        Err(error) => {
            let said = format!("no throw-away store could be made: {error}");
            return vec![Row::warn("canary", said, "df -h /tmp")];
        }
    };
    let mut argv = caged(argv, &cage.home);
    if form == Form::Shell {
        argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), shell_words::join(&argv)];
    }
    let command = format!("ringfence delete-memory {} --yes", cage.note);
    let ask = |agent, command: &str| call(&argv, &cage, agent, command);
    let refused = match ask(Some("doctor-agent"), &command) {
        Err(error) => {
            let said = format!("the registered command does not start: {error}");
            return vec![Row::fail("canary", said, "ringfence install")];
        }
        Ok(ended) if ended.too_late => Err("it did not answer in time".to_owned()),
        Ok(ended) => match (ended.status, refusal(&ended.output)) {
            (Some(0), Some(reason)) if reason.contains(&cage.note) => Ok(ended.took),
            (Some(0), Some(_)) => Err("its refusal does not name the note".to_owned()),
            (Some(0), None) => Err("it let the call through".to_owned()),
            (status, _) => Err(format!("it ended with status {status:?}")),
        },
    };
    let log = "ringfence log";
    let mut rows = vec![match refused {
        Ok(took) => Row::pass(
            "canary",
            format!("a subagent's delete of a foreign note was refused in {} ms", took.as_millis()),
        ),
        Err(what) => {
            let said = format!("a subagent's delete of a foreign note was not refused: {what}");
            Row::fail("canary", said, log)
        }
    }];
    let quiet = [
        ("the parent's same call", ask(None, &command)),
        ("a subagent's harmless call", ask(Some("doctor-agent"), "git status --short")),
    ];
    for (what, ended) in quiet {
        rows.push(match ended {
            Ok(ended) if ended.status == Some(0) && ended.output.is_empty() => {
                Row::pass("canary", format!("{what} was let through, silently"))
            }
            Ok(ended) => {
                let said = format!("{what} was answered with status {:?}", ended.status);
                Row::fail("canary", said, log)
            }
            Err(error) => Row::fail("canary", format!("{what}: {error}"), log),
        });
    }
    rows
}

fn build() -> io::Result<Cage> {
    let scratch = Scratch::new()?;
    let home = scratch.path();
    let project = home.join("project");
    replace::make_dirs(&project, 0o700)?;
    let name = Project::of(&project, None).directory_name();
    let dir = home.join(".local/share/ringfence/projects").join(name);
    replace::make_dirs(&dir, 0o700)?;
    let author = Author {
        session: "doctor-earlier-session".to_owned(),
        agent: None,
        scope: Some("project".to_owned()),
        call: None,
        pid: None,
        at: clock::rfc3339(clock::now_ms() - 60_000),
    };
    let draft = Draft {
        kind: "decision".to_owned(),
        subject: Some("doctor".to_owned()),
        content: "a note that only its own session may delete".to_owned(),
        alternatives: Vec::new(),
    };
    let written = Writer::open(&dir.join("memory.db"))
        .and_then(|mut writer| writer.note(&draft, &author))
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(Cage { _scratch: scratch, home, project, note: written.id })
}

/// Puts the program that the shim finds below the real home at the same place below this one.
fn bring_along(program: &Path, real_home: &Path, cage: Cage) -> io::Result<Cage> {
    if let Some(found) = plugin::behind(program, real_home).filter(|found| found != program)
        && let Ok(below) = found.strip_prefix(real_home)
    {
        let place = cage.home.join(below);
        replace::make_dirs(place.parent().unwrap_or(&cage.home), 0o700)?;
        file::link(&found, &place)?;
    }
    Ok(cage)
}

/// The line with its places in the cage: a trial must leave no trace in the owner's records, and
/// must find the note of the cage. The configuration and the stores stay the owner's.
fn caged(argv: &[String], home: &Path) -> Vec<String> {
    let below = |below: &str| home.join(below).to_string_lossy().into_owned();
    let moved = [
        ("--state", below("state")),
        ("--data", below(".local/share/ringfence")),
        ("--cortex-home", below(".cortex")),
    ];
    let mut caged = Vec::with_capacity(argv.len());
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        let flag = word.split('=').next().unwrap_or_default();
        match moved.iter().find(|(known, _)| *known == flag) {
            Some((known, value)) => {
                caged.extend([(*known).to_owned(), value.clone()]);
                if !word.contains('=') {
                    words.next();
                }
            }
            None => caged.push(word.clone()),
        }
    }
    caged
}

/// One call, as the client makes it: no terminal, its variables, and a PATH of no use.
fn call(argv: &[String], cage: &Cage, agent: Option<&str>, command: &str) -> io::Result<Ended> {
    let project = cage.project.to_string_lossy();
    let text = |value: &str| Some(value.to_owned());
    let variables = [
        ("HOME", text(&cage.home.to_string_lossy())),
        ("XDG_CONFIG_HOME", None),
        ("XDG_STATE_HOME", None),
        ("XDG_DATA_HOME", None),
        ("CLAUDE_PROJECT_DIR", text(&project)),
        ("CLAUDECODE", text("1")),
        // What a project's settings can put into a hook's environment must not matter.
        ("LD_PRELOAD", text("/nonexistent/ringfence-doctor.so")),
        ("BASH_ENV", text("/nonexistent/ringfence-doctor.sh")),
    ];
    let input = shell_call("doctor-session", agent, &project, command);
    let run = Run { argv, cwd: &cage.project, env: &variables, input: &input, limit: PATIENCE };
    child::run(&run)
}
