//! Snapshots: when one is taken, what is kept, what they tell of a store that cannot be read.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ringfence::memory::Family;
use ringfence::memory::store::native::StoreError;
use ringfence::memory::store::snapshot::{
    Difference, InPlace, Outcome, Shelf, Snapshot, Vault, When, difference, put_back,
    restore_in_place, restore_to,
};
use rusqlite::Connection;

use super::cortex_store;
use crate::support::{BINARY, Home};

/// A store of each family with its shelf.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        cortex_store(&dir.path().join("c/cortex.db"), "v6", "");
        let mut store = super::native::Store::new();
        store.note("decision", "x", "one", Some("b"));
        store.check();
        let path = store.path();
        // Closed, all is in the one file.
        drop(store.writer);
        std::fs::create_dir(dir.path().join("n")).unwrap();
        std::fs::copy(path, dir.path().join("n/memory.db")).unwrap();
        Self { dir }
    }

    fn path(&self, family: Family) -> PathBuf {
        let below = match family {
            Family::Cortex => "c/cortex.db",
            Family::Native => "n/memory.db",
        };
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn shelf(&self, family: Family) -> Shelf {
        Vault::of(&self.dir.path().join("state")).shelf(family, &self.path(family))
    }

    /// Changes the store so that a snapshot is worth taking.
    fn change(&self, family: Family, sql: &str) {
        Connection::open(self.path(family)).unwrap().execute_batch(sql).unwrap();
    }
}

const BOTH: [Family; 2] = [Family::Cortex, Family::Native];

/// Takes a snapshot. Another test of this process may just be starting a program, which for a moment
/// holds a copy of every descriptor, and of the lock with it.
fn take(shelf: &Shelf, when: When) -> Result<Outcome, StoreError> {
    loop {
        match shelf.take(when) {
            Ok(Outcome::Busy) => std::thread::yield_now(),
            outcome => return outcome,
        }
    }
}

fn taken(shelf: &Shelf, when: When) -> Snapshot {
    match take(shelf, when).unwrap() {
        Outcome::Taken(snapshot) => snapshot,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_snapshot_is_whole_private_and_apart() {
    for family in BOTH {
        let place = Place::new();
        let shelf = place.shelf(family);
        let snapshot = taken(&shelf, When::Hourly);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&snapshot.path), 0o600);
        assert_eq!(mode(snapshot.path.parent().unwrap()), 0o700);
        let copy = Connection::open(&snapshot.path).unwrap();
        let one = |sql: &str| copy.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(one("PRAGMA integrity_check"), "ok");
        assert_eq!(one("PRAGMA journal_mode"), "delete");
        assert!(
            copy.query_row("SELECT count(*) FROM notes", [], |row| row.get::<_, i64>(0)).unwrap()
                > 0
        );
        let names = std::fs::read_dir(snapshot.path.parent().unwrap()).unwrap();
        let mut names: Vec<_> =
            names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, [format!("{}.db", snapshot.name), "store".to_owned()]);
    }
}

#[test]
fn what_a_killed_copy_left_is_swept_up() {
    let place = Place::new();
    let shelf = place.shelf(Family::Cortex);
    let first = taken(&shelf, When::Changed);
    let dir = first.path.parent().unwrap();
    for name in [".ringfence-abc123", ".ringfence-abc123-journal"] {
        std::fs::write(dir.join(name), "half").unwrap();
    }
    place.change(Family::Cortex, "CREATE TABLE more (x)");
    taken(&shelf, When::Changed);
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 3);
}

#[test]
fn one_is_taken_an_hour_and_none_without_a_change() {
    for family in BOTH {
        let place = Place::new();
        let shelf = place.shelf(family);
        let first = taken(&shelf, When::Hourly);
        place.change(family, "CREATE TABLE more (x)");
        for when in [When::Hourly, When::Daily] {
            assert_eq!(take(&shelf, when).unwrap(), Outcome::Kept(first.clone()));
        }
        let second = taken(&shelf, When::Changed);
        assert_eq!(shelf.snapshots(), [first.clone(), second.clone()]);
        // Two hours and more ago.
        let old = first.path.with_file_name(format!("{}-20260101T000000Z.db", family.as_str()));
        std::fs::rename(&first.path, &old).unwrap();
        std::fs::remove_file(&second.path).unwrap();
        taken(&shelf, When::Hourly);
        // As if the store had last been changed long before the newest one.
        let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        for end in ["", "-wal"] {
            let mut path = place.path(family).into_os_string();
            path.push(end);
            if let Ok(file) = std::fs::File::options().write(true).open(path) {
                file.set_modified(past).unwrap();
            }
        }
        assert!(matches!(take(&shelf, When::Changed).unwrap(), Outcome::Kept(_)));
    }
}

