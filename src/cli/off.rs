//! `ringfence off`: the owner's pause. It ends by itself.

use std::path::Path;

use super::Answer;
use super::args::OffArgs;
use super::duration;
use super::failure::Failure;
use super::install::refused;
use super::output;
use crate::state::off::project_of;
use crate::state::{Off, State};
use crate::sys::{clock, env};
use crate::wiring::table::Places;

pub(crate) fn run(args: &OffArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    let state = State::at(&places.dirs.state);
    let now = clock::now_ms();
    let cwd = env::current_dir();
    let project = cwd.filter(|_| args.project).map(|cwd| project_of(&cwd));
    let whom = whom(project.as_deref());
    if args.end {
        let was_off = state.switch_on(project.as_deref(), now)?;
        let words = if was_off { "is on again" } else { "was on" };
        output::data(&format!("the guard {words}{whom}\n"));
        // A pause for everything outweighs the end of one for a project.
        for pause in state.pauses(now) {
            output::data(&format!("{}\n", sentence(&pause)));
        }
        return Ok(Answer::Yes);
    }
    let wanted = duration::parse(&args.duration)?;
    if let Err(why) = state.outside_any_client() {
        let sentence = format!("only a person at a terminal outside any client can do this: {why}");
        return Err(Failure::no(sentence).into());
    }
    let pause = Off { until: now.saturating_add(wanted), project };
    state.switch_off(&pause)?;
    output::data(&format!("{}\n", sentence(&pause)));
    Ok(Answer::Yes)
}

/// What a pause is, for a person.
fn sentence(pause: &Off) -> String {
    format!("the guard is {}", words(pause))
}

/// What a pause is, in the words after "guard".
pub(super) fn words(pause: &Off) -> String {
    let whom = whom(pause.project.as_deref());
    format!("off{whom} until {}", clock::rfc3339(pause.until))
}

fn whom(project: Option<&Path>) -> String {
    project.map_or_else(String::new, |project| format!(" for {}", output::place(project)))
}
