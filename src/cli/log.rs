//! `ringfence log`.

use serde::Serialize;

use super::Answer;
use super::args::LogArgs;
use super::output;
use crate::decision::Code;
use crate::guard::label::one_line;
use crate::state::{LogLine, State};

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'l> {
    version: u8,
    lines: &'l [LogLine],
}

pub(crate) fn run(args: &LogArgs) -> anyhow::Result<Answer> {
    let dirs = super::dirs()?;
    let mut lines = State::at(&dirs.state).log_lines();
    lines.retain(|line| !args.denied || line.verdict == "deny");
    let skip = lines.len().saturating_sub(args.lines);
    let lines = lines.split_off(skip);
    if args.json {
        output::document(&Document { version: 1, lines: &lines })?;
        return Ok(Answer::Yes);
    }
    if lines.is_empty() {
        output::talk("nothing was refused or let through unproven yet");
    }
    for line in &lines {
        output::data(&text(line));
    }
    Ok(Answer::Yes)
}

fn text(line: &LogLine) -> String {
    let who = line.agent.as_deref().unwrap_or("-");
    let mut out = format!(
        "{} {} {} {} agent {}",
        line.at,
        line.verdict,
        line.code,
        one_line(&line.tool, 60),
        one_line(who, 40)
    );
    if let Some(action) = &line.action {
        out.push_str(&format!(" {action}"));
    }
    for target in &line.targets {
        out.push_str(&format!(" {}", one_line(target, 120)));
    }
    if !line.detail.is_empty() {
        out.push_str(&format!(" ({})", one_line(&line.detail, 120)));
    }
    let known = Code::ALL.iter().any(|code| code.as_str() == line.code);
    if !known {
        out.push_str(" (a code of another version)");
    }
    out.push('\n');
    out
}
