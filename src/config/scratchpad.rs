//! `[scratchpad]`: where a session's commands run, as its owner says.

use toml::{Table, Value};

use super::hosted::Origin;
use crate::scratchpad::adapter::{Adapter, is_plain_target};
use crate::scratchpad::is_remote_scratchpad_lane;

/// The lane of all sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scratchpad {
    /// Its name; `None` = none.
    pub lane: Option<String>,
    /// The host, container, pod or sandbox.
    pub target: Option<String>,
    /// The command line that runs a command there, with `{target}` and `{command}`.
    pub exec: Option<String>,
}

/// Takes the table; each key that cannot be taken is told with what it should be.
pub(super) fn take(
    scratchpad: &mut Scratchpad,
    table: &Table,
    origin: Origin,
) -> Vec<(String, &'static str)> {
    let mut wrong = Vec::new();
    for (key, value) in table {
        let taken = match (key.as_str(), value) {
            // It says what is started: no project does.
            _ if origin == Origin::Project => Err("cannot stand in a project's file"),
            ("lane", Value::String(lane)) if is_remote_scratchpad_lane(Some(lane)) => {
                scratchpad.lane = Some(lane.clone());
                Ok(())
            }
            ("lane", _) => Err("must be \"ssh\", \"local-docker\", \"k8s\" or \"e2b\""),
            ("target", Value::String(target)) if is_plain_target(target) => {
                scratchpad.target = Some(target.clone());
                Ok(())
            }
            ("target", _) => Err("must be the plain name of a host, container, pod or sandbox"),
            ("exec", Value::String(line)) if Adapter::new("ssh", Some("t"), Some(line)).is_ok() => {
                scratchpad.exec = Some(line.clone());
                Ok(())
            }
            ("exec", _) => Err("must be a command line with `{command}` as a word of its own"),
            _ => Err("is not known"),
        };
        if let Err(wanted) = taken {
            wrong.push((key.clone(), wanted));
        }
    }
    wrong
}
