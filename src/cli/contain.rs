//! `ringfence contain`, and the process that it starts inside.

use std::ffi::OsString;

use super::failure::Failure;
use super::posture_args::{BackendArg, ContainArgs};
use super::{Answer, named_dirs, output};
use crate::guard::label;
use crate::posture::boundary::ground::{self, Wish};
use crate::posture::boundary::layout::Ground;
use crate::posture::boundary::plan::{Plan, plan};
use crate::posture::boundary::probe::{self, Tried};
use crate::posture::boundary::start::{self, Task};
use crate::posture::boundary::{Backend, inside, tracking};
use crate::sys::confine;
use crate::sys::dirs::Dirs;
use crate::sys::env;

/// The status of a boundary that is refused, as env(1) has it for its own failures.
const REFUSED: u8 = 125;

/// Runs the command inside, or the probe.
pub(crate) fn run(args: &ContainArgs) -> anyhow::Result<Answer> {
    let tracked = args.text.as_deref().and_then(tracking::file_of);
    let wish = Wish {
        workspace: args.workspace.clone(),
        write: args.write.iter().cloned().chain(tracked).collect(),
        read: args.read.clone(),
        net: args.net,
    };
    let dirs = named_dirs(&env::current_dir().unwrap_or_default())?;
    let ground = match ground::look(&dirs, &wish) {
        Ok(ground) => ground,
        Err(sentence) => return refused(sentence),
    };
    if args.probe {
        return show(args, &ground);
    }
    let command: Vec<OsString> = match &args.text {
        // What the client itself uses; a login or rc file is no part of a command.
        Some(text) => ["/bin/bash", "-c", text].map(OsString::from).to_vec(),
        None => args.command.clone(),
    };
    let backend = match choose(args.backend, &dirs, &ground) {
        Ok(backend) => backend,
        Err(tried) => return refused(probe::lack(&tried)),
    };
    match start::run(backend, &ground, &Task::Command(&command)) {
        Ok(status) => Ok(Answer::Status(u8::try_from(status).unwrap_or(REFUSED))),
        Err(sentence) => {
            probe::forget(&dirs);
            refused(sentence)
        }
    }
}

/// The process inside.
pub(crate) fn inside(args: impl Iterator<Item = OsString>) -> u8 {
    let ended = inside::run(args);
    if let Some(sentence) = ended.sentence {
        output::failure(&Failure::no(sentence).into());
    }
    ended.status
}

fn refused(sentence: String) -> anyhow::Result<Answer> {
    output::failure(&Failure::no(sentence).hint("ringfence contain --probe").into());
    Ok(Answer::Status(REFUSED))
}

fn candidates(wanted: BackendArg) -> &'static [Backend] {
    match wanted {
        BackendArg::Auto => &Backend::ALL,
        BackendArg::Bwrap => &[Backend::Bwrap],
        BackendArg::Landlock => &[Backend::Landlock],
    }
}

/// The first backend that holds. One that was asked for proves itself when it runs the command.
fn choose(wanted: BackendArg, dirs: &Dirs, ground: &Ground) -> Result<Backend, Vec<Tried>> {
    match candidates(wanted) {
        [only] => Ok(*only),
        _ => probe::choose(dirs, ground),
    }
}

fn show(args: &ContainArgs, ground: &Ground) -> anyhow::Result<Answer> {
    let found = probe::prove(candidates(args.backend), ground);
    let level = confine::landlock_level();
    let plan = found.as_ref().ok().map(|backend| plan(*backend, level, ground.net));
    if args.json {
        output::json(&document(ground, plan.as_ref(), found.as_ref().err()));
    } else {
        output::data(&screen(ground, plan.as_ref(), found.as_ref().err()));
    }
    Ok(if found.is_ok() { Answer::Yes } else { Answer::No })
}

fn screen(ground: &Ground, plan: Option<&Plan>, tried: Option<&Vec<Tried>>) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        text.push_str(&format!("{name:<11}{}\n", label::one_line(value, usize::MAX)));
    };
    row("workspace", &ground.workspace.to_string_lossy());
    match plan {
        Some(plan) => {
            row("boundary", plan.backend.as_str());
            for (index, bound) in plan.bounds.iter().enumerate() {
                row(if index == 0 { "bounds" } else { "" }, bound);
            }
            for (index, left) in plan.leaves.iter().enumerate() {
                row(if index == 0 { "leaves" } else { "" }, left);
            }
        }
        None => row("boundary", "none"),
    }
    for tried in tried.into_iter().flatten() {
        row(tried.backend.as_str(), &tried.why);
    }
    text
}

fn document(ground: &Ground, plan: Option<&Plan>, tried: Option<&Vec<Tried>>) -> serde_json::Value {
    let tried: Vec<serde_json::Value> = tried
        .into_iter()
        .flatten()
        .map(|tried| serde_json::json!({"backend": tried.backend.as_str(), "reason": tried.why}))
        .collect();
    serde_json::json!({
        "version": 1,
        "available": plan.is_some(),
        "backend": plan.map(|plan| plan.backend.as_str()),
        "workspace": ground.workspace.to_string_lossy(),
        "network": if ground.net { "open" } else { "none" },
        "home": "hidden",
        "bounds": plan.map_or(&[][..], |plan| &plan.bounds),
        "leaves": plan.map_or(&[][..], |plan| &plan.leaves),
        "tried": tried,
    })
}
