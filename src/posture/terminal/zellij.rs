//! zellij.

use super::screen::only_reads;
use super::{Call, Judged, Wrong, target};
use crate::shell::Word;

/// Verbs that say what there is.
const READS: [&str; 6] = ["list-sessions", "ls", "list-aliases", "la", "setup", "help"];

/// Actions that say what there is.
const READING_ACTIONS: [&str; 5] =
    ["dump-screen", "dump-layout", "list-clients", "query-tab-names", "help"];

/// Verbs that name their session as their operand.
const NAMING: [&str; 6] = ["attach", "a", "kill-session", "k", "delete-session", "d"];

/// Judges one call of zellij.
pub(super) fn judge(call: &Call<'_>) -> Judged {
    let args = call.args();
    let mut session = None;
    let mut index = 0;
    let mut verb = None;
    while let Some(word) = args.get(index) {
        index += 1;
        match word.literal() {
            Some("-s" | "--session") => {
                session = args.get(index);
                index += 1;
            }
            Some(
                "-l"
                | "--layout"
                | "-c"
                | "--config"
                | "--config-dir"
                | "--data-dir"
                | "--max-panes"
                | "-n"
                | "--new-session-with-layout",
            ) => index += 1,
            Some(text) if text.starts_with('-') => {}
            _ => {
                verb = Some(word);
                break;
            }
        }
    }
    let rest = args.get(index..).unwrap_or(&[]);
    if only_reads(args, &[]) {
        return Ok(());
    }
    let Some(verb) = verb else {
        // Starts a session, and attaches where one of that name is.
        return named(call, session, "zellij");
    };
    let Some(name) = verb.literal() else {
        return Err(Wrong::new("gives zellij a command that is only known when it runs"));
    };
    match name {
        _ if READS.contains(&name) => Ok(()),
        "action" | "ac" if only_reads(rest, &READING_ACTIONS) => Ok(()),
        "kill-all-sessions" | "ka" | "delete-all-sessions" | "da" => {
            Err(Wrong::new("ends sessions that this run did not create"))
        }
        _ if NAMING.contains(&name) => {
            let operand =
                rest.iter().find(|word| word.literal().is_none_or(|text| !text.starts_with('-')));
            named(call, operand.or(session), name)
        }
        // run, action, edit, plugin, pipe, options …: in the session named, or the one at hand.
        _ => named(call, session, name),
    }
}

fn named(call: &Call<'_>, session: Option<&Word>, what: &str) -> Judged {
    match session {
        Some(word) => target::require(call, word),
        None => Err(Wrong::new(format!("`{what}` without a name acts on the session at hand"))
            .instead(format!("zellij --session {} …", call.own_name()))),
    }
}
