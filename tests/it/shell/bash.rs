//! Bash itself as the judge: what it really ran must be among the invocations that were found.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use ringfence::shell::{Dialect, Invocation, NoFiles, Reading, Start, Word, read};

use super::bench::{Bench, Run};

/// Cases of the differential test: in CI, and in the long run.
const CASES: usize = 500;
const LONG_CASES: usize = 20_000;

fn reading(text: &str, cwd: &str) -> Reading {
    let start = Start {
        cwd: cwd.into(),
        home: cwd.strip_suffix("/work").unwrap_or("").into(),
        ..Start::default()
    };
    read(text, Dialect::Posix, &start, &NoFiles)
}

/// Whether some invocation that was found can be this run.
fn is_found(reading: &Reading, run: &Run) -> bool {
    reading.invocations.iter().any(|invocation| {
        let Some((program, args)) = invocation.argv.split_first() else { return false };
        can_be_cortex(program) && fits(args, &run.args) && in_place(invocation, run)
    })
}

fn fits(args: &[Word], ran: &[String]) -> bool {
    args.iter().any(Word::is_many)
        || args.len() == ran.len() && args.iter().zip(ran).all(|(word, text)| word.can_be(text))
}

fn in_place(invocation: &Invocation, run: &Run) -> bool {
    invocation.cwd.as_deref().is_none_or(|cwd| cwd == run.cwd)
        || invocation.elsewhere.contains(&run.cwd)
}

fn can_be_cortex(word: &Word) -> bool {
    match word {
        Word::Literal(text) => text == "cortex" || text.ends_with("/cortex"),
        other => other.can_be("cortex"),
    }
}

#[test]
fn rows_that_bash_can_run_are_found_as_bash_ran_them() {
    let Some(mut bench) = Bench::new() else { return };
    let (more, shapes) =
        (super::shapes::rows("shell/more.tsv"), super::shapes::rows("shell/shapes.tsv"));
    let rows: Vec<_> = more
        .iter()
        .chain(&shapes)
        .filter(|row| row.note.starts_with("[posix]") && !row.command.contains('\0'))
        .map(|row| (row, bench.run(&row.command)))
        .collect();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for (row, number) in rows {
        let reading = reading(&row.command, &bench.work(number));
        for run in bench.runs(number) {
            ran += 1;
            if !is_found(&reading, &run) && reading.unclear.is_empty() {
                wrong.push(format!("{} [{}]: bash ran {run:?}", row.id, row.command));
            }
        }
    }
    assert!(wrong.is_empty(), "{ran} runs\n{}", wrong.join("\n"));
    assert!(ran > 400, "only {ran} runs");
}

/// What one bench saw.
#[derive(Default)]
struct Seen {
    ran: usize,
    /// Runs that were not found, but in a text that was said to be unclear.
    unclear: Vec<String>,
    missed: Vec<String>,
}

fn judge(seed: u8, cases: usize) -> Option<Seen> {
    let mut bench = Bench::new()?;
    let mut random = [0; 32];
    random.fill(seed);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &random);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let texts = super::grammar::texts();
    let mut seen = Seen::default();
    let mut waiting = std::collections::VecDeque::new();
    for case in 0..=cases {
        if case < cases {
            let text = texts.new_tree(&mut runner).unwrap().current();
            let number = bench.run(&text);
            waiting.push_back((text, number));
        }
        // What runs in the background gets the time of some cases.
        while waiting.len() > 16 || case == cases && !waiting.is_empty() {
            let (text, number) = waiting.pop_front().unwrap();
            compare(&text, &bench, number, &mut seen);
            bench.forget(number);
        }
    }
    Some(seen)
}

fn compare(text: &str, bench: &Bench, number: usize, seen: &mut Seen) {
    let runs = bench.runs(number);
    let reading = reading(text, &bench.work(number));
    seen.ran += runs.len();
    if let Some(run) = runs.iter().find(|run| !is_found(&reading, run)) {
        let line = format!("{text:?}: bash ran {run:?}");
        if reading.unclear.is_empty() { &mut seen.missed } else { &mut seen.unclear }.push(line);
    }
}

#[test]
fn whatever_bash_runs_of_a_generated_text_is_found() {
    let long = std::env::var("RINGFENCE_LONG").is_ok_and(|value| value == "1");
    let cases = std::env::var("RINGFENCE_BASH_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(if long { LONG_CASES } else { CASES });
    let seed = std::env::var("RINGFENCE_BASH_SEED").ok().and_then(|n| n.parse().ok());
    let seed: u8 = seed.unwrap_or(1);
    let halves = [seed, seed.wrapping_add(1)]
        .map(|seed| std::thread::spawn(move || judge(seed, cases.div_ceil(2))));
    let mut all = Seen::default();
    for half in halves {
        let Some(seen) = half.join().unwrap() else { return };
        all.ran += seen.ran;
        all.missed.extend(seen.missed);
        all.unclear.extend(seen.unclear);
    }
    all.missed.sort_by_key(String::len);
    all.unclear.sort_by_key(String::len);
    let Seen { ran, missed, unclear } = all;
    assert!(missed.is_empty(), "{} of {cases}\n{}", missed.len(), missed.join("\n"));
    // Nothing in these texts is only known at run time.
    assert!(unclear.len() * 50 <= cases, "{} of {cases}\n{}", unclear.len(), unclear.join("\n"));
    assert!(ran > cases / 4, "only {ran} runs");
}
