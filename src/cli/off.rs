//! `ringfence off`: the owner's pause. It ends by itself.

use super::Answer;
use super::args::OffArgs;
use super::duration;
use super::failure::Failure;
use super::install::refused;
use super::output;
use crate::state::State;
use crate::sys::clock;
use crate::wiring::table::Places;

pub(crate) fn run(args: &OffArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    let state = State::at(&places.dirs.state);
    let now = clock::now_ms();
    let is_off = state.off_until().is_some_and(|until| until > now);
    if args.end {
        state.set_off(None)?;
        output::data(if is_off { "the guard is on again\n" } else { "the guard was on\n" });
        return Ok(Answer::Yes);
    }
    let wanted = duration::parse(&args.duration)?;
    if let Err(why) = state.outside_any_client() {
        let sentence = format!("only a person at a terminal outside any client can do this: {why}");
        return Err(Failure::no(sentence).into());
    }
    let until = now.saturating_add(wanted);
    state.set_off(Some(until))?;
    output::data(&format!("the guard is off until {}\n", clock::rfc3339(until)));
    Ok(Answer::Yes)
}
