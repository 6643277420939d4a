//! What `ringfence explain` prints for a person.

use super::source::{Mark, drawn};
use super::watched::{Known, LookedUp, Owned};
use super::{Explained, LookedAt, dialect_word, family_word, tree, unclear_word, words};
use crate::cli::screen::{painted, shown, style, wrapped};
use crate::decision::{Doubt, Weight};
use crate::guard::inspect::{Inspection, code_of};
use crate::guard::label::{label, one_line};
use crate::request::Caller;
use crate::shell::Invocation;

/// The columns of a text's rows where nobody says how wide the screen is.
const PIPED: usize = 100;
/// The most programs that are listed, but for those that concern memory.
const MOST_LISTED: usize = 100;
/// The most memories that are listed.
const MOST_LOOKED_UP: usize = 40;

/// A text that grows, in lines of at most so many columns.
struct Page {
    text: String,
    width: Option<usize>,
}

impl Page {
    fn title(&mut self, title: &str) {
        self.text.push_str(title);
        self.text.push('\n');
    }

    /// A line that begins `indent` columns in; where it is too long it goes on two columns further.
    fn line(&mut self, indent: usize, line: &str) {
        self.weighed(indent, None, line);
    }

    /// The same, coloured.
    fn weighed(&mut self, indent: usize, weight: Option<Weight>, line: &str) {
        let rows = match self.width {
            Some(width) => wrapped(line, width.saturating_sub(indent + 2).max(20)),
            None => vec![line.to_owned()],
        };
        for (number, row) in rows.iter().enumerate() {
            let indent = indent + if number > 0 { 2 } else { 0 };
            let row = weight.map_or_else(|| row.clone(), |weight| painted(row, style(weight)));
            self.text.push_str(&format!("{:indent$}{row}\n", ""));
        }
    }
}

impl Explained {
    /// The whole page.
    pub(super) fn to_text(&self, width: Option<usize>) -> String {
        let mut page = Page { text: String::new(), width };
        self.call(&mut page);
        self.source(&mut page);
        self.programs(&mut page);
        self.unclear(&mut page);
        self.places(&mut page);
        self.looked_up(&mut page);
        self.verdict(&mut page);
        page.text
    }

    fn call(&self, page: &mut Page) {
        let request = &self.request;
        page.title("call");
        let tool = one_line(&request.tool, 80);
        let cwd = self.path(&request.cwd);
        page.line(2, &format!("{tool} by {}, in {cwd}", caller(&request.caller)));
        if let Some(whence) = &self.whence {
            page.line(2, &format!("the last of the log: {}", one_line(whence, 200)));
        }
        match self.looked_at {
            LookedAt::Judged => {}
            LookedAt::Parent => {
                page.line(2, "not judged: without an agent mark it is the parent's");
            }
            LookedAt::OtherTool => {
                page.line(2, "not judged: no call of this tool concerns memory");
            }
        }
    }

    fn source(&self, page: &mut Page) {
        let Some((text, dialect)) = &self.text else { return };
        let mut marks: Vec<Mark> = Vec::new();
        let mut marked = std::collections::HashSet::new();
        for (index, _) in tree::walk(&self.parents) {
            let Some(invocation) = self.reading.invocations.get(index) else { continue };
            if invocation.end > invocation.at && marked.insert((invocation.at, invocation.end)) {
                let name = self.number(index);
                marks.push(Mark { at: invocation.at, end: invocation.end, name });
            }
        }
        for (index, unclear) in self.reading.unclear.iter().enumerate() {
            marks.push(Mark { at: unclear.at, end: unclear.at + 1, name: letter(index) });
        }
        page.title(&format!("text ({})", dialect_word(*dialect)));
        let width = page.width.map_or(PIPED, |width| width.saturating_sub(2));
        page.text.push_str(&drawn(text, &marks, width));
    }

    fn programs(&self, page: &mut Page) {
        if self.text.is_none() {
            return;
        }
        page.title("would run");
        let (mut listed, mut left_out) = (0, 0);
        for (index, depth) in tree::walk(&self.parents) {
            let Some(invocation) = self.reading.invocations.get(index) else { continue };
            let Some(inspection) = self.inspections.get(index) else { continue };
            if listed >= MOST_LISTED && !inspection.is_relevant() {
                left_out += 1;
                continue;
            }
            listed += 1;
            let around = self.parents.get(index).copied().flatten();
            let around = around.and_then(|parent| self.reading.invocations.get(parent));
            self.program(page, (index, depth), invocation, around, inspection);
        }
        match (listed, left_out) {
            (0, _) => page.line(2, "nothing"),
            (_, 0) => {}
            (_, more) => page.line(2, &format!("and {more} more, which do not concern memory")),
        }
    }

