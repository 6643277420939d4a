//! Finding notes in our own store, and bringing them back.

use ringfence::memory::store::native::{Filter, Recall, StoreError, Which};

use super::native::Store;

fn filter() -> Filter {
    Filter { limit: 10, ..Filter::default() }
}

/// The texts that a search finds.
fn found(store: &Store, text: &str, filter: &Filter) -> (i64, Vec<String>) {
    let page = store.reader().search(text, filter).unwrap();
    (page.total, page.entries.into_iter().map(|entry| entry.content).collect())
}

#[test]
fn all_words_must_be_there_in_any_of_their_forms() {
    let mut store = Store::new();
    store.note("decision", "retry ceiling", "Retries stop after sixty seconds.", Some("b"));
    store.note("decision", "queue", "The queue's retries are bounded at 500.", Some("b"));
    store.note("insight", "été", "Die Übertragung läuft über SSH.", Some("b"));
    for (text, expected) in [
        (
            "retrying",
            vec!["Retries stop after sixty seconds.", "The queue's retries are bounded at 500."],
        ),
        ("retry queues", vec!["The queue's retries are bounded at 500."]),
        ("\"after sixty\"", vec!["Retries stop after sixty seconds."]),
        ("\"sixty after\"", vec![]),
        ("uber*", vec!["Die Übertragung läuft über SSH."]),
        ("UBERTRAGUNG ete", vec!["Die Übertragung läuft über SSH."]),
        ("absent", vec![]),
        ("retry AND", vec![]),
        ("-- '", vec![]),
        ("notes_fts:retry", vec![]),
    ] {
        let expected = expected.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(found(&store, text, &filter()).1, expected, "{text}");
    }
}

#[test]
fn a_search_is_filtered_counted_and_paged() {
    let mut store = Store::new();
    for number in 0..5 {
        store.note("decision", &format!("subject {number}"), "the same words", Some("b"));
    }
    store.note("blocker", "subject 9", "the same words", Some("c"));
    let only = |filter: Filter| found(&store, "words", &filter);
    assert_eq!(only(Filter { limit: 2, ..filter() }).0, 6);
    assert_eq!(only(Filter { offset: 4, ..filter() }).1.len(), 2);
    assert_eq!(only(Filter { kinds: vec!["blocker".into()], ..filter() }).0, 1);
    assert_eq!(only(Filter { scope: Some("c".into()), ..filter() }).0, 1);
    assert_eq!(only(Filter { subject: Some(" SUBJECT 3".into()), ..filter() }).0, 1);
    assert_eq!(only(Filter { session: Some("nobody".into()), ..filter() }).0, 0);
    assert_eq!(only(Filter { agent: Some("a".into()), ..filter() }).0, 6);
    assert_eq!(only(Filter { contested: true, ..filter() }).0, 0);
    assert_eq!(only(Filter { since: Some("2026-12-01T08:00:05.000Z".into()), ..filter() }).0, 2);
}

fn recall(store: &Store, text: &str, change: impl FnOnce(&mut Recall)) -> Vec<String> {
    let mut order = Recall {
        text: text.into(),
        scope: Some("b".into()),
        limit: 10,
        tokens: 10_000,
        now: "2026-12-02T08:00:00.000Z".into(),
        ..Recall::default()
    };
    change(&mut order);
    let recalled = store.reader().recall(&order).unwrap();
    recalled.into_iter().map(|one| one.entry.content).collect()
}

#[test]
fn recall_puts_what_says_most_first_and_keeps_to_its_bounds() {
    let mut store = Store::new();
    for number in 0..40 {
        store.note("insight", &format!("note {number}"), "a server restarts", Some("b"));
    }
    store.note("decision", "retry ceiling", "sixty seconds", Some("b"));
    store.note("insight", "other", "the server's retry log", Some("b"));
    let first = |text: &str| recall(&store, text, |_| ()).first().cloned();
    assert_eq!(first("What is the retry ceiling of the server?").as_deref(), Some("sixty seconds"));
    assert_eq!(first("server retry log").as_deref(), Some("the server's retry log"));
    assert_eq!(recall(&store, "absent", |_| ()), Vec::<String>::new());
    assert_eq!(recall(&store, "server", |order| order.limit = 3).len(), 3);
    // 24 for the note, the rest for its text.
    assert_eq!(recall(&store, "server", |order| order.tokens = 90).len(), 2);
    assert_eq!(recall(&store, "retry log", |order| order.tokens = 26), ["the serv…"]);
    assert_eq!(recall(&store, "server", |order| order.kinds = vec!["decision".into()]).len(), 0);
    // Without a word: what is newest.
    assert_eq!(recall(&store, "?", |order| order.limit = 1), ["the server's retry log"]);
}

