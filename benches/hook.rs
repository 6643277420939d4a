//! What a hook call costs, as a ratio to `/bin/true` in the same run.
//!
//! `benches/run [BINARY] [--long]`. Each round runs every case once, in a new order; the figure is
//! the median wall time of a process that is started, fed its payload and waited for. `--long` adds
//! the growth of the look-up to a million notes. `--prepare DIR` only writes the payloads and the
//! store that `benches/instructions` counts with.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a bench touches the machine and fails by panicking"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;

const ROUNDS: usize = 300;
const FOREIGN: &str = "3f2a9c1e-7b44-4d0e-9a6f-2c5d8e1b0a77";

/// One thing that is timed.
struct Case {
    name: String,
    /// What the figure should stay under, as a ratio to `/bin/true`.
    goal: &'static str,
    program: PathBuf,
    args: Vec<String>,
    payload: Vec<u8>,
    refused: bool,
    times: Vec<Duration>,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--prepare") {
        return prepare(Path::new(&args[at + 1]));
    }
    let binary = PathBuf::from(&args[args.iter().position(|arg| arg == "--binary").unwrap() + 1]);
    let home = tempfile::tempdir().unwrap();
    let resident = resident(&binary, home.path());
    let mut cases = cases(&binary, home.path(), args.iter().any(|arg| arg == "--long"));
    // A session's own memory server holds the store open; the first reader of a store that nobody
    // holds would have to rebuild its index of changes.
    let held: Vec<Connection> = stores(home.path());
    measure(&mut cases, home.path());
    drop(held);
    report(&cases, &binary, resident);
}

fn cases(binary: &Path, home: &Path, long: bool) -> Vec<Case> {
    let harmless = call(Some("a"), "cargo test --workspace");
    let shim = shim(binary, home);
    let line = ["pre-tool-use", "--with", "guard"];
    let large = format!("echo {}", "x".repeat(200_000));
    let mut cases = vec![
        case("/bin/true", "", Path::new("/bin/true"), &[], Vec::new()),
        hook(binary, "a parent's call", "1.3", &[], call(None, "cargo test --workspace")),
        hook(binary, "a subagent's harmless command", "1.3", &[], harmless.clone()),
        case("the same through the shim", "3.5", &shim, &line, harmless),
        case("the shim, 200 KB", "3.5", &shim, &line, call(None, &large)),
    ];
    let sizes: &[usize] = if long { &[1_000, 5_000, 100_000, 1_000_000] } else { &[5_000] };
    for notes in sizes {
        let store = home.join(format!("{notes}.db"));
        fill(&store, *notes);
        let goal = if *notes == 5_000 { "2.2" } else { "" };
        let mut refused = hook(
            binary,
            &format!("refused after a look-up, {notes} notes"),
            goal,
            &["--store", store.to_str().unwrap()],
            call(Some("a"), &format!("cortex delete-memory {FOREIGN} --yes")),
        );
        refused.refused = true;
        cases.push(refused);
    }
    // A text of 2 MB before the command, and the worst that we know: 2 MB of short words.
    let last = format!("cortex delete-memory {FOREIGN} --yes");
    let store = home.join("5000.db");
    let store = ["--store", store.to_str().unwrap()];
    let text = format!("echo '{}'; {last}", "x".repeat(2_000_000));
    let mut padded = hook(binary, "refused after 2 MB of text", "", &store, call(Some("a"), &text));
    padded.refused = true;
    cases.push(padded);
    let words = format!("echo {}", "word ".repeat(400_000));
    cases.push(hook(binary, "2 MB of short words", "", &store, call(Some("a"), &words)));
    cases
}

fn case(name: &str, goal: &'static str, program: &Path, args: &[&str], payload: Vec<u8>) -> Case {
    Case {
        name: name.into(),
        goal,
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        payload,
        refused: false,
        times: Vec::new(),
    }
}

fn hook(binary: &Path, name: &str, goal: &'static str, more: &[&str], payload: Vec<u8>) -> Case {
    let mut args = vec!["hook", "pre-tool-use", "--with", "guard"];
    args.extend(more);
    case(name, goal, binary, &args, payload)
}