    fn program(
        &self,
        page: &mut Page,
        (index, depth): (usize, usize),
        invocation: &Invocation,
        around: Option<&Invocation>,
        inspection: &Inspection,
    ) {
        let number = self.number(index);
        // Depth is bounded by the reader, but the screen is narrower.
        let indent = 2 + 2 * depth.min(12);
        page.line(indent, &format!("{number} {}", words::argv(&invocation.argv)));
        let indent = indent + number.len() + 1;
        let notes = self.circumstances(invocation, around);
        if !notes.is_empty() {
            page.line(indent, &format!("({})", notes.join(", ")));
        }
        for line in words::unknown(&invocation.argv).iter().take(8) {
            page.line(indent, line);
        }
        if let Some(program) = &inspection.program {
            page.line(indent, &format!("memory's own program: {program}"));
        }
        for row in &inspection.would {
            page.weighed(indent, Some(Weight::Refused), &format!("would {row}"));
        }
        for id in inspection.own.iter().take(8) {
            page.line(indent, &format!("changes the caller's own memory {}", one_line(id, 120)));
        }
        for doubt in &inspection.doubts {
            page.weighed(indent, Some(doubt.code.weight()), &doubt_line(doubt));
        }
    }

    /// Where a program was found, where it runs, and what the text gives it.
    fn circumstances(&self, invocation: &Invocation, around: Option<&Invocation>) -> Vec<String> {
        let known = around.map_or(0, |around| around.via.len());
        let mut notes: Vec<String> =
            invocation.via.iter().skip(known).map(|via| format!("by {via}")).collect();
        match &invocation.cwd {
            cwd if *cwd == around.map_or(Some(self.request.cwd.clone()), |one| one.cwd.clone()) => {
            }
            Some(cwd) => notes.push(format!("in {}", self.path(cwd))),
            None => notes.push("in a directory that only run time knows".into()),
        }
        for (name, value) in invocation.env.iter().take(8) {
            notes.push(format!("with {}={}", shown(name), words::word(value)));
        }
        notes.extend(words::streams(invocation));
        if invocation.remote {
            notes.push("on another machine or in a container".into());
        }
        if invocation.typed {
            notes.push("typed into a terminal".into());
        }
        notes
    }

    fn number(&self, index: usize) -> String {
        self.numbers.get(index).map_or_else(String::new, usize::to_string)
    }

    /// A path on one line, the user's home as `~`.
    fn path(&self, path: &str) -> String {
        let below = path
            .strip_prefix(&self.home)
            .filter(|below| !self.home.is_empty() && (below.is_empty() || below.starts_with('/')));
        match below {
            Some(below) => format!("~{}", one_line(below, 300)),
            None => one_line(path, 300),
        }
    }

    fn unclear(&self, page: &mut Page) {
        if !self.reading.unclear.is_empty() {
            page.title("could not read");
        }
        for (index, unclear) in self.reading.unclear.iter().enumerate() {
            let detail = one_line(&unclear.detail, 80);
            let (letter, what) = (letter(index), unclear_word(unclear.what));
            let code = code_of(unclear).as_str();
            page.line(2, &format!("{letter} {code}: {what} at byte {}: {detail}", unclear.at));
        }
    }

    fn places(&self, page: &mut Page) {
        page.title("stores");
        for store in &self.stores {
            let whose = if store.own_project { "this project's" } else { "another project's" };
            let path = self.path(&store.path);
            page.line(2, &format!("{path}, {whose} ({})", family_word(store.family)));
            let known = self.watch.known.borrow();
            for known in known.iter().filter(|known| known.store == store.path) {
                page.line(4, &circle(known));
            }
        }
        if self.stores.is_empty() {
            page.line(2, "none found");
        }
        for doubt in &self.missing {
            page.weighed(2, Some(doubt.code.weight()), &doubt_line(doubt));
        }
    }

