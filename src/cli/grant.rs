//! `ringfence grant`: a parent lets a subagent change one memory once.
//!
//! A parent's and a subagent's shells look alike, so the word counts only from a terminal outside any
//! client, or when the hook saw this very command come from the parent a moment ago.

use serde::Serialize;

use super::Answer;
use super::args::GrantArgs;
use super::failure::Failure;
use super::{duration, output};
use crate::facts::{Machine, Setup};
use crate::guard::label::one_line;
use crate::guard::{Facts, Place};
use crate::memory::Family;
use crate::request::Caller;
use crate::state::{Grant, State};
use crate::sys::{clock, env, process};

/// How old the hook's record of this command may be.
const FRESH_MS: i64 = 5_000;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'g> {
    version: u8,
    id: &'g str,
    action: &'g str,
    store: &'g str,
    session: &'g str,
    until: String,
    owner: Option<&'g str>,
}

pub(crate) fn run(args: &GrantArgs) -> anyhow::Result<Answer> {
    let dirs = super::dirs()?;
    let state = State::at(&dirs.state);
    let time = duration::parse(&args.duration)?;
    let session = authority(args, &state)?;
    let action = action(args, &state)?;
    let found = find(args, &dirs, &state)?;
    let grant = Grant {
        session: state.root_of(&session),
        store: found.store,
        id: found.id,
        action,
        until: clock::now_ms() + time,
    };
    state.keep_grant(&grant)?;
    if args.json {
        output::document(&Document {
            version: 1,
            id: &grant.id,
            action: &grant.action,
            store: &grant.store,
            session: &grant.session,
            until: clock::rfc3339(grant.until),
            owner: found.owner.as_deref(),
        })?;
        return Ok(Answer::Yes);
    }
    let owner = found.owner.as_deref().unwrap_or("nobody known");
    output::data(&format!(
        "granted once, until {}: {} {}\n  written by {}: {}\n",
        clock::rfc3339(grant.until),
        grant.action,
        grant.id,
        one_line(owner, 60),
        one_line(&found.text, 200),
    ));
    Ok(Answer::Yes)
}

/// The session that the grant holds for, if whoever types this may give it.
fn authority(args: &GrantArgs, state: &State) -> anyhow::Result<String> {
    let client = process::ancestors()
        .into_iter()
        .find_map(|ancestor| state.client_session(ancestor.pid, ancestor.start));
    let Some(session) = client else {
        if state.outside_any_client().is_err() {
            return Err(Failure::no(
                "a grant needs a terminal of its own, or the parent's own shell call",
            )
            .hint(format!("open a terminal and type: ringfence grant {}", args.id))
            .into());
        }
        return from_terminal(args, state);
    };
    let now = clock::now_ms();
    let record = state.recent_calls().into_iter().find(|call| {
        call.event == "call" && call.session == session && call.grants.contains(&args.id)
    });
    let fresh =
        record.filter(|call| age(&call.at, now).is_some_and(|age| (0..=FRESH_MS).contains(&age)));
    match fresh {
        Some(call) if call.agent.is_none() && state.parent_of(&session).is_none() => Ok(session),
        Some(_) => Err(Failure::no("a subagent cannot grant itself anything")
            .hint("put the finding in your final message; the parent decides about it")
            .into()),
        None => Err(Failure::no(
            "the hook has no record of this command, so it is not known who typed it",
        )
        .hint(format!("open a terminal and type: ringfence grant {}", args.id))
        .into()),
    }
}

fn age(at: &str, now: i64) -> Option<i64> {
    let at: jiff::Timestamp = at.parse().ok()?;
    Some(now - at.as_millisecond())
}

/// From a terminal: the session named, or the only one that runs here.
fn from_terminal(args: &GrantArgs, state: &State) -> anyhow::Result<String> {
    if let Some(session) = &args.session {
        return Ok(session.clone());
    }
    let here = env::current_dir().unwrap_or_default();
    let mut running: Vec<_> = state
        .sessions()
        .into_iter()
        .filter(|record| record.ended.is_empty() && record.child_of.is_none())
        .filter(|record| {
            [&record.cwd, &record.project].iter().any(|dir| {
                !dir.is_empty()
                    && (here.starts_with(dir.as_str())
                        || std::path::Path::new(dir).starts_with(&here))
            })
        })
        .collect();
    running.sort_by(|left, right| left.first_seen.cmp(&right.first_seen));
    match running.as_slice() {
        [one] => Ok(one.session.clone()),
        [] => Err(Failure::no("no session is known to run in this directory")
            .hint(format!("ringfence grant {} --session ID", args.id))
            .into()),
        many => {
            let ids: Vec<&str> = many.iter().map(|record| record.session.as_str()).collect();
            Err(Failure::no(format!("several sessions run in this directory: {}", ids.join(", ")))
                .hint(format!(
                    "ringfence grant {} --session {}",
                    args.id,
                    ids.last().unwrap_or(&"ID")
                ))
                .into())
        }
    }
}

/// The action named, or the one that was refused last for this memory.
fn action(args: &GrantArgs, state: &State) -> anyhow::Result<String> {
    if let Some(action) = &args.action {
        if matches!(action.as_str(), "retire" | "edit" | "delete") {
            return Ok(action.clone());
        }
        return Err(Failure::usage(format!("`{}` is no action", one_line(action, 40)))
            .hint("use --action retire, edit or delete")
            .into());
    }
    let refused = state
        .log_lines()
        .into_iter()
        .rev()
        .find(|line| line.verdict == "deny" && line.targets.contains(&args.id))
        .and_then(|line| line.action);
    refused.filter(|action| action != "tamper").ok_or_else(|| {
        Failure::no("nothing was refused for this memory yet, so the action is not known")
            .hint(format!("ringfence grant {} --action delete", args.id))
            .into()
    })
}

/// A memory that the grant names.
struct Found {
    store: String,
    id: String,
    owner: Option<String>,
    text: String,
}

fn find(args: &GrantArgs, dirs: &crate::sys::dirs::Dirs, state: &State) -> anyhow::Result<Found> {
    let cwd = env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let machine = Machine::new(Setup {
        dirs: dirs.clone(),
        state: state.clone(),
        stores: Vec::new(),
        cortex_homes: Vec::new(),
        config: None,
        client: None,
        caller: Caller::default(),
        cwd: cwd.clone(),
        project: env::var("CLAUDE_PROJECT_DIR"),
        call_id: None,
    });
    let place = Place { cwd: Some(cwd), ..Place::default() };
    for family in [Family::Native, Family::Cortex] {
        for reached in machine.stores(family, &place).0 {
            let Ok(Some(item)) = reached.memory.item(&args.id) else { continue };
            let text = reached.memory.note(args.id.trim_start_matches("notes:")).ok().flatten();
            return Ok(Found {
                store: reached.memory.path().to_owned(),
                // The grant is looked up by the id as the call spells it.
                id: args.id.clone(),
                owner: item.session,
                text: text.map_or_else(|| item.kind.clone(), |note| note.content),
            });
        }
    }
    Err(Failure::no(format!("no memory with the id `{}` is found here", one_line(&args.id, 60)))
        .hint("ringfence list-memory")
        .into())
}