#[test]
fn what_is_not_whole_is_not_copied_and_costs_no_snapshot() {
    for family in BOTH {
        let place = Place::new();
        let shelf = place.shelf(family);
        let first = taken(&shelf, When::Hourly);
        let path = place.path(family);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[4096..].fill(0x5a);
        for (damage, bytes) in
            [("torn", bytes), ("a text", b"not a database".repeat(300)), ("empty", Vec::new())]
        {
            std::fs::write(&path, bytes).unwrap();
            let error = take(&shelf, When::Changed).err();
            assert!(error.is_some(), "{damage}");
            assert_eq!(shelf.snapshots(), std::slice::from_ref(&first), "{damage}");
        }
        assert_eq!(std::fs::read_dir(first.path.parent().unwrap()).unwrap().count(), 2);
    }
}

fn shown(family: Family, from: &Path, to: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    difference(family, from, to, |one| {
        lines.push(match one {
            Difference::Added(side) => format!("+ {}", side.id),
            Difference::Removed(side) => format!("- {}", side.id),
            Difference::Changed(side, fields) => format!("~ {} {}", side.id, fields.join(" ")),
        });
    })
    .unwrap();
    lines
}

#[test]
fn two_states_are_compared_note_by_note() {
    let place = Place::new();
    let snapshot = taken(&place.shelf(Family::Cortex), When::Changed);
    let live = place.path(Family::Cortex);
    assert_eq!(shown(Family::Cortex, &snapshot.path, &live), Vec::<String>::new());
    place.change(
        Family::Cortex,
        "UPDATE notes SET content = 'other', status = 'resolved' WHERE id = 'F';
         DELETE FROM notes WHERE id = 'O';
         INSERT INTO notes (id, session_id, timestamp, kind, subject, content)
         VALUES ('A', 'P', '2026', 'insight', NULL, x'ff00');",
    );
    assert_eq!(shown(Family::Cortex, &snapshot.path, &live), ["+ A", "~ F text status", "- O"]);
    assert_eq!(shown(Family::Cortex, &live, &snapshot.path), ["- A", "~ F text status", "+ O"]);
    assert!(difference(Family::Native, &live, &live, |_| ()).is_err());
}

#[test]
fn a_snapshot_comes_back_to_a_new_file_only() {
    let place = Place::new();
    let snapshot = taken(&place.shelf(Family::Cortex), When::Changed);
    let to = place.dir.path().join("back.db");
    restore_to(Family::Cortex, &snapshot, &to).unwrap();
    assert_eq!(shown(Family::Cortex, &snapshot.path, &to), Vec::<String>::new());
    let before = std::fs::read(&to).unwrap();
    restore_to(Family::Cortex, &snapshot, &to).unwrap_err();
    assert_eq!(std::fs::read(&to).unwrap(), before);
    let broken = Snapshot { path: place.dir.path().join("nothing.db"), ..snapshot };
    restore_to(Family::Cortex, &broken, &place.dir.path().join("x.db")).unwrap_err();
    assert!(!place.dir.path().join("x.db").exists());
}

#[test]
fn a_store_is_replaced_only_while_nobody_has_it_open() {
    for family in BOTH {
        let place = Place::new();
        let shelf = place.shelf(family);
        let snapshot = taken(&shelf, When::Changed);
        place.change(family, "DELETE FROM notes");
        let path = place.path(family);
        // Another process, which does nothing but hold it.
        let mut holder = Command::new("sleep")
            .arg("1000")
            .stdin(Stdio::from(std::fs::File::open(&path).unwrap()))
            .spawn()
            .unwrap();
        let error = restore_in_place(&shelf, &snapshot).unwrap_err();
        assert!(matches!(error, StoreError::Held { pid, .. } if pid == holder.id()), "{error}");
        holder.kill().unwrap();
        holder.wait().unwrap();
        // A connection of this process is noticed by the database itself.
        let open = Connection::open(&path).unwrap();
        open.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).unwrap();
        open.query_row("SELECT count(*) FROM notes", [], |row| row.get::<_, i64>(0)).unwrap();
        let error = restore_in_place(&shelf, &snapshot).unwrap_err();
        assert!(matches!(error, StoreError::Locked), "{error}");
        drop(open);
        assert!(!shown(family, &snapshot.path, &path).is_empty());
        assert_eq!(restore_in_place(&shelf, &snapshot).unwrap(), InPlace::Overwritten);
        assert_eq!(shown(family, &snapshot.path, &path), Vec::<String>::new());
        let mode: String = Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }
}

