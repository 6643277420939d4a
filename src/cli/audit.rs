//! `ringfence audit`: whether the memory in use here can be written.

use std::path::Path;

use serde_json::json;

use super::audit_args::AuditArgs;
use super::install::refused;
use super::{Answer, output, screen, stores};
use crate::audit::engine;
use crate::audit::gather::{self, Question, canonical};
use crate::audit::probe::{self, Outcome, Probed};
use crate::audit::report::Report;
use crate::guard::label;
use crate::memory::Family;
use crate::sys::{env, proof};
use crate::wiring::change;
use crate::wiring::doctor::Row;
use crate::wiring::table::Places;

/// Runs the command.
pub(crate) fn run(args: &AuditArgs) -> anyhow::Result<Answer> {
    proof::outlive_file_limits();
    if let Some(dir) = &args.prove {
        return Ok(prove(dir));
    }
    let places = Places::find().map_err(refused)?;
    let (report, probed) = look(&places, args.probe);
    if args.json {
        output::json(&document(&report, probed.as_deref()));
    } else {
        output::data(&screen(&report, probed.as_deref()));
    }
    let fails = probed.iter().flatten().any(|one| one.outcome == Outcome::Fails);
    let bad = fails || !report.warnings.is_empty();
    Ok(if args.strict && bad { Answer::No } else { Answer::Yes })
}

/// Is the process inside a boundary: says whether it can keep a file there.
fn prove(dir: &Path) -> Answer {
    match proof::keep_a_file(dir) {
        Ok(()) => {
            output::data(&format!("{}\n", probe::PROVED));
            Answer::Yes
        }
        Err(said) => {
            output::data(&format!("{said}\n"));
            Answer::No
        }
    }
}

/// Doctor's row.
pub(super) fn row(places: &Places) -> Row {
    let (report, _) = look(places, false);
    match report.sentence() {
        None => Row::pass("memory", "nothing is known to keep memory from being written"),
        Some(sentence) => Row::warn("memory", sentence, "ringfence audit --probe"),
    }
}

/// Gathers and judges everything about a session that would start here; tries it out where that is
/// wanted.
fn look(places: &Places, probes: bool) -> (Report, Option<Vec<Probed>>) {
    let cwd = env::current_dir().unwrap_or_default();
    let cwd = canonical(&cwd).unwrap_or(cwd);
    let machine = stores::machine(places);
    let stores: Vec<_> = [Family::Native, Family::Cortex]
        .into_iter()
        .flat_map(|family| machine.store_files(family).into_iter().map(move |path| (family, path)))
        .collect();
    let files = change::files_of(places, None);
    let mut report = Report::default();
    engine::audit(&mut report, &env::var, &places.dirs.home, &cwd);
    let question = Question { places, files: &files, stores: &stores, cwd: &cwd };
    let known = gather::audit(&mut report, &question);
    let probed = probes.then(|| probe::probe(&question, &known));
    (report, probed)
}

fn screen(report: &Report, probed: Option<&[Probed]>) -> String {
    let width = report.facts.iter().map(|fact| fact.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut row = |label: &str, said: &str, indent: usize| {
        let said = screen::hanging(&label::one_line(said, usize::MAX), indent);
        text.push_str(&format!("{label}{said}\n"));
    };
    for fact in &report.facts {
        let label = format!("{:<width$}  ", fact.name);
        row(&label, &format!("{}  ({})", fact.value, fact.source), width + 2);
    }
    for one in probed.into_iter().flatten() {
        let of = if one.store.is_empty() { "this machine" } else { one.store };
        let label = format!("{:<7}  {:<13}  ", one.outcome.as_str(), one.cause);
        row(&label, &format!("{of}: {}", one.said), label.len());
    }
    for info in &report.info {
        row("note: ", info, 6);
    }
    for warning in &report.warnings {
        let label = format!("{}: ", warning.tag);
        row(&label, &warning.detail, 2);
    }
    let failing = probed.into_iter().flatten().filter(|one| one.outcome == Outcome::Fails).count();
    text.push_str(match (failing, report.warnings.is_empty()) {
        (0, true) => "nothing to warn about\n",
        (1, true) => "one cause of lost memory is there: the line that begins with `fails`\n",
        (_, true) => "causes of lost memory are there: the lines that begin with `fails`\n",
        (_, false) => "",
    });
    text
}

fn document(report: &Report, probed: Option<&[Probed]>) -> serde_json::Value {
    json!({
        "version": 1,
        "facts": report.facts.iter().map(|fact| json!({
            "name": fact.name, "value": fact.value, "source": fact.source,
        })).collect::<Vec<_>>(),
        "info": report.info,
        "warnings": report.warnings.iter().map(|told| json!({
            "tag": told.tag, "detail": told.detail,
        })).collect::<Vec<_>>(),
        "probes": probed.map(|probed| probed.iter().map(|one| json!({
            "cause": one.cause,
            "store": (!one.store.is_empty()).then_some(one.store),
            "outcome": one.outcome.as_str(),
            "said": one.said,
        })).collect::<Vec<_>>()),
    })
}
