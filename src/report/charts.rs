//! The two pictures: refusals on a time line, and how long the hook took. Plain SVG, with the same
//! numbers as text beside it.

#![forbid(unsafe_code)]

use super::Refused;
use super::html::{line, minute, time};

/// The width of both, in their own units.
const WIDTH: f64 = 720.0;

/// How many refusals are listed.
const ROWS: usize = 300;

/// Upper ends of the columns, in microseconds.
const COLUMNS: [(u64, &str); 9] = [
    (500, "0.5 ms"),
    (1_000, "1 ms"),
    (2_000, "2 ms"),
    (5_000, "5 ms"),
    (10_000, "10 ms"),
    (20_000, "20 ms"),
    (50_000, "50 ms"),
    (200_000, "200 ms"),
    (u64::MAX, "more"),
];

/// The refusals as marks on a line from the first to the last.
pub(super) fn time_line(refused: &[Refused]) -> String {
    let ms = |at: &str| {
        at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond).unwrap_or_default()
    };
    let (Some(first), Some(last)) = (refused.first(), refused.last()) else {
        return "<p>Nothing was refused.</p>\n".to_owned();
    };
    let (start, end) = (ms(&first.at), ms(&last.at));
    let span = as_float(end - start).max(1.0);
    let mut out = format!(
        "<svg class=\"line\" viewBox=\"0 0 {WIDTH} 60\" role=\"img\" aria-label=\"{} refusals\">\n\
         <line class=\"axis\" x1=\"10\" y1=\"35\" x2=\"{}\" y2=\"35\"/>\n",
        refused.len(),
        WIDTH - 10.0
    );
    for one in refused {
        let x = 10.0 + as_float(ms(&one.at) - start) / span * (WIDTH - 20.0);
        out.push_str(&format!(
            "<circle class=\"mark\" cx=\"{x:.1}\" cy=\"35\" r=\"5\"><title>{} {} {}</title></circle>\n",
            line(&one.at, 24),
            line(&one.action, 12),
            line(&one.tool, 60)
        ));
    }
    out.push_str(&format!(
        "<text x=\"10\" y=\"56\">{}</text><text x=\"{}\" y=\"56\" text-anchor=\"end\">{}</text>\n</svg>\n",
        minute(&first.at),
        WIDTH - 10.0,
        minute(&last.at),
    ));
    out.push_str(&rows(refused));
    out
}

/// The refusals as a table, newest first.
fn rows(refused: &[Refused]) -> String {
    let mut out = "<table><thead><tr><th scope=\"col\">when</th><th scope=\"col\">what</th>\
                   <th scope=\"col\">tool</th><th scope=\"col\">agent</th><th scope=\"col\">targets</th>\
                   </tr></thead><tbody>\n"
        .to_owned();
    for one in refused.iter().rev().take(ROWS) {
        out.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"ids\">{}</td></tr>\n",
            time(&one.at),
            line(&one.action, 12),
            line(&one.tool, 60),
            line(one.agent.as_deref().unwrap_or("child session"), 40),
            one.targets.iter().map(|id| line(id, 80)).collect::<Vec<_>>().join("<br>"),
        ));
    }
    out.push_str("</tbody></table>\n");
    if refused.len() > ROWS {
        out.push_str(&format!("<p>The newest {ROWS} of {} are listed.</p>\n", refused.len()));
    }
    out
}

/// How many calls took how long.
pub(super) fn histogram(took: &[u64]) -> String {
    if took.is_empty() {
        return "<p>No call was timed yet.</p>\n".to_owned();
    }
    let mut counts = [0_usize; COLUMNS.len()];
    for one in took {
        let column = COLUMNS.iter().position(|(end, _)| one < end).unwrap_or(COLUMNS.len() - 1);
        if let Some(count) = counts.get_mut(column) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let step = WIDTH / as_float_count(COLUMNS.len());
    let mut out = format!(
        "<svg class=\"columns\" viewBox=\"0 0 {WIDTH} 170\" role=\"img\" aria-label=\"how long the \
         hook took for {} calls\">\n",
        took.len()
    );
    for (number, ((_, label), count)) in COLUMNS.iter().zip(counts).enumerate() {
        let x = as_float_count(number) * step;
        let height = as_float_count(count) / as_float_count(most) * 110.0;
        let middle = x + step / 2.0;
        out.push_str(&format!(
            "<rect class=\"column\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>\
             <text x=\"{middle:.1}\" y=\"160\" text-anchor=\"middle\">{}{label}</text>\n",
            x + 6.0,
            140.0 - height,
            step - 12.0,
            134.0 - height,
            if *label == "more" { "" } else { "&lt; " },
        ));
    }
    out.push_str("</svg>\n");
    out.push_str(&percentiles(took));
    out
}

fn percentiles(took: &[u64]) -> String {
    let mut sorted = took.to_vec();
    sorted.sort_unstable();
    let at = |hundredths: usize| {
        let place = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
        sorted.get(place).copied().unwrap_or_default()
    };
    let ms = |micros: u64| format!("{}.{:02} ms", micros / 1_000, micros % 1_000 / 10);
    format!(
        "<p>{} timed calls that left a line: half within {}, 99 of 100 within {}, the longest {}.</p>\n",
        sorted.len(),
        ms(at(50)),
        ms(at(99)),
        ms(at(100))
    )
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn as_float(number: i64) -> f64 {
    number as f64
}

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn as_float_count(number: usize) -> f64 {
    number as f64
}