#[test]
fn recall_leaves_out_what_is_retired_unless_asked() {
    let mut store = Store::new();
    store.note("decision", "ceiling", "sixty seconds", Some("b"));
    store.note("decision", "ceiling", "thirty seconds", Some("b"));
    assert_eq!(recall(&store, "ceiling", |_| ()), ["thirty seconds"]);
    let both = recall(&store, "ceiling", |order| order.retired = true);
    assert_eq!(both, ["thirty seconds", "sixty seconds"]);
}

#[test]
fn a_brief_begins_with_what_is_contested_and_in_focus() {
    let mut store = Store::new();
    store.note("insight", "i", "an insight", Some("b"));
    store.note("decision", "d", "a decision", Some("b"));
    store.note("decision", "far", "of another branch", Some("c"));
    store.note("focus", "f", "a focus", Some("b"));
    store.note("decision", "c", "The ceiling is sixty seconds.", Some("b"));
    store.note("decision", "c", "The ceiling is not sixty seconds.", Some("b"));
    let brief = |tokens| -> Vec<String> {
        let entries = store.reader().brief(Some("b"), tokens).unwrap();
        entries.into_iter().map(|entry| entry.content).collect()
    };
    assert_eq!(
        brief(10_000),
        [
            "The ceiling is not sixty seconds.",
            "The ceiling is sixty seconds.",
            "a focus",
            "a decision",
            "an insight",
            "of another branch",
        ]
    );
    assert_eq!(brief(70).len(), 2);
}

#[test]
fn a_restore_takes_the_last_change_back_whatever_it_was() {
    let mut store = Store::new();
    let id = store.note("decision", "x", "one", Some("b")).id;
    let author = store.author("t", Some("b"));
    store.writer.edit(&id, "two", &author).unwrap();
    store.resolve(Which::Id(&id)).unwrap();
    let now = |store: &Store| {
        let entry = store.reader().entry(&id).unwrap();
        (entry.content, entry.status, entry.session)
    };
    let back = |store: &mut Store, at: Option<&str>| {
        let author = store.author("t", Some("b"));
        store.writer.restore(&id, at, &author)
    };
    let state = |text: &str, status: &str| (text.to_owned(), status.to_owned(), "s".to_owned());
    back(&mut store, None).unwrap();
    assert_eq!(now(&store), state("two", "active"));
    let author = store.author("t", None);
    store.writer.delete(&id, &author).unwrap();
    let restored = back(&mut store, None).unwrap();
    assert!(restored.was_deleted && restored.changed);
    assert_eq!(now(&store), state("two", "active"));
    // By time: written in second 1, edited in 2, resolved in 3.
    for (second, text, status) in
        [(1, "one", "active"), (2, "two", "active"), (3, "two", "resolved")]
    {
        back(&mut store, Some(&format!("2026-12-01T08:00:0{second}.500Z"))).unwrap();
        assert_eq!(now(&store), state(text, status), "{second}");
    }
    let early = back(&mut store, Some("2026-12-01T07:00:00.000Z")).unwrap_err();
    assert!(matches!(early, StoreError::NotThen { .. }), "{early}");
    assert!(!back(&mut store, Some("2027-01-01T00:00:00.000Z")).unwrap().changed);
    let author = store.author("t", None);
    let nobody = store.writer.restore("nobody", None, &author).unwrap_err();
    assert!(matches!(nobody, StoreError::NoSuchNote(_)), "{nobody}");
    let actions: Vec<String> =
        store.reader().history(&id).unwrap().into_iter().map(|change| change.action).collect();
    insta::assert_snapshot!(actions.join(" "), @"create edit resolve restore delete restore restore restore restore");
}