    fn looked_up(&self, page: &mut Page) {
        let all = self.watch.looked_up.borrow();
        if all.is_empty() {
            return;
        }
        page.title("looked up");
        for looked_up in all.iter().take(MOST_LOOKED_UP) {
            let asked = one_line(&looked_up.asked, 120);
            match &looked_up.doubt {
                Some(doubt) => page.line(2, &format!("{asked}: {}", doubt_line(doubt))),
                None if looked_up.found.is_empty() => {
                    page.line(2, &format!("{asked}: not in {}", self.path(&looked_up.store)));
                }
                None => {}
            }
            for owned in looked_up.found.iter().take(MOST_LOOKED_UP) {
                page.line(2, &self.owner(looked_up, owned));
            }
        }
    }

    fn owner(&self, looked_up: &LookedUp, owned: &Owned) -> String {
        let name = label(&owned.kind, owned.subject.as_deref());
        let mut line = format!("{}: {name}", one_line(&owned.id, 120));
        match owned.session.as_deref().filter(|session| !session.is_empty()) {
            Some(session) => line.push_str(&format!(", session {}", one_line(session, 80))),
            None => line.push_str(", no owner recorded"),
        }
        if let Some(agent) = &owned.agent {
            line.push_str(&format!(", agent {}", one_line(agent, 80)));
        }
        if let Some(scope) = &owned.scope {
            line.push_str(&format!(", {}", one_line(scope, 120)));
        }
        line.push_str(match self.is_own(looked_up, owned) {
            Some(true) => ": the caller's own",
            Some(false) => ": not the caller's",
            None => "",
        });
        line
    }

    fn verdict(&self, page: &mut Page) {
        page.title("verdict");
        for doubt in &self.verdict.doubts {
            let line = match doubt.code.weight() {
                Weight::Allowed => doubt_line(doubt),
                Weight::Unproven | Weight::Failed | Weight::Refused => {
                    format!("unproven: {}", doubt_line(doubt))
                }
            };
            page.weighed(2, Some(doubt.code.weight()), &line);
        }
        match &self.verdict.denial {
            Some(denial) => {
                let action = denial.action.as_str();
                let line = format!("refused ({action}): {}", self.code().unwrap_or_default());
                page.weighed(2, Some(Weight::Refused), &line);
                for line in denial.reason.lines() {
                    page.line(2, &format!("| {line}"));
                }
            }
            None if self.looked_at != LookedAt::Judged => page.line(2, "allowed: not judged"),
            None if self.verdict.own.is_empty() => page.line(2, "allowed"),
            None => page.line(2, "allowed: it changes only the caller's own memory"),
        }
    }
}

/// The name of the mark of what could not be read: `a` … `z`, `a1` …
fn letter(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// Who calls, in words.
fn caller(caller: &Caller) -> String {
    let session = one_line(&caller.session, 80);
    let mut words = match &caller.agent {
        Some(agent) => format!("subagent {}", one_line(agent, 80)),
        None if caller.child_of.is_some() => "a client that a subagent started".into(),
        None => "the parent".into(),
    };
    if let Some(kind) = &caller.agent_type {
        words.push_str(&format!(" ({})", one_line(kind, 60)));
    }
    words.push_str(&format!(", session {session}"));
    if let Some(parent) = &caller.child_of {
        words.push_str(&format!(", child of session {}", one_line(parent, 80)));
    }
    words
}

/// What a store knows of the caller.
fn circle(known: &Known) -> String {
    let circle = match &known.circle {
        Ok(circle) => circle,
        Err(doubt) => return format!("the caller: {}", doubt_line(doubt)),
    };
    if circle.stranger {
        return "the store does not know the caller".into();
    }
    let mut sessions: Vec<String> =
        circle.sessions.iter().take(8).map(|session| one_line(session, 80)).collect();
    if circle.sessions.len() > sessions.len() {
        sessions.push(format!("{} more", circle.sessions.len() - sessions.len()));
    }
    let scope = circle.scope.as_ref().map_or("an unknown branch".into(), |at| one_line(at, 120));
    let mut line =
        format!("the caller's own: session {}; it writes on {scope}", sessions.join(", "));
    if let Some(limit) = &circle.ended_before {
        line.push_str(&format!("; foreign only what ended before {}", one_line(limit, 40)));
    }
    line
}

fn doubt_line(doubt: &Doubt) -> String {
    let meaning = doubt.code.meaning();
    let detail = one_line(&doubt.detail, 100);
    if detail.is_empty() {
        format!("{}: {meaning}", doubt.code.as_str())
    } else {
        format!("{}: {meaning} [{detail}]", doubt.code.as_str())
    }
}
