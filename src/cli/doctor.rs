//! `ringfence doctor`.

use anstyle::{AnsiColor, Style};
use serde_json::json;

use super::Answer;
use super::args::DoctorArgs;
use super::audit;
use super::install::refused;
use super::output;
use super::screen;
use super::stores;
use crate::guard::label;
use crate::wiring::doctor::{self, Health, Row};
use crate::wiring::table::Places;

pub(crate) fn run(args: &DoctorArgs) -> anyhow::Result<Answer> {
    let places = Places::find().map_err(refused)?;
    let mut rows = doctor::check(&places);
    rows.extend(stores::rows(&places));
    rows.push(audit::row(&places));
    let worst = rows.iter().map(|row| row.health).max().unwrap_or(Health::Pass);
    let count = |health| rows.iter().filter(|row| row.health == health).count();
    let off = rows.iter().find(|row| row.name == "off");
    let sentence = match (count(Health::Fail), count(Health::Warn)) {
        (0, _) if let Some(off) = off => format!("nothing fails, but {}", off.said),
        (0, 0) => "the guard works".to_owned(),
        (0, warns) => format!("the guard works; {warns} of {} rows could be better", rows.len()),
        (fails, _) => format!("the guard does not work: {fails} of {} rows fail", rows.len()),
    };
    if args.json {
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "health": row.health.as_str(),
                "said": row.said,
                "fix": row.fix,
            })
        };
        output::json(&json!({
            "version": 1,
            "health": worst.as_str(),
            "said": sentence,
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
        }));
    } else {
        let lines: String = rows.iter().map(line).collect();
        output::data(&format!("{lines}{sentence}\n"));
    }
    Ok(if worst == Health::Fail { Answer::No } else { Answer::Yes })
}

/// Where what was seen begins, in columns.
const SAID: usize = 18;

fn line(row: &Row) -> String {
    let color = match row.health {
        Health::Pass => AnsiColor::Green,
        Health::Warn => AnsiColor::Yellow,
        Health::Fail => AnsiColor::Red,
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    let health = row.health.as_str();
    // A fix is left whole: it is there to be copied.
    let fix = row
        .fix
        .as_ref()
        .map_or_else(String::new, |fix| format!("      fix: {}\n", label::lines(fix)));
    let said = label::one_line(&row.said, usize::MAX);
    let said = screen::hanging(&said, SAID);
    format!("{style}{health}{style:#}  {:<10}  {said}\n{fix}", row.name)
}