#[test]
fn a_store_that_is_gone_or_damaged_is_made_anew_and_the_damaged_one_kept() {
    for family in BOTH {
        let place = Place::new();
        let shelf = place.shelf(family);
        let snapshot = taken(&shelf, When::Changed);
        let path = place.path(family);
        std::fs::write(&path, b"not a database".repeat(300)).unwrap();
        let InPlace::MovedAside(aside) = restore_in_place(&shelf, &snapshot).unwrap() else {
            panic!("not moved aside");
        };
        assert!(std::fs::read(aside).unwrap().starts_with(b"not a database"));
        assert_eq!(shown(family, &snapshot.path, &path), Vec::<String>::new());
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(restore_in_place(&shelf, &snapshot).unwrap(), InPlace::Made);
        assert_eq!(shown(family, &snapshot.path, &path), Vec::<String>::new());
    }
}

#[test]
fn one_note_is_put_back_into_cortexs_store_with_its_item() {
    for era in ["v1", "v2", "v4-without-agents", "v6", "v7"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("c/cortex.db");
        cortex_store(&path, era, "");
        let shelf = Vault::of(&dir.path().join("state")).shelf(Family::Cortex, &path);
        let snapshot = taken(&shelf, When::Changed);
        let live = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        live("UPDATE notes SET content = 'spoiled' WHERE id = 'F'");
        let done = put_back(&snapshot, &path, "F").unwrap();
        assert!(!done.was_gone && done.rows > 0, "{era}");
        assert_eq!(shown(Family::Cortex, &snapshot.path, &path), Vec::<String>::new(), "{era}");
        live("DELETE FROM notes WHERE id = 'F'");
        if era != "v1" {
            live("DELETE FROM memory_items WHERE source_id = 'F'");
        }
        assert!(put_back(&snapshot, &path, "F").unwrap().was_gone, "{era}");
        assert_eq!(shown(Family::Cortex, &snapshot.path, &path), Vec::<String>::new(), "{era}");
        if era != "v1" {
            let items: i64 = Connection::open(&path)
                .unwrap()
                .query_row("SELECT count(*) FROM memory_items WHERE source_id = 'F'", [], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(items, 1, "{era}");
        }
        let error = put_back(&snapshot, &path, "nobody").unwrap_err();
        assert!(matches!(error, StoreError::NoSuchNote(_)), "{era}: {error}");
    }
}

#[test]
fn what_is_put_back_is_found_by_cortexs_own_index() {
    let place = Place::new();
    place.change(
        Family::Cortex,
        "CREATE VIRTUAL TABLE memory_items_fts USING fts5 (subject, text, content = 'memory_items',
             content_rowid = 'rowid', tokenize = 'porter unicode61');
         CREATE TRIGGER trg_memory_items_ai AFTER INSERT ON memory_items BEGIN
             INSERT INTO memory_items_fts (rowid, subject, text) VALUES (new.rowid, new.subject, new.text);
         END;
         CREATE TRIGGER trg_memory_items_ad AFTER DELETE ON memory_items BEGIN
             INSERT INTO memory_items_fts (memory_items_fts, rowid, subject, text)
             VALUES ('delete', old.rowid, old.subject, old.text);
         END;
         CREATE TRIGGER trg_memory_items_au AFTER UPDATE ON memory_items BEGIN
             INSERT INTO memory_items_fts (memory_items_fts, rowid, subject, text)
             VALUES ('delete', old.rowid, old.subject, old.text);
             INSERT INTO memory_items_fts (rowid, subject, text) VALUES (new.rowid, new.subject, new.text);
         END;
         INSERT INTO memory_items_fts (memory_items_fts) VALUES ('rebuild');
         UPDATE memory_items SET text = 'zebras' WHERE source_id = 'F';",
    );
    let snapshot = taken(&place.shelf(Family::Cortex), When::Changed);
    let path = place.path(Family::Cortex);
    let hits = |word: &str| {
        let sql =
            format!("SELECT count(*) FROM memory_items_fts WHERE memory_items_fts MATCH '{word}'");
        Connection::open(&path).unwrap().query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    place.change(Family::Cortex, "UPDATE memory_items SET text = 'lions' WHERE source_id = 'F'");
    assert_eq!((hits("zebra"), hits("lion")), (0, 1));
    put_back(&snapshot, &path, "F").unwrap();
    assert_eq!((hits("zebra"), hits("lion")), (1, 0));
    place.change(
        Family::Cortex,
        "DELETE FROM memory_items WHERE source_id = 'F'; DELETE FROM notes WHERE id = 'F'",
    );
    assert_eq!(hits("zebra"), 0);
    put_back(&snapshot, &path, "F").unwrap();
    assert_eq!(hits("zebra"), 1);
    place.change(
        Family::Cortex,
        "INSERT INTO memory_items_fts (memory_items_fts) VALUES ('integrity-check')",
    );
}

/// A home whose project has a Cortex store, and a snapshot of it.
fn guarded() -> (Home, PathBuf) {
    let home = Home::new();
    let project = home.dir("project");
    cortex_store(&project.join(".cortex.db"), "v6", "");
    let output = home.run_in(&project, &["snapshot"], b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    (home, project)
}

/// Whether a subagent's command is refused.
fn refused(home: &Home, project: &Path, command: &str) -> bool {
    // A call with the same id is the same call, judged by a second registration.
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let payload = format!(
        r#"{{"session_id":"h","cwd":"{}","agent_id":"a","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"t{call}"}}"#,
        project.display()
    );
    let output = home.run_in(project, &["hook", "pre-tool-use"], payload.as_bytes());
    assert_eq!(output.code, Some(0));
    output.stdout.contains("\"deny\"")
}

#[test]
fn the_newest_snapshot_answers_for_a_store_that_cannot_be_read() {
    const DELETE: &str = "cortex delete-memory F --yes";
    const OWN: &str = "cortex delete-memory O --yes";
    type Damage = fn(&Path);
    let damages: [(&str, Damage, &str); 4] = [
        ("moved", |path| std::fs::rename(path, path.with_file_name("x")).unwrap(), "store-missing"),
        ("damaged", |path| std::fs::write(path, [7; 9000]).unwrap(), "store-corrupt"),
        (
            "a loop of links",
            |path| {
                std::fs::remove_file(path).unwrap();
                std::os::unix::fs::symlink(path, path).unwrap();
            },
            "store-unreadable",
        ),
        (
            "a folder",
            |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
            },
            "store-unreadable",
        ),
    ];
    for (name, damage, code) in damages {
        let (home, project) = guarded();
        assert!(refused(&home, &project, DELETE), "{name}, before");
        damage(&project.join(".cortex.db"));
        let log = || {
            let log = home.path().join(".local/state/ringfence/log.jsonl");
            std::fs::read_to_string(log).unwrap_or_default()
        };
        assert!(refused(&home, &project, DELETE), "{name}: {}", log());
        assert!(!refused(&home, &project, OWN), "{name}");
        assert!(log().contains(&format!(r#""code":"{code}""#)), "{name}: {}", log());
        assert!(!refused(&home, &project, "cortex delete-memory unknown --yes"), "{name}");
        // What is active now the snapshot does not know.
        assert!(
            !refused(&home, &project, "cortex note-resolve --subject 'retry ceiling'"),
            "{name}"
        );
        assert!(log().contains("snapshot-used"), "{name}: {}", log());
        // Without a snapshot it is as it was: allowed and logged.
        std::fs::remove_dir_all(home.path().join(".local/state/ringfence/snapshots")).unwrap();
        assert!(!refused(&home, &project, DELETE), "{name}, without");
    }
}

#[test]
fn a_locked_store_is_answered_for_as_well() {
    let (home, project) = guarded();
    let holder = Connection::open(project.join(".cortex.db")).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE held (x);")
        .unwrap();
    assert!(refused(&home, &project, "cortex delete-memory F --yes"));
    assert!(!refused(&home, &project, "cortex delete-memory O --yes"));
}

#[test]
fn the_same_for_our_own_store() {
    let home = Home::new();
    let project = home.dir("project");
    let note = |session: &str| {
        let args = ["note", "insight", "text", "--session", session];
        home.run_in(&project, &args, b"").stdout.trim().to_owned()
    };
    let (foreign, own) = (note("monday"), note("h"));
    assert_eq!(home.run_in(&project, &["snapshot"], b"").code, Some(0));
    let projects = home.path().join(".local/share/ringfence/projects");
    let store = std::fs::read_dir(&projects).unwrap().next().unwrap().unwrap().path();
    std::fs::rename(&store, projects.join("elsewhere")).unwrap();
    assert!(refused(&home, &project, &format!("ringfence delete-memory {foreign} --yes")));
    assert!(!refused(&home, &project, &format!("ringfence delete-memory {own} --yes")));
}

/// The process that a session's start has left, by what it was started with.
fn snapshot_process(project: &Path) -> Option<u32> {
    let wanted = format!("hook\0snapshots\0--cwd\0{}\0", project.display());
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&wanted)
    })
}

/// Waits until `done`, for a process that nobody waits for.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{what} did not happen");
}

