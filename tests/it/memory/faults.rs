//! Stores that cannot be read: each way has its reason code, and none takes long.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ringfence::memory::Memory;
use ringfence::memory::store::native::{Author, Draft, Writer};
use ringfence::memory::store::{CortexStore, NativeStore, Sitting};
use ringfence::state::State;
use rusqlite::Connection;

use super::cortex_store;

/// A Cortex store in a folder of its own.
fn cortex(dir: &Path) -> PathBuf {
    let path = dir.join("store/cortex.db");
    cortex_store(&path, "v6", "");
    path
}

/// A store of ours with one note.
fn native(dir: &Path) -> PathBuf {
    let path = dir.join("own/memory.db");
    let draft = Draft {
        kind: "insight".into(),
        subject: None,
        content: "x".into(),
        alternatives: Vec::new(),
    };
    let author = Author {
        session: "s".into(),
        agent: None,
        scope: None,
        call: None,
        pid: None,
        at: "2026-12-01T08:00:00.000Z".into(),
    };
    Writer::open(&path).unwrap().note(&draft, &author).unwrap();
    path
}

/// `ok`, or the code of the doubt, for reading a note.
fn cortex_says(path: &Path) -> &'static str {
    match CortexStore::open(path, Sitting::default()).and_then(|store| store.note("F")) {
        Ok(_) => "ok",
        Err(doubt) => doubt.code.as_str(),
    }
}

fn native_says(path: &Path) -> &'static str {
    let state = State::at("/nonexistent");
    match NativeStore::open(path, state, None).and_then(|store| store.active_on("x")) {
        Ok(_) => "ok",
        Err(doubt) => doubt.code.as_str(),
    }
}

type Damage = fn(&Path);

#[test]
fn each_kind_of_damage_has_its_code() {
    let damages: [(&str, Damage, &str); 9] = [
        ("nothing", |_| {}, "ok"),
        ("gone", |path| std::fs::remove_file(path).unwrap(), "store-missing"),
        ("garbage", |path| std::fs::write(path, [7; 8192]).unwrap(), "store-corrupt"),
        ("a text", |path| std::fs::write(path, "not a database\n").unwrap(), "store-corrupt"),
        ("empty", |path| std::fs::write(path, "").unwrap(), "empty"),
        ("truncated", truncate, "store-corrupt"),
        ("torn", tear, "store-corrupt"),
        (
            "a folder",
            |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
            },
            "store-unreadable",
        ),
        (
            "a loop of links",
            |path| {
                std::fs::remove_file(path).unwrap();
                std::os::unix::fs::symlink(path, path).unwrap();
            },
            "store-unreadable",
        ),
    ];
    for (name, damage, expected) in damages {
        let dir = tempfile::tempdir().unwrap();
        let (theirs, ours) = (cortex(dir.path()), native(dir.path()));
        for path in [&theirs, &ours] {
            damage(path);
        }
        // An empty file is a database without tables: no store of Cortex's, and a store of ours that
        // was only begun.
        let [their, our] =
            if expected == "empty" { ["store-schema", "store-missing"] } else { [expected; 2] };
        assert_eq!(cortex_says(&theirs), their, "{name}, Cortex's");
        assert_eq!(native_says(&ours), our, "{name}, ours");
    }
}

/// Leaves the first page: the tables' pages are gone.
fn truncate(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(4096).unwrap();
}

/// Overwrites all pages but the first.
fn tear(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(connection);
    let mut bytes = std::fs::read(path).unwrap();
    bytes[4096..].fill(0xa5);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn another_programs_database_is_no_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cortex.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes (id TEXT)").unwrap();
    assert_eq!(cortex_says(&path), "store-schema");
    assert_eq!(native_says(&path), "store-schema");
    assert_eq!(native_says(&cortex(dir.path())), "store-schema");
    assert_eq!(cortex_says(&native(dir.path())), "store-schema");
}

#[test]
fn paths_that_sqlite_could_read_as_something_else_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["cortex.db", "file:cortex.db?mode=memory", ":memory:", ""] {
        assert_eq!(cortex_says(Path::new(path)), "store-unreadable", "{path}");
    }
    let odd = dir.path().join("file:a b?mode=memory&x=%41/cortex.db");
    cortex_store(&odd, "v6", "");
    assert_eq!(cortex_says(&odd), "ok");
}

#[test]
fn an_exclusive_writer_makes_it_locked() {
    let dir = tempfile::tempdir().unwrap();
    for path in [cortex(dir.path()), native(dir.path())] {
        let holder = Connection::open(&path).unwrap();
        holder
            .execute_batch(
                "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE held (x);",
            )
            .unwrap();
        let says =
            if path.ends_with("cortex.db") { cortex_says(&path) } else { native_says(&path) };
        assert_eq!(says, "store-locked", "{}", path.display());
    }
}

/// Runs statements on a store in another process, which then waits with its transaction open until its
/// input ends; `None` without Python.
fn other_process(path: &Path, statements: &str) -> Option<std::process::Child> {
    const PROGRAM: &str = "\
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2].split(';'):
    store.execute(statement)
print('begun', flush=True)
sys.stdin.read()
";
    let mut child = Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(path)
        .arg(statements)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    Some(child)
}

