//! `ringfence report`: one page to look at, as a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Answer;
use super::args::ReportArgs;
use super::failure::Failure;
use super::memory::{Here, explain};
use super::{log, output};
use crate::memory::store::native::Filter;
use crate::report::{self, Page, Refused};
use crate::sys::child::{self, Run};
use crate::sys::{clock, env, file};

/// How many notes are on the page, and how many changes are looked through for what superseded what.
const MOST: usize = 5_000;

/// How a page of ours begins: only such a file is written over.
const BEGINNING: &[u8] = b"<!doctype html>\n<html lang=\"en\">";

pub(crate) fn run(args: &ReportArgs) -> anyhow::Result<Answer> {
    let here = Here::find()?;
    let page = report::html(&gather(&here)?);
    if args.output.as_deref() == Some(Path::new("-")) {
        output::data(&page);
        return Ok(Answer::Yes);
    }
    let path = match &args.output {
        Some(path) => env::current_dir().unwrap_or_default().join(path),
        None => {
            let dir = here.state().dir();
            file::private_dir(dir)
                .map_err(|error| Failure::no(format!("`{}`: {error}", output::place(dir))))?;
            dir.join("report.html")
        }
    };
    write(&path, &page)?;
    output::data(&format!("{}\n", output::place(&path)));
    if args.open {
        open(&path)?;
    }
    Ok(Answer::Yes)
}

fn gather(here: &Here) -> anyhow::Result<Page> {
    let mut lines = here.state().log_lines();
    let project = Some(log::project_here()?);
    lines.retain(|line| line.project == project);
    let refused = lines.iter().filter(|line| line.verdict == "deny").map(|line| Refused {
        at: line.at.clone(),
        action: line.action.clone().unwrap_or_default(),
        tool: line.tool.clone(),
        agent: line.agent.clone(),
        targets: line.targets.clone(),
    });
    let mut page = Page {
        project: here.label().to_owned(),
        store: here.store().display().to_string(),
        made_at: clock::rfc3339(clock::now_ms()),
        refused: refused.collect(),
        took: lines.iter().filter_map(|line| line.took_us).collect(),
        ..Page::default()
    };
    if let Some(reader) = here.reader()? {
        let list = reader.list(&Filter { limit: MOST, ..Filter::default() }).map_err(explain)?;
        page.notes = list.entries;
        page.total = list.total;
        page.sessions = reader.sessions().map_err(explain)?;
        page.superseded = report::superseded(&reader.log(MOST * 4, None).map_err(explain)?);
    }
    Ok(page)
}

/// Writes the page for nobody but its owner: it holds what the notes say.
fn write(path: &Path, page: &str) -> anyhow::Result<()> {
    let shown = output::place(path);
    // Over anything else it would be a way to write into files that are not its own.
    if file::exists(path)
        && file::read_head(path, BEGINNING.len() as u64).ok().as_deref() != Some(BEGINNING)
    {
        return Err(Failure::no(format!("`{shown}` is there already and is no report"))
            .hint("ringfence report -o another.html")
            .into());
    }
    file::write_atomic(path, page.as_bytes(), 0o600)
        .map_err(|error| Failure::no(format!("`{shown}` cannot be written: {error}")))?;
    Ok(())
}

fn open(path: &Path) -> anyhow::Result<()> {
    let hint = "open it in a browser by its path";
    let Some(opener) = env::find_program("xdg-open") else {
        return Err(Failure::no("there is no `xdg-open` on PATH").hint(hint).into());
    };
    let argv: Vec<String> = [opener, PathBuf::from(path)]
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let cwd = path.parent().unwrap_or(Path::new("/"));
    let run = Run { argv: &argv, cwd, env: &[], input: b"", limit: Duration::from_secs(10) };
    let ended = child::run(&run)
        .map_err(|error| Failure::no(format!("`xdg-open` does not start: {error}")).hint(hint))?;
    match ended.status {
        // A browser that stays in front is one that is open.
        Some(0) => Ok(()),
        None if ended.too_late => Ok(()),
        _ => Err(Failure::no("`xdg-open` found no browser").hint(hint).into()),
    }
}
