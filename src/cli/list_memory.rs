//! `ringfence list-memory`.

use serde::Serialize;

use super::Answer;

use super::memory::{Here, Item, explain, one_of};
use super::memory_args::{FilterArgs, ListMemoryArgs};
use super::{output, when};
use crate::guard::label::one_line;
use crate::memory::note::{KINDS, STATUSES};
use crate::memory::store::native::{Entry, Filter, Page};

/// How much of a subject and of a text a line shows, in characters.
const SUBJECT: usize = 30;
const TEXT: usize = 60;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'p> {
    version: u8,
    total: i64,
    items: Vec<Item<'p>>,
}

pub(crate) fn run(args: &ListMemoryArgs) -> anyhow::Result<Answer> {
    let filter = filter(&args.filter, args.page.limit, args.page.offset)?;
    let page = match Here::find()?.reader()? {
        Some(reader) => reader.list(&filter).map_err(explain)?,
        None => Page::default(),
    };
    print(&page, &filter, args.page.json)?;
    Ok(Answer::Yes)
}

/// The filter that the arguments mean.
pub(super) fn filter(args: &FilterArgs, limit: usize, offset: usize) -> anyhow::Result<Filter> {
    for kind in &args.kind {
        one_of("kind of note", kind, KINDS)?;
    }
    for status in &args.status {
        one_of("status", status, STATUSES)?;
    }
    Ok(Filter {
        kinds: args.kind.clone(),
        statuses: args.status.clone(),
        subject: args.subject.clone(),
        session: args.session.clone(),
        agent: args.agent.clone(),
        scope: args.scope.clone(),
        since: args.since.as_deref().map(when::parse).transpose()?,
        contested: args.contested,
        limit,
        offset,
    })
}

/// Prints a part of a list, as lines or as one document.
pub(super) fn print(page: &Page, filter: &Filter, json: bool) -> anyhow::Result<()> {
    if json {
        let items = page.entries.iter().map(Item::from).collect();
        return output::document(&Document { version: 1, total: page.total, items });
    }
    let rows: Vec<[String; 5]> = page.entries.iter().map(row).collect();
    output::data(&table(&rows));
    let shown = i64::try_from(filter.offset + page.entries.len()).unwrap_or(i64::MAX);
    if page.total == 0 {
        output::talk("no memory here");
    } else if shown < page.total {
        output::talk(&format!("{} of {}; --offset {shown} shows more", rows.len(), page.total));
    }
    Ok(())
}

fn row(entry: &Entry) -> [String; 5] {
    let contested = if entry.conflict { ", contested" } else { "" };
    [
        entry.id.clone(),
        entry.kind.clone(),
        format!("{}{contested}", entry.status),
        one_line(entry.subject.as_deref().unwrap_or("-"), SUBJECT),
        one_line(&entry.content, TEXT),
    ]
}

/// Columns two blanks apart; the last one is not padded.
fn table(rows: &[[String; 5]]) -> String {
    let mut widths = [0; 5];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
