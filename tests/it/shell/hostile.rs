//! Texts that were made to hurt: the work that a text takes grows no faster than the text, and what
//! the reader counts as work is the work.
//!
//! Nothing here looks at a clock. The reader counts its steps, and this binary counts what it
//! allocates: both are the same on every machine.

use ringfence::shell::{Dialect, NoFiles, Reading, Start, What, read, spell};

use crate::support::corpus;

/// One line of the corpus.
struct Row {
    dialect: Dialect,
    piece: String,
    before: String,
    middle: String,
    closing: String,
    after: String,
}

impl Row {
    /// The text with `count` pieces.
    fn text(&self, count: usize) -> String {
        let mut text = self.before.clone();
        for number in 0..count {
            text.push_str(&self.piece.replace("%N", &number.to_string()));
        }
        text.push_str(&self.middle);
        text.push_str(&self.closing.repeat(count));
        text.push_str(&self.after);
        text
    }

    fn pieces(&self, bytes: usize) -> usize {
        bytes / (self.piece.len() + self.closing.len())
    }
}

fn rows(dialect: Dialect) -> Vec<Row> {
    let rows: Vec<Row> = corpus("hostile.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut fields = line.split('\t').map(unescape);
            let dialect = match fields.next().unwrap().as_str() {
                "posix" => Dialect::Posix,
                "pwsh" => Dialect::PowerShell,
                "cmd" => Dialect::Cmd,
                other => panic!("{other}"),
            };
            let mut next = || fields.next().unwrap_or_default();
            Row {
                dialect,
                piece: next(),
                before: next(),
                middle: next(),
                closing: next(),
                after: next(),
            }
        })
        .filter(|row| row.dialect == dialect)
        .collect();
    assert!(rows.len() > 100, "{dialect:?}: {} rows", rows.len());
    rows
}

fn unescape(field: &str) -> String {
    let mut text = super::shapes::unescape(field);
    while let Some((before, rest)) = text.split_once('«') {
        let (group, after) = rest.split_once('»').unwrap();
        let (times, unit) = group.split_once('×').unwrap();
        let times: usize = times.parse().unwrap();
        let all: String =
            (0..times).map(|number| unit.replace("%N", &number.to_string())).collect();
        text = format!("{before}{all}{after}");
    }
    text
}

/// The work that one reading takes.
#[derive(Debug)]
struct Work {
    bytes: usize,
    steps: usize,
    allocations: usize,
    allocated: usize,
    bounded: bool,
}

fn work(text: &str, dialect: Dialect) -> Work {
    let before = crate::support::allocated();
    let reading = reading(text, dialect);
    let after = crate::support::allocated();
    Work {
        bytes: text.len(),
        steps: reading.steps,
        allocations: after.0 - before.0,
        allocated: after.1 - before.1,
        bounded: reading.unclear.iter().any(|unclear| unclear.what == What::Bound),
    }
}

fn reading(text: &str, dialect: Dialect) -> Reading {
    let start = Start { cwd: "/work".into(), home: "/home/me".into(), ..Start::default() };
    read(text, dialect, &start, &NoFiles)
}

/// Bytes of the larger of the two sizes; the long run takes 128 KiB.
fn size() -> usize {
    if crate::support::is_long() { 131_072 } else { 3_072 }
}

/// What a row breaks, if anything.
fn broken(row: &Row) -> Option<String> {
    let count = row.pieces(size()).max(2);
    let whole = work(&row.text(count), row.dialect);
    let before: String = row.before.chars().take(30).collect();
    let name = format!("{before:?} + {count} × {:?}", row.piece);
    // A bound ends the work wherever it is reached, so that the two cannot be compared.
    if !whole.bounded {
        let grows = |count: usize| {
            let own = |count| work(&row.text(count), row.dialect);
            let (fixed, half, whole) = (own(0).steps, own(count / 2).steps, own(count));
            let (half, all) = (half.saturating_sub(fixed), whole.steps.saturating_sub(fixed));
            (!whole.bounded && all * 10 > half * 22 + 2_000).then_some((half, all))
        };
        // What is kept grows up to its bound (512 names) and the work with it: then later is judged.
        if let Some((half, whole)) = grows(count).and_then(|_| grows(count * 12)) {
            return Some(format!("{name}: {half} steps, twice the text {whole}"));
        }
    }
    dishonest(&whole).map(|why| format!("{name}: {why}"))
}