#[test]
fn a_session_start_leaves_a_snapshot_behind_and_nobody_waits_for_it() {
    let home = Home::new();
    let project = home.dir("project").canonicalize().unwrap();
    let store = project.join(".cortex.db");
    cortex_store(&store, "v6", "");
    // While the store is locked, the copy is on its way.
    let holder = Connection::open(&store).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE held (x);")
        .unwrap();
    let payload =
        format!(r#"{{"session_id":"h","cwd":"{}","source":"startup"}}"#, project.display());
    // A descriptor that the client forgot to close is handed down as 9.
    let mut hook = Command::new("sh")
        .args(["-c", &format!("exec 9>held.txt; exec '{BINARY}' hook session-start")])
        .current_dir(&project)
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .env("RINGFENCE_STATE", "/elsewhere")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut hook.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    let mut output = String::new();
    // Ends only when nobody holds the pipes any more.
    hook.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    hook.stderr.take().unwrap().read_to_string(&mut output).unwrap();
    assert!(hook.wait().unwrap().success());
    assert_eq!(output, "");
    let pid = snapshot_process(&project).expect("the copy is on its way");
    let descriptors: Vec<_> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .flatten()
        .filter_map(|fd| std::fs::read_link(fd.path()).ok())
        .collect();
    assert!(!descriptors.iter().any(|fd| fd.ends_with("held.txt")), "{descriptors:?}");
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("RINGFENCE_STATE"));
    drop(holder);
    let vault = Vault::of(&home.path().join(".local/state/ringfence"));
    let shelf = vault.shelf(Family::Cortex, &store);
    until("a snapshot", || shelf.newest().is_some());
    until("its end", || snapshot_process(&project).is_none());
    // Within the hour there is no second one.
    Connection::open(&store).unwrap().execute_batch("CREATE TABLE more (x)").unwrap();
    home.run_in(&project, &["hook", "session-start"], payload.as_bytes());
    until("its end", || snapshot_process(&project).is_none());
    assert_eq!(shelf.snapshots().len(), 1);
}

