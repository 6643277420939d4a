//! `ringfence posture`: what a hosted run here may do, and why.

use super::posture_args::{PostureArgs, PostureCommand};
use super::{Answer, named_dirs, output};
use crate::config;
use crate::guard::label;
use crate::posture::{hosted, is_below};
use crate::state::{PostureRecord, State};
use crate::sys::{env, file};

/// Runs the command.
pub(crate) fn run(args: &PostureArgs) -> anyhow::Result<Answer> {
    let cwd = env::current_dir().unwrap_or_default();
    let dirs = named_dirs(&cwd)?;
    let named = env::var("RINGFENCE_CONFIG").map(|named| cwd.join(named));
    let settings = config::load_for(&dirs, named.as_deref(), &cwd);
    for warning in &settings.warnings {
        output::warning(warning);
    }
    let session = args.session.as_deref().unwrap_or("");
    let kept = args.session.as_deref().and_then(|session| State::at(&dirs.state).posture(session));
    let is_kept = kept.is_some();
    let record = kept.unwrap_or_else(|| {
        let here = file::canonical(&cwd).unwrap_or(cwd);
        hosted::decide(&dirs, &settings.hosted, session, &here.to_string_lossy())
    });
    if let Some(PostureCommand::Env) = args.command {
        hosted::write_prefix(&dirs, &record.prefix_words)?;
        output::data(&environment(&record));
        return Ok(Answer::Yes);
    }
    if args.json {
        output::json(&document(&record, is_kept));
    } else {
        output::data(&screen(&record, is_kept));
    }
    Ok(Answer::Yes)
}

/// The lines that a launcher of hosted clients sets.
fn environment(record: &PostureRecord) -> String {
    let prefix = shell_words::quote(&record.prefix).into_owned();
    format!("export RINGFENCE_HOSTED=1\nexport CLAUDE_CODE_SHELL_PREFIX={prefix}\n")
}

/// What becomes of a shell command.
fn outcome(record: &PostureRecord) -> String {
    match (record.posture.as_str(), record.boundary.as_str()) {
        (_, boundary) if !boundary.is_empty() => format!("runs inside the boundary ({boundary})"),
        ("workstream", _) => format!("runs on the host: {}", record.lack),
        _ => format!("is refused: {}", record.lack),
    }
}

fn own_sessions(record: &PostureRecord) -> String {
    let mut own = Vec::new();
    if !record.terminal_prefix.is_empty() {
        own.push(format!("{}*", record.terminal_prefix));
    }
    own.extend(record.terminal_names.iter().cloned());
    if own.is_empty() { "none".to_owned() } else { own.join(", ") }
}

fn screen(record: &PostureRecord, is_kept: bool) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        text.push_str(&format!("{name:<10} {}\n", label::one_line(value, usize::MAX)));
    };
    if is_kept && !record.hosted {
        row("posture", "none: this session is a person's");
        return text;
    }
    let decided =
        if is_kept { "decided when it started" } else { "for a hosted run that starts here" };
    row("posture", &format!("{}, {decided}", record.posture));
    row("because", &record.because);
    if !record.hosted_because.is_empty() {
        row("hosted", &record.hosted_because);
    }
    row("workspace", &record.workspace);
    row("command", &outcome(record));
    if !record.boundary.is_empty() {
        row("network", if record.net { "open" } else { "none" });
    }
    for path in record.write.iter().filter(|path| !is_below(path, &record.workspace)) {
        row("writable", path);
    }
    row("terminal", &own_sessions(record));
    text
}

fn document(record: &PostureRecord, is_kept: bool) -> serde_json::Value {
    serde_json::json!({
        "version": 1,
        "decided": is_kept,
        "hosted": !is_kept || record.hosted,
        "hosted_because": record.hosted_because,
        "posture": record.posture,
        "because": record.because,
        "workspace": record.workspace,
        "boundary": Some(&record.boundary).filter(|boundary| !boundary.is_empty()),
        "reason": Some(&record.lack).filter(|lack| !lack.is_empty()),
        "command": outcome(record),
        "network": if record.net { "open" } else { "none" },
        "writable": record.write,
        "prefix": record.prefix,
        "terminal": {"prefix": record.terminal_prefix, "names": record.terminal_names},
    })
}
