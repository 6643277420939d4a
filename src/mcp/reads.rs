//! The tools that only read.

use crate::memory::note::{KINDS, STATUSES};
use crate::memory::store::native::{Filter, Reader, Recall};
use crate::sys::{clock, git};

use super::arguments::Given;
use super::home::Home;
use super::message::Outcome;
use super::tools::{NOTES, OFFSET, ROWS, TOKENS};
use super::words;

/// What is said where there is no store yet.
const EMPTY: &str = "No notes yet.";

/// A sentence for a model.
type Wrong = String;

/// `cortex_recall`.
pub(super) fn recall(
    given: &Given<'_>,
    home: &Home,
    reader: Option<&Reader>,
) -> Result<Outcome, Wrong> {
    let order = Recall {
        text: given.required("query")?.to_owned(),
        kinds: given.some_of("kind", KINDS)?,
        retired: given.truth("include_retired")?,
        limit: given.number("limit", NOTES.0, NOTES.1)?,
        tokens: given.number("max_tokens", TOKENS.0, TOKENS.1)?,
        scope: git::scope_of(&home.dir),
        now: clock::rfc3339(clock::now_ms()),
    };
    let Some(reader) = reader else { return Ok(Outcome::done(EMPTY)) };
    let found = reader.recall(&order).map_err(|error| words::failure(&error))?;
    if found.is_empty() {
        return Ok(Outcome::done("No note has these words."));
    }
    Ok(Outcome::done(found.iter().map(|one| words::whole(&one.entry)).collect::<String>()))
}

/// `cortex_brief`.
pub(super) fn brief(
    given: &Given<'_>,
    home: &Home,
    reader: Option<&Reader>,
) -> Result<Outcome, Wrong> {
    let tokens = given.number("max_tokens", TOKENS.0, TOKENS.1)?;
    let Some(reader) = reader else { return Ok(Outcome::done(EMPTY)) };
    let scope = git::scope_of(&home.dir);
    let found = reader.brief(scope.as_deref(), tokens).map_err(|error| words::failure(&error))?;
    if found.is_empty() {
        return Ok(Outcome::done("No note is active."));
    }
    Ok(Outcome::done(found.iter().map(words::whole).collect::<String>()))
}

/// `cortex_list`.
pub(super) fn list(given: &Given<'_>, reader: Option<&Reader>) -> Result<Outcome, Wrong> {
    let filter = Filter {
        kinds: given.some_of("kind", KINDS)?,
        statuses: given.some_of("status", STATUSES)?,
        subject: given.text("subject")?.map(str::to_owned),
        contested: given.truth("contested")?,
        limit: given.number("limit", ROWS.0, ROWS.1)?,
        offset: given.number("offset", OFFSET.0, OFFSET.1)?,
        ..Filter::default()
    };
    let Some(reader) = reader else { return Ok(Outcome::done(EMPTY)) };
    let page = reader.list(&filter).map_err(|error| words::failure(&error))?;
    let shown = page.entries.len();
    let mut text = match shown {
        0 => format!("None of {} notes.\n", page.total),
        _ => format!(
            "{} to {} of {} notes, newest first:\n",
            filter.offset + 1,
            filter.offset + shown,
            page.total
        ),
    };
    text.extend(page.entries.iter().map(words::short));
    Ok(Outcome::done(text))
}

/// `cortex_history`.
pub(super) fn history(given: &Given<'_>, reader: Option<&Reader>) -> Result<Outcome, Wrong> {
    let id = given.required("note_id")?;
    let tokens = given.number("max_tokens", TOKENS.0, TOKENS.1)?;
    let nothing = || Err(format!("there is no note {}", crate::guard::label::quoted(id, 60)));
    let Some(reader) = reader else { return nothing() };
    let changes = reader.history(id).map_err(|error| words::failure(&error))?;
    if changes.is_empty() {
        return nothing();
    }
    let mut text = match reader.entry(id) {
        Ok(mut entry) => {
            // Half of the answer at the most: the changes are what was asked for.
            words::cut(&mut entry, tokens * 2);
            words::whole(&entry)
        }
        // It was deleted; the text before is below.
        Err(_) => "It was deleted.\n".to_owned(),
    };
    text.push_str("changes, newest first:\n");
    let mut left = (tokens * 4).saturating_sub(text.len());
    for (number, change) in changes.iter().rev().enumerate() {
        let one = words::change(change);
        let Some(rest) = left.checked_sub(one.len()) else {
            text.push_str(&format!(
                "and {} older; ask again with a larger max_tokens\n",
                changes.len() - number
            ));
            break;
        };
        left = rest;
        text.push_str(&one);
    }
    Ok(Outcome::done(text))
}
