//! `ringfence log`.

use serde::Serialize;

use super::args::LogArgs;
use super::failure::Failure;
use super::screen::{self, columns, fitted, padded, wrapped};
use super::{Answer, duration, output};
use crate::decision::{Code, Weight};
use crate::guard::label::one_line;
use crate::state::State;
use crate::state::log::{LogLine, LogText};
use crate::state::off::project_of;
use crate::sys::{clock, env};

/// How long `--follow` waits before it looks again, in milliseconds.
const PAUSE: u64 = 200;

/// From so many columns on a screen has room for how long a call took.
const ROOMY: usize = 130;

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'l> {
    version: u8,
    /// Lines of the log that could not be read.
    unreadable: usize,
    lines: &'l [LogLine],
}

pub(crate) fn run(args: &LogArgs) -> anyhow::Result<Answer> {
    let filter = Filter::of(args)?;
    let state = State::at(&super::dirs()?.state);
    if args.follow {
        return follow(args, &filter, &state);
    }
    let mut text = read(&state)?;
    text.lines.retain(|line| filter.keeps(line));
    let skip = text.lines.len().saturating_sub(args.lines);
    let lines = text.lines.split_off(skip);
    if args.json {
        let unreadable = text.broken;
        output::document(&Document { version: 1, unreadable, lines: &lines })?;
        return Ok(Answer::Yes);
    }
    say_broken(text.broken);
    if lines.is_empty() {
        output::talk(if filter.is_open() {
            "no call concerned memory yet"
        } else {
            "no call of the log is like that"
        });
    }
    output::data(&table(&lines, screen::width()));
    Ok(Answer::Yes)
}

/// The whole log.
///
/// # Errors
/// When a file is there and is no regular file, or cannot be read.
pub(super) fn read(state: &State) -> anyhow::Result<LogText> {
    state.whole_log().map_err(|error| unreadable(state, error))
}

fn unreadable(state: &State, error: std::io::Error) -> anyhow::Error {
    let path = state.log_path();
    let path = output::place(&path);
    let failure = Failure::no(format!("the log `{path}` cannot be read"));
    anyhow::Error::from(error).context(failure.hint(format!("ls -l {path}")))
}

pub(super) fn say_broken(count: usize) {
    match count {
        0 => {}
        1 => output::talk("1 line of the log cannot be read and is left out"),
        count => output::talk(&format!("{count} lines of the log cannot be read and are left out")),
    }
}

/// Shows the last lines, then each new one; ends when nobody reads any more.
fn follow(args: &LogArgs, filter: &Filter, state: &State) -> anyhow::Result<Answer> {
    let (mut text, mut growing) = state.follow_log().map_err(|error| unreadable(state, error))?;
    text.lines.retain(|line| filter.keeps(line));
    let skip = text.lines.len().saturating_sub(args.lines);
    text.lines.drain(..skip);
    loop {
        say_broken(std::mem::take(&mut text.broken));
        let mut lines = std::mem::take(&mut text.lines);
        lines.retain(|line| filter.keeps(line));
        let shown = if args.json { stream(&lines)? } else { table(&lines, screen::width()) };
        if !shown.is_empty() && !output::stream(&shown) {
            return Ok(Answer::Yes);
        }
        clock::pause(PAUSE);
        growing.lines().iter().for_each(|line| text.take(line));
    }
}

fn stream(lines: &[LogLine]) -> anyhow::Result<String> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&output::plain_json(&serde_json::to_string(line)?));
        text.push('\n');
    }
    Ok(text)
}

/// Which lines are shown.
struct Filter<'a> {
    args: &'a LogArgs,
    /// The earliest time, RFC 3339: it compares as text.
    since: Option<String>,
    /// The project that is asked for.
    project: Option<String>,
}

impl<'a> Filter<'a> {
    fn of(args: &'a LogArgs) -> anyhow::Result<Self> {
        if let Some(unknown) = args.code.iter().find(|word| Code::named(word).is_none()) {
            let unknown = one_line(unknown, 40);
            return Err(Failure::usage(format!("`{unknown}` is no reason code"))
                .hint("ringfence explain --codes")
                .into());
        }
        let project = if args.project { Some(project_here()?) } else { None };
        Ok(Self { args, since: since(args.since.as_deref())?, project })
    }

    /// Whether everything is shown.
    fn is_open(&self) -> bool {
        let args = self.args;
        let named = [&args.agent, &args.session, &args.tool, &args.since];
        !args.denied
            && !args.unproven
            && !args.project
            && args.code.is_empty()
            && named.iter().all(|one| one.is_none())
    }

    fn keeps(&self, line: &LogLine) -> bool {
        let args = self.args;
        let weight = line.weight();
        let kind = match (args.denied, args.unproven) {
            (false, false) => true,
            (denied, unproven) => {
                denied && weight == Weight::Refused
                    || unproven && matches!(weight, Weight::Unproven | Weight::Failed)
            }
        };
        let is = |wanted: &Option<String>, own: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| own == Some(wanted))
        };
        let has = |word: &String| {
            line.code == *word || line.also.iter().any(|reason| reason.code == *word)
        };
        kind && (args.code.is_empty() || args.code.iter().any(has))
            && is(&args.agent, line.agent.as_deref())
            && is(&args.session, Some(&line.session))
            && is(&args.tool, Some(&line.tool))
            && is(&self.project, line.project.as_deref())
            && self.since.as_ref().is_none_or(|since| line.at >= *since)
    }
}

