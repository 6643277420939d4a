//! What our own store costs as it grows: recalling through the server, searching as a process beside
//! the `sqlite3` command doing the same query, and a hook's look-up.
//!
//! `benches/run [BINARY] --long`. Times of processes are wall times, medians; a recall is also given in
//! processor time, which other work on the machine does not lengthen.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a bench touches the machine and fails by panicking"
)]

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RECALLS: usize = 200;
const BRIEFS: usize = 40;
const PROCESSES: usize = 40;
const TURNS: usize = 200;
const FOREIGN: &str = "00000007-0000-7000-8000-000000000000";

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let binary = PathBuf::from(&args[args.iter().position(|arg| arg == "--binary").unwrap() + 1]);
    let sizes: &[usize] = if args.iter().any(|arg| arg == "--long") {
        &[1_000, 100_000, 1_000_000]
    } else {
        &[1_000]
    };
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("project")).unwrap();
    println!(
        "{:>9} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}",
        "notes", "recall ms", "of it cpu", "brief ms", "search ms", "sqlite3 ms", "ratio"
    );
    let stores: Vec<PathBuf> =
        sizes.iter().map(|notes| home.path().join(format!("{notes}.db"))).collect();
    for (notes, store) in sizes.iter().zip(&stores) {
        fill(&binary, home.path(), store, *notes);
        let (recall, cpu, brief) = served(&binary, home.path(), store);
        let search = processes(|| {
            ringfence(&binary, home.path(), store, &["search-memory", "word40", "word90"])
        });
        let plain = processes(|| sqlite(store));
        let ratio = search.as_secs_f64() / plain.as_secs_f64();
        println!(
            "{notes:>9} {:>11.2} {:>11.2} {:>11.2} {:>11.2} {:>11.2} {ratio:>9.2}",
            ms(recall),
            ms(cpu),
            ms(brief),
            ms(search),
            ms(plain)
        );
    }
    // In turn, so that what else the machine does falls on all alike.
    let mut times = vec![Vec::new(); stores.len()];
    for number in 0..TURNS {
        for (store, times) in stores.iter().zip(&mut times) {
            let begun = Instant::now();
            let output = refusal(&binary, home.path(), store, number);
            times.push(begun.elapsed());
            assert!(!output.stdout.is_empty());
        }
    }
    let medians: Vec<f64> = times.into_iter().map(|times| ms(median(times))).collect();
    println!("{:>9} {:>11} {:>11}", "notes", "refusal ms", "growth");
    for (notes, now) in sizes.iter().zip(&medians) {
        println!("{notes:>9} {now:>11.2} {:>11.2}", now / medians[0]);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Numbers without a pattern.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A word as they occur in texts: few often, many seldom.
    fn word(&mut self) -> String {
        format!("word{}", 20_000_f64.powf(self.next()) as u32)
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Makes a store by an import.
fn fill(binary: &Path, home: &Path, store: &Path, notes: usize) {
    let path = home.join("export.jsonl");
    let mut file = BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(file, r#"{{"type":"export","version":1}}"#).unwrap();
    let mut chance = Chance(7);
    for number in 0..notes {
        let minute = number % 500_000;
        let at = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00.000Z",
            1 + minute / 44_640,
            1 + minute / 1440 % 28,
            minute / 60 % 24,
            minute % 60
        );
        writeln!(
            file,
            r#"{{"type":"note","id":"{number:08x}-0000-7000-8000-000000000000","kind":"decision","subject":"{}","content":"{}","status":"active","session":"monday","agent":null,"scope":"project","created_at":"{at}","updated_at":"{at}"}}"#,
            chance.words(3),
            chance.words(40)
        )
        .unwrap();
    }
    file.flush().unwrap();
    drop(file);
    let output = ringfence(binary, home, store, &["import", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(path).unwrap();
}

fn command(binary: &Path, home: &Path, store: &Path) -> Command {
    let mut command = Command::new(binary);
    command.current_dir(home.join("project")).env_clear();
    command.env("HOME", home).env("PATH", "/usr/bin:/bin").env("RINGFENCE_STORE", store);
    command
}

fn ringfence(binary: &Path, home: &Path, store: &Path, args: &[&str]) -> std::process::Output {
    command(binary, home, store).args(args).output().unwrap()
}

fn processes(mut once: impl FnMut() -> std::process::Output) -> Duration {
    let times = (0..PROCESSES)
        .map(|_| {
            let begun = Instant::now();
            let output = once();
            assert!(!output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
            begun.elapsed()
        })
        .collect();
    median(times)
}

/// The same query by the command that comes with SQLite.
fn sqlite(store: &Path) -> std::process::Output {
    const QUERY: &str = "SELECT count(*) FROM notes_fts WHERE notes_fts MATCH '\"word40\" \"word90\"';
        SELECT n.* FROM notes n JOIN (SELECT rowid hit, bm25(notes_fts, 3.0, 1.0) score FROM notes_fts
        WHERE notes_fts MATCH '\"word40\" \"word90\"') ON n.seq = hit
        ORDER BY score, created_at DESC, seq DESC LIMIT 20;";
    Command::new("sqlite3").arg(store).arg(QUERY).output().unwrap()
}

fn refusal(binary: &Path, home: &Path, store: &Path, number: usize) -> std::process::Output {
    let payload = format!(
        r#"{{"session_id":"h","cwd":"{}","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"ringfence delete-memory {FOREIGN} --yes"}},"tool_use_id":"{}"}}"#,
        home.join("project").display(),
        format_args!("{}-{number}", store.display())
    );
    let mut hook = Command::new(binary)
        .args(["hook", "pre-tool-use", "--store", store.to_str().unwrap()])
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    hook.wait_with_output().unwrap()
}

/// Of one server: the median of recalls, the processor time of one on average, and the median of briefs.
fn served(binary: &Path, home: &Path, store: &Path) -> (Duration, Duration, Duration) {
    let mut server: Child = command(binary, home, store)
        .args(["mcp", "--store", store.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |request: String, answered: bool| {
        writeln!(input, "{request}").unwrap();
        if answered { lines.next().unwrap().unwrap() } else { String::new() }
    };
    ask(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#.into(), true);
    ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(), false);
    let mut chance = Chance(11);
    let mut times = Vec::new();
    let mut found = 0;
    let mut before = Duration::ZERO;
    for number in 0..RECALLS + 10 {
        if number == 10 {
            before = processor_time(server.id());
        }
        let question = format!("what about {} and {}", chance.words(2), chance.words(2));
        let begun = Instant::now();
        let answer = ask(
            format!(
                r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"cortex_recall","arguments":{{"query":"{question}"}}}}}}"#,
                number + 1
            ),
            true,
        );
        // The words are common ones or rare ones; a store that is not found has none of them.
        assert!(answer.contains("\"isError\":false"), "{answer}");
        found += usize::from(answer.contains("word"));
        if number >= 10 {
            times.push(begun.elapsed());
        }
    }
    let cpu = (processor_time(server.id()) - before) / u32::try_from(RECALLS).unwrap();
    assert!(found > RECALLS / 2, "{found}");
    let briefs = (0..BRIEFS)
        .map(|number| {
            let begun = Instant::now();
            let answer = ask(
                format!(
                    r#"{{"jsonrpc":"2.0","id":"b{number}","method":"tools/call","params":{{"name":"cortex_brief","arguments":{{}}}}}}"#
                ),
                true,
            );
            assert!(answer.contains("word"), "{answer}");
            begun.elapsed()
        })
        .collect();
    drop(input);
    server.wait().unwrap();
    (median(times), cpu, median(briefs))
}

/// What a process has used of the processor, in user and system mode.
fn processor_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}
