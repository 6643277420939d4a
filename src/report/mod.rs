//! One page to look at: a file of HTML that needs nothing else. Pure.
//!
//! No script, no address: the page forbids itself both, so that a hostile note is text whatever it
//! holds. What opens and closes is the browser's own, and so is the keyboard.

#![forbid(unsafe_code)]

mod charts;
mod html;
mod notes;

use crate::memory::store::native::{Entry, Known, Logged};
use html::{line, text, time};

/// All that is on the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The project's name.
    pub project: String,
    /// The store's file.
    pub store: String,
    /// RFC 3339.
    pub made_at: String,
    /// The newest notes, newest first.
    pub notes: Vec<Entry>,
    /// How many notes there are in all.
    pub total: i64,
    /// The sessions that the store knows.
    pub sessions: Vec<Known>,
    /// What superseded what, the oldest first.
    pub superseded: Vec<Superseded>,
    /// The refused calls, the oldest first.
    pub refused: Vec<Refused>,
    /// How long the hook took for each logged call, in microseconds.
    pub took: Vec<u64>,
}

/// One note that took another's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superseded {
    /// RFC 3339.
    pub at: String,
    /// The newer note's id.
    pub new: String,
    /// The older one's.
    pub old: String,
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// RFC 3339.
    pub at: String,
    /// What it would have done.
    pub action: String,
    /// The tool's name.
    pub tool: String,
    /// The subagent.
    pub agent: Option<String>,
    /// What it would have been done to.
    pub targets: Vec<String>,
}

/// Finds out what superseded what: a note that supersedes another is created by the same call at the
/// same moment. `log` is the oldest first.
pub fn superseded(log: &[Logged]) -> Vec<Superseded> {
    let same = |left: &Logged, right: &Logged| {
        let (left, right) = (&left.change, &right.change);
        (&left.at, &left.session, &left.agent, &left.tool_use_id, left.pid)
            == (&right.at, &right.session, &right.agent, &right.tool_use_id, right.pid)
    };
    let mut pairs = Vec::new();
    for (place, old) in log.iter().enumerate() {
        if old.change.action != "supersede" {
            continue;
        }
        // The changes of one transaction stand together.
        let later = log.iter().skip(place + 1).take_while(|one| same(one, old));
        let earlier = log.iter().take(place).rev().take_while(|one| same(one, old));
        let new = later.chain(earlier).find(|one| one.change.action == "create");
        pairs.extend(new.map(|new| Superseded {
            at: old.change.at.clone(),
            new: new.note.clone(),
            old: old.note.clone(),
        }));
    }
    pairs
}

/// The page as a file.
pub fn html(page: &Page) -> String {
    let anchors = notes::Anchors::of(page);
    let project = line(&page.project, 80);
    let shown = i64::try_from(page.notes.len()).unwrap_or(i64::MAX);
    let missing = if shown < page.total {
        format!(" The newest {shown} of {} notes are shown.", page.total)
    } else {
        String::new()
    };
    let active = page.notes.iter().filter(|note| note.status == "active").count();
    let contested = page.notes.iter().filter(|note| note.conflict).count();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Memory of {project}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">To the notes</a>\n\
         <header><h1>Memory of {project}</h1>\n<p>Made {} from <code>{}</code>.{missing}</p>\n\
         <dl><div><dt>notes</dt><dd>{}</dd></div><div><dt>active</dt><dd>{active}</dd></div>\
         <div><dt>contested</dt><dd>{contested}</dd></div><div><dt>refusals</dt><dd>{}</dd></div></dl>\n\
         <nav aria-label=\"Parts\"><a href=\"#sessions\">Sessions</a> <a href=\"#superseded\">Superseded</a> \
         <a href=\"#contested\">Contested</a> <a href=\"#refused\">Refusals</a> <a href=\"#took\">Time</a></nav></header>\n\
         <main id=\"main\">\n<section id=\"sessions\"><h2>Sessions and their notes</h2>\n{}</section>\n\
         <section id=\"superseded\"><h2>What superseded what</h2>\n{}</section>\n\
         <section id=\"contested\"><h2>Contested</h2>\n{}</section>\n\
         <section id=\"refused\"><h2>Refused calls</h2>\n{}</section>\n\
         <section id=\"took\"><h2>How long the hook took</h2>\n{}</section>\n</main>\n</body>\n</html>\n",
        time(&page.made_at),
        text(&page.store),
        page.total,
        page.refused.len(),
        notes::sessions(page, &anchors),
        notes::superseded(&page.superseded, &anchors),
        notes::contested(page, &anchors),
        charts::time_line(&page.refused),
        charts::histogram(&page.took),
    )
}

const STYLE: &str = include_str!("page.css");
