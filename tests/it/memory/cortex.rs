//! What Cortex's store answers, in every era of its schema.

use ringfence::decision::Doubt;
use ringfence::memory::store::{CortexStore, Sitting};
use ringfence::memory::{Circle, Memory};
use ringfence::request::Caller;

use super::cortex_store;
use crate::support::corpus;

fn caller(agent: &str) -> Caller {
    Caller {
        session: "host".into(),
        agent: (agent != "-").then(|| agent.into()),
        child_of: (agent == "-").then(|| "parent".into()),
        ..Caller::default()
    }
}

fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

fn said<T>(answer: Result<T, Doubt>, show: impl Fn(T) -> String) -> String {
    match answer {
        Ok(value) => show(value),
        Err(doubt) => format!("?{}", doubt.code.as_str()),
    }
}

fn label(kind: &str, subject: Option<&str>) -> String {
    subject.map_or(kind.to_owned(), |subject| format!("{kind}[{subject}]"))
}

fn ids(notes: Vec<ringfence::memory::Note>) -> String {
    let ids: Vec<_> = notes.into_iter().map(|note| note.id).collect();
    if ids.is_empty() { "-".into() } else { ids.join(" ") }
}

fn circle(mut found: Circle, scope: bool) -> String {
    found.sessions.sort();
    let mut text = format!("{}, writes {}", found.sessions.join(" "), found.writer);
    if scope {
        text.push_str(&format!(" in {}", or_dash(found.scope.as_deref())));
    }
    if found.stranger {
        text = "stranger".into();
    }
    if let Some(limit) = found.ended_before {
        text.push_str(&format!(", foreign if ended before {limit}"));
    }
    text
}

fn answer(store: &CortexStore, question: &str, argument: &str) -> String {
    match question {
        "circle" => said(store.circle(&caller(argument)), |found| circle(found, true)),
        "note" => said(store.note(argument), |found| {
            found.map_or("-".into(), |note| {
                format!(
                    "{} {} {} {}{} {}",
                    note.id,
                    label(&note.kind, note.subject.as_deref()),
                    note.session,
                    note.status,
                    if note.contested { " contested" } else { "" },
                    or_dash(note.scope.as_deref())
                )
            })
        }),
        "item" => said(store.item(argument), |found| {
            found.map_or("-".into(), |item| {
                format!(
                    "{} {} {} {}",
                    item.id,
                    label(&item.kind, item.subject.as_deref()),
                    or_dash(item.session.as_deref()),
                    or_dash(item.scope.as_deref())
                )
            })
        }),
        "active_on" => said(store.active_on(argument), |mut notes| {
            notes.sort_by(|left, right| left.id.cmp(&right.id));
            ids(notes)
        }),
        "active_like" => said(store.active_like(argument), ids),
        "session" => said(store.session(argument), |found| {
            found.map_or("-".into(), |session| {
                format!(
                    "{} parent {} scope {} ended {}",
                    session.id,
                    or_dash(session.parent.as_deref()),
                    or_dash(session.scope.as_deref()),
                    or_dash(session.ended_at.as_deref())
                )
            })
        }),
        other => panic!("no such question: {other}"),
    }
}

#[test]
fn stores_of_every_era_answer_what_they_hold() {
    let dir = tempfile::tempdir().unwrap();
    for row in corpus("stores/lookups.tsv").lines().filter(|row| !row.starts_with('#')) {
        let [era, question, argument, expected] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}")
        };
        let path = dir.path().join(format!("{era}/cortex.db"));
        if !path.exists() {
            cortex_store(&path, era, "");
        }
        let store = CortexStore::open(&path, Sitting::default()).unwrap();
        assert_eq!(answer(&store, question, argument), expected, "{row}");
    }
}

#[test]
fn a_circle_is_the_callers_own_and_a_rotated_row_makes_it_careful() {
    for row in corpus("stores/circles.tsv").lines().filter(|row| !row.starts_with('#')) {
        let [sql, first_seen, agents, agent, expected] = row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("five columns: {row}")
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cortex.db");
        cortex_store(&path, "v6", sql);
        let (first_seen, restarted) = match first_seen.strip_suffix(" and again") {
            Some(first) => (first, true),
            None => (first_seen, false),
        };
        let sitting = Sitting {
            first_seen: (first_seen != "-").then(|| first_seen.into()),
            restarted,
            agents: agents.split_whitespace().map(str::to_owned).collect(),
        };
        let store = CortexStore::open(&path, sitting).unwrap();
        let found =
            said(store.circle(&caller(agent)), |found| circle(found, expected.contains(" in ")));
        assert_eq!(found, expected, "{row}");
    }
}

#[test]
fn contents_that_are_no_text_are_still_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cortex.db");
    let sql = "UPDATE notes SET content = x'ff00fe' WHERE id = 'F'; \
               UPDATE notes SET content = 42 WHERE id = 'O';";
    cortex_store(&path, "v6", sql);
    let store = CortexStore::open(&path, Sitting::default()).unwrap();
    let content = |id: &str| store.note(id).unwrap().unwrap().content;
    assert_eq!(content("F"), "\u{fffd}\0\u{fffd}");
    assert_eq!(content("O"), "42");
}

#[test]
fn looking_things_up_changes_no_byte_of_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cortex.db");
    cortex_store(&path, "v6", "");
    let before = std::fs::read(&path).unwrap();
    let store = CortexStore::open(&path, Sitting::default()).unwrap();
    assert!(store.item("F").unwrap().is_some());
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