/// A payload as the client sends it.
fn call(agent: Option<&str>, command: &str) -> Vec<u8> {
    let agent = agent.map_or(String::new(), |agent| {
        format!(r#""agent_id":"{agent}","agent_type":"general-purpose","#)
    });
    format!(
        concat!(
            r#"{{"session_id":"6b3f56a9-02e4-4364-a618-7da8058c55e0","#,
            r#""transcript_path":"/h/.claude/projects/-w/6b3f56a9.jsonl","cwd":"/tmp","#,
            r#""prompt_id":"8dd45652-da54-42be-aa79-92791448fb25","permission_mode":"default",{}"#,
            r#""hook_event_name":"PreToolUse","tool_name":"Bash","#,
            r#""tool_input":{{"command":"{}","description":"d"}},"tool_use_id":"t"}}"#,
            "\n"
        ),
        agent, command
    )
    .into_bytes()
}

fn shim(binary: &Path, dir: &Path) -> PathBuf {
    let shim = dir.join("ringfence.sh");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/ringfence.sh"), &shim).unwrap();
    std::os::unix::fs::symlink(binary, dir.join("ringfence")).unwrap();
    shim
}

/// A store with `notes` notes of an earlier session, one of them [`FOREIGN`].
fn fill(path: &Path, notes: usize) {
    let mut store = Connection::open(path).unwrap();
    store.execute_batch(include_str!("cortex.sql")).unwrap();
    let write = store.transaction().unwrap();
    for index in 0..notes {
        let id = if index == notes / 2 {
            FOREIGN.to_owned()
        } else {
            format!("{index:08x}-0000-4000-8000-000000000000")
        };
        for sql in [
            "INSERT INTO notes (id, session_id, timestamp, kind, subject, content)
             VALUES (?1, 'E', '2026-01-01T00:00:00.000Z', 'decision', ?2, 'The ceiling is sixty seconds.')",
            "INSERT INTO memory_items (id, session_id, scope_type, scope_key, kind, source_table, source_id, subject, text, created_at)
             VALUES ('notes:' || ?1, 'E', 'branch', 'S', 'note:decision', 'notes', ?1, ?2, 'text', '2026-01-01T00:00:00.000Z')",
        ] {
            write.prepare_cached(sql).unwrap().execute([&id, &format!("subject {index}")]).unwrap();
        }
    }
    write.commit().unwrap();
}

/// Writes what the instruction gate runs: two payloads and a store.
fn prepare(dir: &Path) {
    std::fs::write(dir.join("harmless.json"), call(Some("a"), "cargo test --workspace")).unwrap();
    let command = format!("cortex delete-memory {FOREIGN} --yes");
    std::fs::write(dir.join("refused.json"), call(Some("a"), &command)).unwrap();
    fill(&dir.join("cortex.db"), 5_000);
}

/// The stores of all cases, held open as a server holds them.
fn stores(home: &Path) -> Vec<Connection> {
    let files = std::fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    let stores = files.filter(|path| path.extension().is_some_and(|end| end == "db"));
    stores
        .map(|path| {
            let store = Connection::open(path).unwrap();
            store
                .query_row("SELECT count(*) FROM sessions", [], |row| row.get::<_, i64>(0))
                .unwrap();
            store
        })
        .collect()
}

fn measure(cases: &mut [Case], home: &Path) {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..ROUNDS + 10 {
        for last in (1..order.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            order.swap(last, (state >> 33) as usize % (last + 1));
        }
        for index in &order {
            let case = &mut cases[*index];
            let time = once(case, home);
            // The first rounds warm the caches.
            if round >= 10 {
                case.times.push(time);
            }
        }
    }
    for case in cases {
        case.times.sort_unstable();
    }
}

fn started(case: &Case, home: &Path) -> std::process::Child {
    Command::new(&case.program)
        .args(&case.args)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn once(case: &Case, home: &Path) -> Duration {
    let start = Instant::now();
    let mut child = started(case, home);
    let mut input = child.stdin.take().unwrap();
    // `/bin/true` does not read.
    drop(input.write_all(&case.payload));
    drop(input);
    let output = child.wait_with_output().unwrap();
    let time = start.elapsed();
    assert_eq!(!output.stdout.is_empty(), case.refused, "{}", case.name);
    time
}

fn report(cases: &[Case], binary: &Path, resident: i64) {
    let median = |case: &Case| case.times[case.times.len() / 2].as_secs_f64() * 1000.0;
    let base = median(&cases[0]);
    println!("{:<40} {:>9} {:>7} {:>6}", "case", "median ms", "ratio", "goal");
    for case in cases {
        let time = median(case);
        println!("{:<40} {time:>9.3} {:>7.2} {:>6}", case.name, time / base, case.goal);
    }
    println!("{:<40} {:>9}", "binary, bytes", std::fs::metadata(binary).unwrap().len());
    println!("{:<40} {:>9}", "resident memory of a refusal, KB", resident);
}

/// Peak resident memory of a refusal, in KB. The kernel's figure counts what the starter held before
/// the start as well, so it is taken first, and another process makes the store.
#[expect(clippy::zombie_processes, reason = "`wait4` waits for it")]
fn resident(binary: &Path, home: &Path) -> i64 {
    let itself = std::env::current_exe().unwrap();
    let made = Command::new(itself).arg("--prepare").arg(home).status().unwrap();
    assert!(made.success());
    let mut child = Command::new(binary)
        .args(["hook", "pre-tool-use", "--with", "guard", "--store"])
        .arg(home.join("cortex.db"))
        .env_clear()
        .env("HOME", home)
        .stdin(std::fs::File::open(home.join("refused.json")).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut answer).unwrap();
    assert!(answer.contains("deny"), "{answer}");
    let mut status = 0;
    // SAFETY: all-zero is a valid value of this plain structure; the child is ours and not yet
    // waited for; both pointers are valid.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::wait4(child.id().cast_signed(), &raw mut status, 0, &raw mut usage);
        usage.ru_maxrss
    }
}