#[test]
fn an_ordinary_writer_in_another_process_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = cortex(dir.path());
    let statements = "BEGIN IMMEDIATE; DELETE FROM notes WHERE id = 'F'";
    let Some(mut child) = other_process(&path, statements) else {
        return eprintln!("skipped: there is no python3 to write from another process");
    };
    // The change is not committed, so the note is still there.
    let store = CortexStore::open(&path, Sitting::default()).unwrap();
    assert!(store.note("F").unwrap().is_some());
    drop(store);
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_busy_writer_is_never_seen_in_mid_write() {
    // As Cortex writes: a log with checkpoints, and closing the store after each change.
    const PROGRAM: &str = "\
import sqlite3, sys
for number in range(1_000_000):
    store = sqlite3.connect(sys.argv[1], isolation_level=None)
    store.execute('BEGIN IMMEDIATE')
    for id in ('F', 'O'):
        store.execute('UPDATE notes SET content = ? WHERE id = ?', (str(number % 10) * 9000, id))
    store.execute('COMMIT')
    if number % 3 == 0:
        store.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    store.close()
    print('written', flush=True)
";
    let dir = tempfile::tempdir().unwrap();
    let path = cortex(dir.path());
    let child = Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return eprintln!("skipped: there is no python3 to write from another process");
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "written");
    let reader = std::thread::spawn(move || lines.count());
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..400 {
        let store = CortexStore::open(&path, Sitting::default()).unwrap();
        let content = |id: &str| store.note(id).unwrap().unwrap().content;
        let (one, other) = (content("F"), content("O"));
        assert_eq!(one, other);
        assert_eq!(one.len(), 9000);
        assert!(one.bytes().all(|byte| Some(byte) == one.bytes().next()));
        seen.insert(one);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // It did write meanwhile, or nothing was tried here.
    assert!(reader.join().unwrap() > 0 && seen.len() > 1, "{} states", seen.len());
}

#[test]
fn what_a_killed_writer_left_in_the_log_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = cortex(dir.path());
    // One change is committed and only in the log, the next is not committed.
    let statements = "UPDATE notes SET content = 'committed' WHERE id = 'F'; BEGIN; \
                      UPDATE notes SET content = 'lost' WHERE id = 'F'";
    let Some(mut child) = other_process(&path, statements) else {
        return eprintln!("skipped: there is no python3 to kill");
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(path.with_file_name("cortex.db-wal").metadata().unwrap().len() > 0);
    std::fs::remove_file(path.with_file_name("cortex.db-shm")).unwrap();
    let store = CortexStore::open(&path, Sitting::default()).unwrap();
    assert_eq!(store.note("F").unwrap().unwrap().content, "committed");
}

#[test]
fn folders_without_rights_are_doubts_and_not_waits() {
    // Root may read and write everything, so the look-ups run in a child without its rights.
    let dir = tempfile::Builder::new().prefix("ringfence-rights-").tempdir().unwrap();
    let path = cortex(dir.path());
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let folder = path.parent().unwrap().to_owned();
    let chmod = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod(dir.path(), 0o755);
    let probe = |expected: &str, name: &str| {
        let Some(code) = unprivileged(&path) else {
            return eprintln!("skipped: no way to look things up without root's rights ({name})");
        };
        assert_eq!(code, expected, "{name}");
    };
    chmod(&path, 0o644);
    chmod(&folder, 0o555);
    probe("store-unreadable", "a folder that cannot be written, without the log's files");
    chmod(&folder, 0o000);
    probe("store-unreadable", "a folder that cannot be entered");
    chmod(&folder, 0o755);
    chmod(&path, 0o000);
    probe("store-unreadable", "a file that cannot be read");
    chmod(&path, 0o644);
    chmod(&folder, 0o777);
    probe("ok", "a folder with all rights");
    chmod(&folder, 0o755);
}

/// Runs this test binary's `probe` as nobody; `None` when that cannot be done.
fn unprivileged(path: &Path) -> Option<String> {
    let root = Command::new("id").arg("-u").output().ok()?.stdout == b"0\n";
    let this = std::env::current_exe().ok()?;
    // The binary may lie where nobody else may go.
    let copy = path.parent()?.parent()?.join("probe");
    if !copy.exists() {
        std::fs::copy(this, &copy).ok()?;
    }
    let mut command = if root {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&copy);
        setpriv
    } else {
        Command::new(&copy)
    };
    let output = command
        .args(["--exact", "memory::faults::probe", "--nocapture", "--ignored"])
        .env("RINGFENCE_PROBE", path)
        .current_dir("/")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("code=").map(|(_, code)| code.to_owned()))
}

#[test]
#[ignore = "a part of folders_without_rights_are_doubts_and_not_waits, run by it in a child"]
fn probe() {
    let path = std::env::var("RINGFENCE_PROBE").unwrap();
    println!("code={}", cortex_says(Path::new(&path)));
}
