//! Notes as HTML: sessions as a tree, and what became of what.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::html::{line, text, time};
use super::{Page, Superseded};
use crate::memory::store::native::{Entry, Known};

/// How deep sessions are nested; a longer chain goes on at the same depth.
const DEEPEST: usize = 8;

/// Where each note is on the page: ids of notes are others' texts and never become anchors.
pub(super) struct Anchors<'p>(HashMap<&'p str, (usize, &'p Entry)>);

impl<'p> Anchors<'p> {
    pub(super) fn of(page: &'p Page) -> Self {
        let numbered = page.notes.iter().enumerate();
        Self(numbered.map(|(number, entry)| (entry.id.as_str(), (number, entry))).collect())
    }

    /// A link to a note, or its id where it is not on the page.
    fn link(&self, id: &str) -> String {
        match self.0.get(id) {
            Some((number, entry)) => format!("<a href=\"#n{number}\">{}</a>", name(entry)),
            None => format!("<code>{}</code>", line(id, 60)),
        }
    }

    fn number(&self, id: &str) -> usize {
        self.0.get(id).map_or(0, |(number, _)| *number)
    }
}

fn name(entry: &Entry) -> String {
    let subject = entry.subject.as_deref().unwrap_or(&entry.content);
    format!("{} “{}”", line(&entry.kind, 20), line(subject, 60))
}

/// The sessions as a tree with their notes.
pub(super) fn sessions(page: &Page, anchors: &Anchors<'_>) -> String {
    let mut known: BTreeMap<&str, Known> =
        page.sessions.iter().map(|one| (one.id.as_str(), one.clone())).collect();
    for note in &page.notes {
        known.entry(&note.session).or_insert_with(|| Known {
            id: note.session.clone(),
            started_at: note.created_at.clone(),
            ..Known::default()
        });
    }
    let mut below: BTreeMap<&str, Vec<&Known>> = BTreeMap::new();
    let mut tops: Vec<&Known> = Vec::new();
    for one in known.values() {
        match one.parent.as_deref().filter(|parent| known.contains_key(parent)) {
            Some(parent) => below.entry(parent).or_default().push(one),
            None => tops.push(one),
        }
    }
    tops.sort_by(|left, right| right.started_at.cmp(&left.started_at));
    let mut tree = Tree { page, anchors, below, done: BTreeSet::new() };
    let mut out = String::new();
    for top in tops {
        out.push_str(&tree.session(top, 0));
    }
    // Sessions that are each other's children have no top.
    for one in known.values() {
        out.push_str(&tree.session(one, 0));
    }
    if out.is_empty() { "<p>No session is known.</p>\n".to_owned() } else { out }
}

struct Tree<'p> {
    page: &'p Page,
    anchors: &'p Anchors<'p>,
    below: BTreeMap<&'p str, Vec<&'p Known>>,
    done: BTreeSet<String>,
}