#[test]
fn a_copy_that_nobody_waits_for_is_of_the_moment_when_it_was_begun() {
    let place = Place::new();
    let path = place.path(Family::Native);
    let shelf = place.shelf(Family::Native);
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL; UPDATE notes SET content = 'before'").unwrap();
    let begun = loop {
        match shelf.take_beside(When::Daily).unwrap() {
            Some(begun) => break begun,
            None => std::thread::yield_now(),
        }
    };
    // It holds back no writer, and none of what comes is in it.
    writer.busy_timeout(std::time::Duration::ZERO).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE notes SET content = 'after'; COMMIT").unwrap();
    begun.join().unwrap();
    let content = |path: &Path| -> String {
        let store = Connection::open(path).unwrap();
        store.query_row("SELECT content FROM notes", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(content(&shelf.newest().unwrap().path), "before");
    assert_eq!(content(&path), "after");
    // There is one of today now.
    assert!(shelf.take_beside(When::Daily).unwrap().is_none());
}

#[test]
fn where_a_copy_would_hold_back_writers_it_is_taken_at_once() {
    let place = Place::new();
    let shelf = place.shelf(Family::Native);
    place.change(Family::Native, "PRAGMA journal_mode = DELETE");
    while shelf.newest().is_none() {
        assert!(shelf.take_beside(When::Daily).unwrap().is_none());
    }
}