#[test]
fn a_restored_note_is_found_again_and_its_rivals_are_named() {
    let mut store = Store::new();
    let old = store.note("decision", "ceiling", "sixty", Some("b")).id;
    let new = store.note("decision", "ceiling", "thirty", Some("b")).id;
    let author = store.author("t", Some("b"));
    let restored = store.writer.restore(&old, None, &author).unwrap();
    assert_eq!((restored.entry.status.as_str(), restored.rivals), ("active", vec![new]));
    store.writer.delete(&old, &author).unwrap();
    assert_eq!(found(&store, "sixty", &filter()).0, 0);
    store.writer.restore(&old, None, &author).unwrap();
    assert_eq!(found(&store, "sixty", &filter()).0, 1);
    store.check();
}

#[test]
fn a_note_that_was_never_changed_is_what_it_was() {
    let mut store = Store::new();
    let id = store.note("decision", "x", "one", Some("b")).id;
    let author = store.author("t", Some("b"));
    assert!(!store.writer.restore(&id, None, &author).unwrap().changed);
}

#[test]
fn a_replacement_takes_the_place_of_one_note_in_one_step() {
    let mut store = Store::new();
    let id = store.note("decision", "c", "The ceiling is sixty seconds.", Some("b")).id;
    let author = store.author("t", Some("b"));
    let text = "The ceiling is not sixty seconds.";
    let (changed, written) =
        store.writer.replace(Which::Id(&id), "resolved", text, &author).unwrap();
    assert_eq!((changed.before.id.as_str(), written.superseded.len()), (id.as_str(), 0));
    assert_eq!(written.contested, Vec::<String>::new());
    assert_eq!([store.status(&id), store.status(&written.id)], ["resolved", "active"]);
    let entry = store.reader().entry(&written.id).unwrap();
    assert_eq!((entry.kind.as_str(), entry.subject.as_deref()), ("decision", Some("c")));
}

#[test]
fn the_log_holds_the_changes_of_all_notes_with_their_names() {
    let mut store = Store::new();
    let gone = store.note("decision", "x", "one", Some("b")).id;
    store.note("insight", "y", "two", Some("b"));
    let author = store.author("t", None);
    store.writer.delete(&gone, &author).unwrap();
    let shown = |count, session: Option<&str>| {
        let changes = store.reader().log(count, session).unwrap();
        let line = |one: ringfence::memory::store::native::Logged| {
            let (kind, subject) =
                (one.kind.unwrap_or("-".into()), one.subject.unwrap_or("-".into()));
            format!("{} {kind} {subject} {}", one.change.action, one.change.session)
        };
        changes.into_iter().map(line).collect::<Vec<_>>().join("\n")
    };
    // Of a deleted note the row of its deletion still knows the name.
    insta::assert_snapshot!(shown(10, None), @"
    create - - s
    create insight y s
    delete decision x t
    ");
    assert_eq!(shown(1, None), "delete decision x t");
    assert_eq!(shown(10, Some("t")), "delete decision x t");
}

#[test]
fn a_store_that_was_not_closed_is_checked_before_it_is_used() {
    let store = Store::new();
    let dir = store.dir.path().to_owned();
    let markers = || {
        let names = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains(".open-")).count()
    };
    assert_eq!(markers(), 1);
    let path = store.path();
    drop(store.writer);
    assert_eq!(markers(), 0);
    // A process that is gone: no process has this number and start.
    std::fs::write(dir.join("memory.db.open-1-7-0"), "").unwrap();
    drop(ringfence::memory::store::native::Writer::open(&path).unwrap());
    assert_eq!(markers(), 0);
    // Damaged meanwhile: nothing is written, and it stays marked until it is whole again.
    std::fs::write(dir.join("memory.db.open-1-7-0"), "").unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut torn = whole.clone();
    let end = torn.len();
    torn[end - 4096..].fill(0x5a);
    std::fs::write(&path, &torn).unwrap();
    let error = ringfence::memory::store::native::Writer::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::Damaged(_)), "{error}");
    assert_eq!(markers(), 1);
    std::fs::write(&path, &whole).unwrap();
    drop(ringfence::memory::store::native::Writer::open(&path).unwrap());
    assert_eq!(markers(), 0);
}