/// Work that no step was spent on.
fn dishonest(work: &Work) -> Option<String> {
    let allocations = 512 + work.bytes / 16 + work.steps * 8;
    let allocated = 65_536 + work.bytes * 64 + work.steps * 2_048;
    let honest = work.allocations <= allocations && work.allocated <= allocated;
    (!honest).then(|| format!("not paid for: {work:?}"))
}

fn check(dialect: Dialect) {
    let broken: Vec<String> = rows(dialect).iter().filter_map(broken).collect();
    assert!(broken.is_empty(), "{} texts\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn twice_the_posix_text_is_at_most_about_twice_the_work() {
    check(Dialect::Posix);
}

#[test]
fn twice_the_powershell_text_is_at_most_about_twice_the_work() {
    check(Dialect::PowerShell);
}

#[test]
fn twice_the_cmd_text_is_at_most_about_twice_the_work() {
    check(Dialect::Cmd);
}

/// Openers of posix text.
const POSIX: &[&str] = &[
    "(",
    "{ ",
    "$(",
    "`",
    "<(",
    ">(",
    "((",
    "$((",
    "$[",
    "\"$(",
    "${",
    "${x:-",
    "\"${x:-",
    "if ",
    "while ",
    "until ",
    "for i in a; do ",
    "select i in a; do ",
    "case x in x) ",
    "f() { ",
    "function f { ",
    "f() ",
    "coproc ",
    "time ",
    "a[$(",
    "cat <<E\n$(",
    "eval '",
    "eval ",
    "sudo ",
];

/// Openers of PowerShell's.
const POWERSHELL: &[&str] = &[
    "(",
    "@(",
    "$(",
    "@{a=",
    "& {",
    "\"$(",
    "$x[",
    "$x.a(",
    "if (",
    "if (a) {",
    "switch (1) { 1 {",
    "try {",
    "foreach ($i in (",
    "-not ",
    "!",
    "$a=",
    "[int](",
    "iex (",
    "icm {",
];

/// Openers of cmd.exe's.
const CMD: &[&str] =
    &["(", "if 1==1 (", "if 1==1 ", "for %i in (1) do (", "for %i in (1) do ", "call ", "start "];

#[test]
fn a_hundred_thousand_openers_end_in_a_bound_and_not_in_the_stack() {
    // A small stack, so that recursion without a bound would end here and not on a user's machine.
    let small = std::thread::Builder::new().stack_size(1536 * 1024);
    let thread = small.spawn(|| {
        let mut silent = Vec::new();
        for (dialect, openers) in
            [(Dialect::Posix, POSIX), (Dialect::PowerShell, POWERSHELL), (Dialect::Cmd, CMD)]
        {
            for opener in openers {
                if reading(&opener.repeat(100_000), dialect).unclear.is_empty() {
                    silent.push(*opener);
                }
            }
        }
        silent
    });
    assert_eq!(thread.unwrap().join().unwrap(), Vec::<&str>::new(), "read in silence");
}

#[test]
fn characters_that_are_no_text_hide_no_call() {
    // Lone surrogates come as replacement characters; a NUL is left out and said.
    for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
        for noise in ["\u{fffd}", "\0", "\u{feff}", "\u{202e}", "\u{1f4a9}", "\u{10fffd}"] {
            let text = format!("{}\ncortex delete-memory 7", noise.repeat(1_000));
            let reading = reading(&text, dialect);
            let last = reading.invocations.last().unwrap();
            assert_eq!(spell(&last.argv), "cortex delete-memory 7", "{dialect:?} {noise:?}");
        }
    }
}

#[test]
fn a_typical_command_takes_few_steps_and_few_allocations() {
    let command = "cd /srv/app && git status --short | head -20 && npm run build -- --mode=production \
                   2>&1 | tee build.log; grep -rn \"TODO\" src --include='*.rs' | wc -l";
    let work = work(command, Dialect::Posix);
    assert!(work.steps < 300, "{work:?}");
    assert!(work.allocations < 450, "{work:?}");
    assert!(work.allocated < 48_000, "{work:?}");
}