impl Tree<'_> {
    fn session(&mut self, session: &Known, depth: usize) -> String {
        if !self.done.insert(session.id.clone()) {
            return String::new();
        }
        let notes: Vec<&Entry> =
            self.page.notes.iter().filter(|note| note.session == session.id).collect();
        let children: Vec<&Known> =
            self.below.get(session.id.as_str()).cloned().unwrap_or_default();
        let mut inner = String::new();
        for child in children {
            // Beyond that depth it goes on beside its parent.
            inner.push_str(&self.session(child, (depth + 1).min(DEEPEST)));
        }
        if notes.is_empty() && inner.is_empty() {
            return String::new();
        }
        let agents: BTreeSet<Option<&str>> =
            notes.iter().map(|note| note.agent.as_deref()).collect();
        let mut body = String::new();
        for agent in agents {
            let of_agent: Vec<&&Entry> =
                notes.iter().filter(|note| note.agent.as_deref() == agent).collect();
            let cards: String = of_agent.iter().map(|note| self.card(note)).collect();
            match agent {
                None => body.push_str(&cards),
                Some(agent) => body.push_str(&format!(
                    "<details open class=\"agent\"><summary>subagent <code>{}</code>, {}</summary>\n{cards}</details>\n",
                    line(agent, 60),
                    counted(of_agent.len(), "note")
                )),
            }
        }
        let ended = match &session.ended_at {
            Some(at) => format!(" to {}", time(at)),
            None => String::new(),
        };
        format!(
            "<details open class=\"session\"><summary>session <code>{}</code> {}{ended}, {}</summary>\n{body}{inner}</details>\n",
            line(&session.id, 60),
            time(&session.started_at),
            counted(notes.len(), "note")
        )
    }

    fn card(&self, note: &Entry) -> String {
        let mut facts = Vec::new();
        for pair in &self.page.superseded {
            if pair.old == note.id {
                facts.push(format!("superseded by {}", self.anchors.link(&pair.new)));
            }
            if pair.new == note.id {
                facts.push(format!("supersedes {}", self.anchors.link(&pair.old)));
            }
        }
        let facts = match facts.as_slice() {
            [] => String::new(),
            all => format!("<p class=\"facts\">{}</p>", all.join(", ")),
        };
        let subject = note.subject.as_deref().map(|subject| line(subject, 200)).unwrap_or_default();
        let contested = if note.conflict { "<span class=\"tag bad\">contested</span>" } else { "" };
        let alternatives: String =
            note.alternatives.iter().map(|one| format!("<li>{}</li>", text(one))).collect();
        let alternatives = match alternatives.as_str() {
            "" => String::new(),
            list => format!("<p>Considered and left:</p><ul>{list}</ul>"),
        };
        format!(
            "<article id=\"n{}\" class=\"note {}\" tabindex=\"-1\"><h4><span class=\"tag\">{}</span> {subject} \
             <span class=\"tag {}\">{}</span>{contested}</h4>\n<p class=\"when\">{}{} \
             <code>{}</code></p>\n<pre>{}</pre>\n{alternatives}{facts}</article>\n",
            self.anchors.number(&note.id),
            status_class(&note.status),
            line(&note.kind, 20),
            status_class(&note.status),
            line(&note.status, 20),
            time(&note.created_at),
            note.scope
                .as_deref()
                .map(|scope| format!(" on {}", line(scope, 80)))
                .unwrap_or_default(),
            line(&note.id, 60),
            text(&note.content),
        )
    }
}

/// Only these become names of classes.
fn status_class(status: &str) -> &'static str {
    match status {
        "active" => "active",
        "resolved" => "resolved",
        "superseded" => "superseded",
        _ => "other",
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// What superseded what, newest first.
pub(super) fn superseded(pairs: &[Superseded], anchors: &Anchors<'_>) -> String {
    if pairs.is_empty() {
        return "<p>No note was superseded.</p>\n".to_owned();
    }
    let mut out = "<table><thead><tr><th scope=\"col\">when</th><th scope=\"col\">new</th>\
                   <th scope=\"col\">old</th></tr></thead><tbody>\n"
        .to_owned();
    for pair in pairs.iter().rev() {
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            time(&pair.at),
            anchors.link(&pair.new),
            anchors.link(&pair.old)
        ));
    }
    out.push_str("</tbody></table>\n");
    out
}

/// The contested notes, those on one subject and branch together.
pub(super) fn contested(page: &Page, anchors: &Anchors<'_>) -> String {
    let mut groups: BTreeMap<(String, Option<&str>), Vec<&Entry>> = BTreeMap::new();
    for note in page.notes.iter().filter(|note| note.conflict) {
        let subject =
            note.subject.as_deref().and_then(crate::memory::subject::normalise).unwrap_or_default();
        groups.entry((subject, note.scope.as_deref())).or_default().push(note);
    }
    if groups.is_empty() {
        return "<p>No note is contested.</p>\n".to_owned();
    }
    let mut out = String::new();
    for ((subject, scope), notes) in groups {
        let scope = scope.map(|scope| format!(" on {}", line(scope, 80))).unwrap_or_default();
        out.push_str(&format!("<h3>{}{scope}</h3>\n<div class=\"pair\">\n", line(&subject, 200)));
        for note in notes {
            out.push_str(&format!(
                "<blockquote><p>{}</p><pre>{}</pre></blockquote>\n",
                anchors.link(&note.id),
                text(&note.content)
            ));
        }
        out.push_str("</div>\n");
    }
    out
}
