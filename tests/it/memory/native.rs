//! Our own store: what its writes do, what they leave behind, and what a crash leaves.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ringfence::decision::Code;
use ringfence::memory::store::native::{
    Author, Changed, Draft, Filter, Reader, StoreError, Which, Writer, Written,
};
use ringfence::memory::store::{NativeStore, Project};
use ringfence::memory::{Memory, Note};
use ringfence::request::Caller;
use ringfence::state::{CallRecord, SessionRecord, State};
use rusqlite::Connection;

/// A store in a folder of its own, and a clock that ticks once a change.
pub(super) struct Store {
    pub(super) dir: tempfile::TempDir,
    pub(super) writer: Writer,
    second: u32,
}

impl Store {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let writer = Writer::open(&dir.path().join("memory.db")).unwrap();
        Self { dir, writer, second: 0 }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("memory.db")
    }

    pub(super) fn author(&mut self, session: &str, scope: Option<&str>) -> Author {
        self.second += 1;
        Author {
            session: session.into(),
            agent: Some("a".into()),
            scope: scope.map(str::to_owned),
            call: Some(format!("toolu_{}", self.second)),
            pid: None,
            at: format!("2026-12-01T08:00:{:02}.000Z", self.second),
        }
    }

    pub(super) fn note(
        &mut self,
        kind: &str,
        subject: &str,
        content: &str,
        scope: Option<&str>,
    ) -> Written {
        let author = self.author("s", scope);
        let draft = Draft {
            kind: kind.into(),
            subject: Some(subject.into()),
            content: content.into(),
            alternatives: vec!["another".into()],
        };
        self.writer.note(&draft, &author).unwrap()
    }

    pub(super) fn resolve(&mut self, which: Which<'_>) -> Result<Changed, StoreError> {
        let author = self.author("t", Some("b"));
        self.writer.resolve(which, "resolved", &author)
    }

    pub(super) fn reader(&self) -> Reader {
        Reader::open(&self.path()).unwrap().unwrap()
    }

    pub(super) fn status(&self, id: &str) -> String {
        let entry = self.reader().entry(id).unwrap();
        format!("{}{}", entry.status, if entry.conflict { " contested" } else { "" })
    }

    pub(super) fn check(&self) {
        assert_eq!(self.sql("PRAGMA integrity_check"), ["ok"]);
    }

    fn sql(&self, sql: &str) -> Vec<String> {
        let connection = Connection::open(self.path()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

fn memory(path: &Path, state: &State, scope: Option<&str>) -> NativeStore {
    NativeStore::open(path, state.clone(), scope.map(str::to_owned)).unwrap()
}

#[test]
fn a_decision_retires_the_ones_of_its_kind_subject_and_scope() {
    let mut store = Store::new();
    let old = store.note("decision", "Retry Ceiling", "sixty", Some("branch:a")).id;
    let far = store.note("decision", "retry ceiling", "ninety", Some("branch:b")).id;
    let intent = store.note("intent", "retry ceiling", "lower it", Some("branch:a")).id;
    let other = store.note("decision", "retry  ceiling", "other subject", Some("branch:a")).id;
    let new = store.note("decision", " retry ceiling\u{a0}", "thirty", Some("branch:a"));
    assert_eq!(new.superseded, std::slice::from_ref(&old));
    assert_eq!(new.contested, Vec::<String>::new());
    let statuses = [old, far, intent, other, new.id].map(|id| store.status(&id));
    assert_eq!(statuses, ["superseded", "active", "active", "active", "active"]);
}

#[test]
fn a_write_of_unknown_scope_retires_nothing() {
    let mut store = Store::new();
    let old = store.note("decision", "x", "one", None).id;
    assert_eq!(store.note("decision", "x", "two", None).superseded, Vec::<String>::new());
    assert_eq!(store.status(&old), "active");
}

#[test]
fn a_contradiction_contests_and_resolving_one_side_settles_it() {
    let mut store = Store::new();
    let sixty = store.note("decision", "c", "The ceiling is sixty seconds.", Some("b")).id;
    let not = store.note("decision", "c", "The ceiling is not sixty seconds.", Some("b"));
    assert_eq!((not.superseded, not.contested), (Vec::new(), vec![sixty.clone()]));
    assert_eq!(store.status(&sixty), "active contested");
    assert_eq!(store.status(&not.id), "active contested");

    let refused = store.resolve(Which::Subject("C ")).unwrap_err();
    let StoreError::Ambiguous { ids, .. } = refused else { panic!("{refused}") };
    assert_eq!(ids, [not.id.clone(), sixty.clone()]);

    let changed = store.resolve(Which::Id(&sixty)).unwrap();
    assert_eq!((changed.changed, changed.settled), (true, vec![not.id.clone()]));
    assert_eq!(store.status(&sixty), "resolved");
    assert_eq!(store.status(&not.id), "active");
}

#[test]
fn a_subject_means_its_newest_active_note_in_any_scope() {
    let mut store = Store::new();
    store.note("decision", "x", "one", Some("branch:a"));
    let newest = store.note("blocker", "x", "two", Some("branch:b")).id;
    assert_eq!(store.resolve(Which::Subject(" X")).unwrap().before.id, newest);
    for nothing in ["y", " ", ""] {
        let error = store.resolve(Which::Subject(nothing)).unwrap_err();
        assert!(matches!(error, StoreError::NoSuchSubject(_)), "{nothing:?}: {error}");
    }
}

#[test]
fn each_change_leaves_the_text_before_who_when_and_by_which_call() {
    let mut store = Store::new();
    let id = store.note("decision", "x", "one", Some("b")).id;
    let author = store.author("t", Some("b"));
    assert!(store.writer.edit(&id, "two", &author).unwrap().changed);
    assert!(!store.writer.edit(&id, "two", &author).unwrap().changed);
    assert!(store.resolve(Which::Id(&id)).unwrap().changed);
    assert!(!store.resolve(Which::Id(&id)).unwrap().changed);
    let author = store.author("u", None);
    store.writer.delete(&id, &author).unwrap();

    let history: Vec<String> = store
        .reader()
        .history(&id)
        .unwrap()
        .into_iter()
        .map(|change| {
            let agent = change.agent.unwrap_or_default();
            let call = change.tool_use_id.unwrap_or_default();
            let before = change.before.unwrap_or("-".into());
            let second = change.at.get(17..19).unwrap().to_owned();
            format!("{second} {} {before} {} {agent} {call}", change.action, change.session)
        })
        .collect();
    insta::assert_snapshot!(history.join("\n"), @"
    01 create - s a toolu_1
    02 edit one t a toolu_2
    03 resolve two t a toolu_3
    05 delete two u a toolu_5
    ");
    let row = store.sql("SELECT row_before FROM note_history WHERE action = 'delete'").remove(0);
    insta::assert_snapshot!(row, @r#"{"agent":"a","alternatives":["another"],"conflict":false,"created_at":"2026-12-01T08:00:01.000Z","kind":"decision","scope":"b","session":"s","status":"resolved","subject":"x","updated_at":"2026-12-01T08:00:03.000Z"}"#);
    let gone = store.reader().entry(&id).unwrap_err();
    assert!(matches!(gone, StoreError::Deleted { .. }), "{gone}");
}

#[test]
fn history_cannot_be_removed_or_changed_by_statements() {
    let mut store = Store::new();
    store.note("decision", "x", "one", None);
    let connection = Connection::open(store.path()).unwrap();
    for sql in ["DELETE FROM note_history", "UPDATE note_history SET before = 'x'"] {
        connection.execute_batch(sql).unwrap_err();
    }
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut store = Store::new();
    store.note("decision", "x", "one", None);
    let author = store.author("new session", None);
    let wrong = Draft {
        kind: "wish".into(),
        subject: Some("x".into()),
        content: "two".into(),
        alternatives: Vec::new(),
    };
    store.writer.note(&wrong, &author).unwrap_err();
    store.writer.edit("nobody", "two", &author).unwrap_err();
    store.writer.delete("nobody", &author).unwrap_err();
    assert_eq!(store.sql("SELECT action FROM note_history"), ["create"]);
    assert_eq!(store.sql("SELECT id FROM sessions"), ["s"]);
}

#[test]
fn the_text_index_follows_every_change() {
    let mut store = Store::new();
    let id = store.note("decision", "ceiling", "retries are bounded", None).id;
    let hits = |store: &Store, word: &str| {
        store.sql(&format!("SELECT content FROM notes_fts WHERE notes_fts MATCH '{word}'")).len()
    };
    assert_eq!(["retry", "ceiling", "queue"].map(|word| hits(&store, word)), [1, 1, 0]);
    let author = store.author("s", None);
    store.writer.edit(&id, "queues are bounded", &author).unwrap();
    assert_eq!(["retry", "ceiling", "queue"].map(|word| hits(&store, word)), [0, 1, 1]);
    store.writer.delete(&id, &author).unwrap();
    assert_eq!(["retry", "ceiling", "queue"].map(|word| hits(&store, word)), [0, 0, 0]);
    let connection = Connection::open(store.path()).unwrap();
    connection
        .execute_batch("INSERT INTO notes_fts (notes_fts) VALUES ('integrity-check')")
        .unwrap();
}

#[test]
fn lists_are_filtered_counted_and_newest_first() {
    let mut store = Store::new();
    let one = store.note("decision", "x", "one", Some("b")).id;
    let two = store.note("decision", "x", "two", Some("b")).id;
    let three = store.note("intent", "x", "three", Some("b")).id;
    let list = |kinds: &[&str], statuses: &[&str], limit, offset| {
        let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect();
        let filter = Filter {
            kinds: words(kinds),
            statuses: words(statuses),
            limit,
            offset,
            ..Filter::default()
        };
        let page = store.reader().list(&filter).unwrap();
        (page.total, page.entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>())
    };
    assert_eq!(list(&[], &[], 9, 0), (3, vec![three.clone(), two.clone(), one.clone()]));
    assert_eq!(list(&["decision"], &["active"], 9, 0), (1, vec![two.clone()]));
    assert_eq!(list(&["decision", "intent"], &["superseded", "active"], 1, 1), (3, vec![two]));
    assert_eq!(list(&["focus"], &[], 9, 0), (0, vec![]));
    assert_eq!(list(&[], &[], 0, 0), (3, vec![]));
    assert_eq!(list(&[], &[], usize::MAX, usize::MAX), (3, vec![]));
}

#[test]
fn the_guard_sees_our_notes_as_they_are() {
    let mut store = Store::new();
    let id = store.note("decision", " Été ", "one", Some("branch:a")).id;
    let state = State::at(store.dir.path().join("state"));
    let seen = memory(&store.path(), &state, Some("branch:a"));
    let expected = Note {
        id: id.clone(),
        session: "s".into(),
        agent: Some("a".into()),
        kind: "decision".into(),
        subject: Some("été".into()),
        content: "one".into(),
        status: "active".into(),
        contested: false,
        scope: Some("branch:a".into()),
        created_at: "2026-12-01T08:00:01.000Z".into(),
    };
    assert_eq!(seen.note(&id).unwrap(), Some(expected.clone()));
    assert_eq!(seen.active_on("été").unwrap(), std::slice::from_ref(&expected));
    assert_eq!(seen.active_like("  ÉTÉ").unwrap(), [expected]);
    assert_eq!(seen.active_on("Été").unwrap(), []);
    let item = seen.item(&id).unwrap().unwrap();
    assert_eq!((item.session.as_deref(), item.agent.as_deref()), (Some("s"), Some("a")));
    assert_eq!(seen.item("notes:x").unwrap(), None);
    assert_eq!(seen.session("s").unwrap().unwrap().id, "s");
    assert_eq!(seen.session("nobody").unwrap(), None);
}

fn record(session: &str, cwd: &Path, child_of: Option<&str>) -> SessionRecord {
    SessionRecord {
        session: session.into(),
        first_seen: "2026-12-01T07:00:00.000Z".into(),
        cwd: cwd.to_str().unwrap().into(),
        scope: Some("branch:a".into()),
        child_of: child_of.map(str::to_owned),
        ..SessionRecord::default()
    }
}

#[test]
fn a_circle_is_the_host_session_with_its_child_sessions() {
    let store = Store::new();
    let state = State::at(store.dir.path().join("state"));
    for (session, parent) in [("p", None), ("c", Some("p")), ("d", Some("c")), ("x", None)] {
        state.record_session(record(session, store.dir.path(), parent)).unwrap();
    }
    // One child is known from the store only.
    Connection::open(store.path())
        .unwrap()
        .execute_batch("INSERT INTO sessions (id, parent, started_at) VALUES ('e', 'p', '2026')")
        .unwrap();
    let seen = memory(&store.path(), &state, Some("branch:a"));
    let circle = |session: &str, agent: Option<&str>, child_of: Option<&str>| {
        let caller = Caller {
            session: session.into(),
            agent: agent.map(str::to_owned),
            child_of: child_of.map(str::to_owned),
            ..Caller::default()
        };
        let circle = seen.circle(&caller).unwrap();
        assert_eq!(circle.scope.as_deref(), Some("branch:a"));
        assert_eq!(circle.ended_before, None);
        (circle.sessions.join(" "), circle.writer)
    };
    assert_eq!(circle("p", Some("a"), None), ("c d e p".into(), "p".into()));
    assert_eq!(circle("d", None, Some("c")), ("c d e p".into(), "d".into()));
    assert_eq!(circle("x", Some("a"), None), ("x".into(), "x".into()));
    assert_eq!(circle("unknown", Some("a"), None), ("unknown".into(), "unknown".into()));
    // Known from the state directory alone.
    assert_eq!(seen.session("x").unwrap().unwrap().scope.as_deref(), Some("branch:a"));
}

#[test]
fn the_spool_of_this_project_is_taken_in_once() {
    let mut store = Store::new();
    let root = store.dir.path().canonicalize().unwrap();
    let state = State::at(root.join("state"));
    let (here, there) = (root.join("here"), root.join("there"));
    for dir in [&here, &there] {
        std::fs::create_dir(dir).unwrap();
    }
    state.record_session(record("p", &here, None)).unwrap();
    state.record_session(record("q", &there, None)).unwrap();
    for (call, cwd) in [("toolu_1", &here), ("toolu_2", &here), ("toolu_3", &there)] {
        let record = CallRecord {
            at: "2026-12-01T08:00:00.000Z".into(),
            event: "call".into(),
            session: "p".into(),
            call: call.into(),
            agent: Some("a".into()),
            cwd: cwd.to_str().unwrap().into(),
            ..CallRecord::default()
        };
        state.append_call(&record).unwrap();
    }
    let project = Project::of(&here, None).id;
    for _ in 0..2 {
        store.writer.take_in(&state, &project).unwrap();
    }
    assert_eq!(store.sql("SELECT id FROM sessions"), ["p"]);
    assert_eq!(store.sql("SELECT call FROM calls ORDER BY seq"), ["toolu_1", "toolu_2"]);
    // What became known later is taken in later.
    let mut ended = record("p", &here, None);
    ended.ended = "2026-12-01T09:00:00.000Z".into();
    state.record_session(ended).unwrap();
    store.writer.take_in(&state, &project).unwrap();
    assert_eq!(store.sql("SELECT ended_at FROM sessions"), ["2026-12-01T09:00:00.000Z"]);
}

#[test]
fn a_store_of_another_schema_is_a_doubt_and_stays_as_it_is() {
    let store = Store::new();
    let state = State::at("/nonexistent");
    for version in [0, 1, 99] {
        let connection = Connection::open(store.path()).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let before = std::fs::read(store.path()).unwrap();
        let doubt = NativeStore::open(&store.path(), state.clone(), None).err().unwrap();
        assert_eq!(doubt.code, Code::StoreSchema, "{version}");
        assert_eq!(std::fs::read(store.path()).unwrap(), before, "{version}");
    }
}

/// Starts this test binary's `write_notes` on a store.
fn start_writer(path: &Path, count: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::native::write_notes", "--nocapture", "--ignored"])
        .env("RINGFENCE_PROBE", path)
        .env("RINGFENCE_PROBE_COUNT", count.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "a part of the tests below, run by them in a child"]
fn write_notes() {
    let path = PathBuf::from(std::env::var("RINGFENCE_PROBE").unwrap());
    let count: u32 = std::env::var("RINGFENCE_PROBE_COUNT").unwrap().parse().unwrap();
    for number in 0..count {
        let draft = Draft {
            kind: "decision".into(),
            subject: Some("x".into()),
            content: format!("{number} {}", "long ".repeat(400)),
            alternatives: Vec::new(),
        };
        let author = Author {
            session: std::process::id().to_string(),
            agent: None,
            scope: Some("b".into()),
            call: None,
            pid: None,
            at: "2026-12-01T08:00:00.000Z".into(),
        };
        let written = Writer::open(&path).unwrap().note(&draft, &author).unwrap();
        println!("written={}", written.id);
    }
}

fn check_whole(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let notes = count("SELECT count(*) FROM notes");
    let active = count("SELECT count(*) FROM notes WHERE status = 'active'");
    let created = count("SELECT count(*) FROM note_history WHERE action = 'create'");
    let retired = count("SELECT count(*) FROM note_history WHERE action = 'supersede'");
    // Each write is whole: the note, its history, and the one that it retired.
    assert_eq!((active, created, retired), (1, notes, notes - 1));
}

#[test]
fn a_writer_killed_in_mid_write_loses_nothing_that_it_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let mut reported = Vec::new();
    for round in 1..=4 {
        let mut child = start_writer(&path, 10_000);
        let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let ids = lines
            .map(Result::unwrap)
            .filter_map(|line| line.split_once("written=").map(|(_, id)| id.to_owned()));
        reported.extend(ids.take(5 * round));
        // It is in its next write now, somewhere.
        child.kill().unwrap();
        child.wait().unwrap();
        check_whole(&path);
        let reader = Reader::open(&path).unwrap().unwrap();
        for id in &reported {
            reader.entry(id).unwrap();
        }
    }
}

#[test]
fn writers_at_once_all_succeed_from_the_first_note_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/memory.db");
    let children: Vec<Child> = (0..3).map(|_| start_writer(&path, 20)).collect();
    let mut written = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        written += String::from_utf8_lossy(&output.stdout).matches("written=").count();
    }
    assert_eq!(written, 60);
    check_whole(&path);
}