/// The project of this directory, as the log names it.
///
/// # Errors
/// When the directory is gone.
pub(super) fn project_here() -> anyhow::Result<String> {
    let dir = env::current_dir()
        .ok_or_else(|| Failure::no("the current directory is gone").hint("cd ~"))?;
    Ok(project_of(&dir).to_string_lossy().into_owned())
}

/// The time so long ago, RFC 3339.
///
/// # Errors
/// When `text` is no time.
pub(super) fn since(text: Option<&str>) -> anyhow::Result<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    Ok(Some(clock::rfc3339(clock::now_ms() - duration::parse(text)?)))
}

/// The lines as a table: each in one row, or in two where `width` is too narrow for one.
fn table(lines: &[LogLine], width: Option<usize>) -> String {
    let rows: Vec<Row> = lines.iter().map(|line| Row::of(line, width.is_some())).collect();
    let widest =
        |cell: fn(&Row) -> &str| rows.iter().map(|row| columns(cell(row))).max().unwrap_or(0);
    let (code, tool) = (widest(|row| &row.code), widest(|row| &row.tool));
    let (agent, took) = (widest(|row| &row.agent), widest(|row| &row.took));
    let is_roomy = width.is_none_or(|width| width >= ROOMY);
    let mut text = String::new();
    for row in &rows {
        let word = padded(row.weight.as_str(), 8);
        let word = screen::painted(&word, screen::style(row.weight));
        let mut rest = format!(
            "{}  {}  {}",
            padded(&row.code, code),
            padded(&row.tool, tool),
            padded(&row.agent, agent)
        );
        if is_roomy {
            rest.push_str(&format!("  {:>took$}", row.took));
        }
        let indent = columns(&row.at) + 2;
        let used = indent + 10 + columns(&rest) + 2;
        text.push_str(&format!("{}  {word}  ", row.at));
        match width {
            _ if row.what.is_empty() => text.push_str(rest.trim_end()),
            Some(width) if used + columns(&row.what) > width => {
                text.push_str(rest.trim_end());
                for line in wrapped(&row.what, width - indent) {
                    text.push_str(&format!("\n{:indent$}{line}", ""));
                }
            }
            Some(_) | None => text.push_str(&format!("{rest}  {}", row.what)),
        }
        text.push('\n');
    }
    text
}

/// The cells of one line.
struct Row {
    at: String,
    weight: Weight,
    code: String,
    tool: String,
    agent: String,
    took: String,
    what: String,
}

impl Row {
    fn of(line: &LogLine, short: bool) -> Self {
        let cell = |text: &str, longest: usize| match one_line(text, 120) {
            empty if empty.is_empty() => "-".to_owned(),
            text if short => fitted(&text, longest),
            text => text,
        };
        // On a screen a tool's own name is enough: its server's stands in the document.
        let tool = line.tool.rsplit("__").next().filter(|_| short).unwrap_or(&line.tool);
        let at = one_line(&line.at, 40);
        Self {
            // On a screen month, day, hour, minute, second are enough.
            at: match at.get(5..19).filter(|_| short && at.len() == 24) {
                Some(middle) => middle.replace('T', " "),
                None => at,
            },
            weight: line.weight(),
            code: one_line(&line.code, 40),
            tool: cell(tool, 14),
            agent: cell(line.agent.as_deref().unwrap_or_default(), 9),
            took: line.took_us.map_or_else(|| "-".into(), milliseconds),
            what: what(line),
        }
    }
}

/// Microseconds as a person reads them.
pub(super) fn milliseconds(us: u64) -> String {
    let tenths = us.saturating_add(50) / 100;
    format!("{}.{}ms", tenths / 10, tenths % 10)
}

/// What the call would have done, to what, and what else was not known of it.
fn what(line: &LogLine) -> String {
    /// As many targets as a refusal names.
    const NAMED: usize = 3;
    let mut words: Vec<String> = line.action.iter().map(|action| one_line(action, 20)).collect();
    words.extend(line.targets.iter().take(NAMED).map(|target| one_line(target, 120)));
    if line.targets.len() > NAMED {
        words.push(format!("and {} more", line.targets.len() - NAMED));
    }
    if !line.detail.is_empty() {
        words.push(format!("({})", one_line(&line.detail, 120)));
    }
    if !line.also.is_empty() {
        let mut codes: Vec<String> =
            line.also.iter().map(|reason| one_line(&reason.code, 40)).collect();
        codes.dedup();
        words.push(format!("also {}", codes.join(", ")));
    }
    if Code::named(&line.code).is_none() {
        words.push("(a code of another version)".into());
    }
    words.join(" ")
}
