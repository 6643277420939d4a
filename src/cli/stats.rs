//! `ringfence stats`: the log, counted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::args::StatsArgs;
use super::log::{self, milliseconds};
use super::screen::{self, columns, padded};
use super::{Answer, output};
use crate::decision::Weight;
use crate::guard::label::one_line;
use crate::state::State;
use crate::state::log::LogText;

/// The longest bar, in columns, where nobody says how wide the screen is.
const BAR: usize = 40;

/// The counted log; what `--json` prints.
#[derive(Serialize)]
struct Stats {
    version: u8,
    /// How many calls were logged.
    calls: usize,
    /// The first and the last one's time.
    from: Option<String>,
    to: Option<String>,
    /// Lines of the log that could not be read.
    unreadable: usize,
    outcomes: Vec<Outcome>,
    /// A call may have several reasons.
    reasons: Vec<Reason>,
}

#[derive(Serialize)]
struct Outcome {
    outcome: &'static str,
    count: usize,
    /// Of the calls whose time is known.
    latency_us: Option<Latency>,
}

#[derive(Serialize)]
struct Reason {
    code: String,
    count: usize,
}

/// Times in microseconds, by nearest rank.
#[derive(Serialize)]
struct Latency {
    count: usize,
    p50: u64,
    p90: u64,
    p99: u64,
    max: u64,
}

pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<Answer> {
    let since = log::since(args.since.as_deref())?;
    let mut text = log::read(&State::at(&super::dirs()?.state))?;
    let project = if args.project { Some(log::project_here()?) } else { None };
    text.lines.retain(|line| {
        since.as_ref().is_none_or(|since| line.at >= *since)
            && (project.is_none() || line.project == project)
    });
    let stats = Stats::of(&text);
    if args.json {
        output::document(&stats)?;
        return Ok(Answer::Yes);
    }
    log::say_broken(stats.unreadable);
    if stats.calls == 0 {
        output::talk("no call concerned memory yet");
        return Ok(Answer::Yes);
    }
    output::data(&stats.to_text(screen::width()));
    Ok(Answer::Yes)
}

impl Stats {
    fn of(text: &LogText) -> Self {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let mut times: BTreeMap<Weight, (usize, Vec<u64>)> = BTreeMap::new();
        for line in &text.lines {
            let mut codes: Vec<&str> = vec![&line.code];
            codes.extend(line.also.iter().map(|reason| reason.code.as_str()));
            codes.sort_unstable();
            codes.dedup();
            for code in codes {
                *reasons.entry(code).or_default() += 1;
            }
            let (count, known) = times.entry(line.weight()).or_default();
            *count += 1;
            known.extend(line.took_us);
        }
        let outcomes = Weight::ALL.iter().map(|weight| {
            let (count, known) = times.remove(weight).unwrap_or_default();
            Outcome { outcome: weight.as_str(), count, latency_us: Latency::of(known) }
        });
        let mut reasons: Vec<Reason> = reasons
            .into_iter()
            .map(|(code, count)| Reason { code: code.to_owned(), count })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        let at = |line: Option<&crate::state::LogLine>| line.map(|line| line.at.clone());
        Self {
            version: 1,
            calls: text.lines.len(),
            from: at(text.lines.first()),
            to: at(text.lines.last()),
            unreadable: text.broken,
            outcomes: outcomes.collect(),
            reasons,
        }
    }

    fn to_text(&self, width: Option<usize>) -> String {
        let time = |at: &Option<String>| one_line(at.as_deref().unwrap_or("-"), 40);
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let mut text = format!(
            "{} logged {calls}, {} to {}\n\n",
            self.calls,
            time(&self.from),
            time(&self.to)
        );
        let labels = self.reasons.iter().map(|reason| one_line(&reason.code, 40));
        let label = labels.map(|code| columns(&code)).max().unwrap_or(0).max(8);
        let number = self.calls.to_string().len();
        // Two blanks before and between, and the share.
        let bar = width.map_or(BAR, |width| width.saturating_sub(label + number + 14).min(60));
        let chart = |name: &str, count: usize, weight: Option<Weight>| {
            let share = count as f64 / self.calls as f64;
            let length = (share * bar as f64).ceil() as usize;
            let name = padded(name, label);
            let bar = "#".repeat(length);
            let (name, bar) = match weight {
                Some(weight) => {
                    let style = screen::style(weight);
                    (screen::painted(&name, style), screen::painted(&bar, style))
                }
                None => (name, bar),
            };
            format!("  {name}  {count:>number$}  {:5.1}%  {bar}\n", share * 100.0)
        };
        text.push_str("outcome\n");
        for (one, weight) in self.outcomes.iter().zip(Weight::ALL) {
            text.push_str(&chart(one.outcome, one.count, Some(weight)));
        }
        text.push_str("\nreason (a call may have several)\n");
        for reason in &self.reasons {
            text.push_str(&chart(&one_line(&reason.code, 40), reason.count, None));
        }
        self.push_times(&mut text, label);
        // A bar of no length leaves blanks.
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn push_times(&self, text: &mut String, label: usize) {
        let known: Vec<(&str, &Latency)> = self
            .outcomes
            .iter()
            .filter_map(|one| Some((one.outcome, one.latency_us.as_ref()?)))
            .collect();
        if known.is_empty() {
            return;
        }
        let cells = |cells: [String; 4]| cells.map(|cell| format!("{cell:>8}")).join(" ");
        let names = cells(["p50", "p90", "p99", "max"].map(str::to_owned));
        text.push_str(&format!("\n{} {names}\n", padded("time in the hook", label + 2)));
        for (name, times) in known {
            let times = cells([times.p50, times.p90, times.p99, times.max].map(milliseconds));
            text.push_str(&format!("  {} {times}\n", padded(name, label)));
        }
    }
}

impl Latency {
    fn of(mut times: Vec<u64>) -> Option<Self> {
        times.sort_unstable();
        let max = *times.last()?;
        let rank = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or(max)
        };
        Some(Self { count: times.len(), p50: rank(50), p90: rank(90), p99: rank(99), max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let of =
            |times: Vec<u64>| Latency::of(times).map(|all| [all.p50, all.p90, all.p99, all.max]);
        assert_eq!(of((1..=100).rev().collect()), Some([50, 90, 99, 100]));
        assert_eq!(of(vec![7]), Some([7, 7, 7, 7]));
        assert_eq!(of(vec![1, 2]), Some([1, 2, 2, 2]));
        assert_eq!(of(Vec::new()), None);
    }
}
