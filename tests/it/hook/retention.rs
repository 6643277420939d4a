//! What the hook leaves is kept for a time, and nothing else is ever removed.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ringfence::state::{Grant, NAMES, SessionRecord, State};

use crate::support::Home;

const STATE: &str = ".local/state/ringfence";

fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}

/// A file of the given age.
fn aged(home: &Home, below: &str, text: &str, age: Duration) -> PathBuf {
    let path = home.file(&format!("{STATE}/{below}"), text);
    File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
    path
}

fn session(id: &str) -> String {
    serde_json::to_string(&SessionRecord { session: id.to_owned(), ..SessionRecord::default() })
        .unwrap()
}

fn grant(until: i64) -> String {
    let grant = Grant {
        session: "s".into(),
        store: "/m.db".into(),
        id: "n".into(),
        action: "any".into(),
        until,
    };
    serde_json::to_string(&grant).unwrap()
}

fn tidy(home: &Home) -> usize {
    State::at(home.path().join(STATE)).tidy()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// This test's own process, as a client's record.
fn running_client(session: &str) -> (String, String) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let start: u64 =
        stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
    (
        format!("pid-{}.client", std::process::id()),
        format!(r#"{{"start":{start},"session":"{session}"}}"#),
    )
}

#[test]
fn what_is_old_goes_and_what_may_be_needed_stays() {
    let home = Home::new();
    let (client, record) = running_client("runs");
    let hour = Duration::from_secs(3_601);
    let mut rows = Vec::new();
    for (stays, below, text, age) in [
        (false, "sessions/old.json", session("old"), days(91)),
        (false, "sessions/old.child", "parent".into(), days(91)),
        (false, "sessions/stray.child", "parent".into(), days(91)),
        (true, "sessions/young.json", session("young"), days(89)),
        (true, "sessions/young.child", "parent".into(), days(200)),
        (true, "sessions/runs.json", session("runs"), days(400)),
        (true, "sessions/runs.child", "parent".into(), days(400)),
        (true, &format!("sessions/{client}"), record, days(400)),
        (false, "sessions/pid-4194303.client", r#"{"start":1,"session":"old"}"#.into(), days(8)),
        (
            true,
            "sessions/pid-4194302.client",
            r#"{"start":1,"session":"container"}"#.into(),
            days(6),
        ),
        (false, "sessions/old.json.4711", "{".into(), hour),
        (true, "sessions/young.json.4711", "{".into(), Duration::ZERO),
        // Whatever it is, it is no record of the session that its name says.
        (true, "sessions/theirs.json", "{}".into(), days(900)),
        (true, "sessions/copy.json", session("old"), days(900)),
        (true, "sessions/notes.txt", "mine".into(), days(900)),
        (true, "sessions/pid-x.client", "mine".into(), days(900)),
        (true, "grants/holds.json", grant(i64::MAX), days(900)),
        (false, "grants/ran-out.json", grant(1), days(2)),
        (false, "grants/a.used-t1", grant(i64::MAX), days(2)),
        (true, "grants/b.used-t2", grant(i64::MAX), hour),
        (true, "grants/theirs.used-t3", "mine".into(), days(900)),
        (true, "grants/theirs.json", "{}".into(), days(900)),
        (false, "claims/0123456789abcdef0123456789abcdef", String::new(), hour),
        (true, "claims/1123456789abcdef0123456789abcdef", String::new(), Duration::ZERO),
        (true, "claims/mine", String::new(), days(900)),
        (false, "log.jsonl.1", "{}\n".into(), days(91)),
        (true, "calls.jsonl.1", "{}\n".into(), days(89)),
        (true, "log.jsonl", "{}\n".into(), days(900)),
        (true, "off", "0".into(), days(900)),
    ] {
        rows.push((stays, aged(&home, below, &text, age)));
    }
    tidy(&home);
    let wrong: Vec<_> = rows.into_iter().filter(|(stays, path)| path.exists() != *stays).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_outside_our_directory_is_removed_through_a_link() {
    let home = Home::new();
    let theirs = home.dir("theirs");
    for name in ["old.json", "old.child"] {
        home.file(&format!("theirs/{name}"), &session("old"));
        let file = File::options().write(true).open(theirs.join(name)).unwrap();
        file.set_modified(SystemTime::now() - days(900)).unwrap();
    }
    home.file("theirs/a.used-t", &grant(1));
    home.dir(STATE);
    for name in ["sessions", "grants"] {
        symlink(&theirs, home.path().join(STATE).join(name)).unwrap();
    }
    symlink(theirs.join("old.json"), home.path().join(STATE).join("log.jsonl.1")).unwrap();
    assert_eq!(tidy(&home), 0);
    assert_eq!(names(&theirs), ["a.used-t", "old.child", "old.json"]);
    // A link among the records is none of them.
    let home = Home::new();
    let file = home.file("theirs.json", &session("linked"));
    home.dir(&format!("{STATE}/sessions"));
    symlink(&file, home.path().join(STATE).join("sessions/linked.json")).unwrap();
    fs::create_dir(home.path().join(STATE).join("sessions/dir.json")).unwrap();
    assert_eq!(tidy(&home), 0);
    assert!(file.exists());
}

#[test]
fn it_is_done_once_a_day_when_a_session_starts_and_never_for_a_tool_call() {
    let home = Home::new();
    let old = |name: &str| aged(&home, &format!("sessions/{name}.json"), &session(name), days(91));
    let payload = br#"{"session_id":"s","agent_id":"a","cwd":"/","source":"startup","tool_name":"Bash","tool_input":{"command":"cortex delete-memory x"}}"#;
    let first = old("first");
    for event in ["pre-tool-use", "session-end", "subagent-start", "post-tool-use-failure"] {
        home.run(&["hook", event], payload);
        assert!(first.exists(), "{event}");
    }
    home.run(&["hook", "session-start"], payload);
    assert!(!first.exists());
    let second = old("second");
    home.run(&["hook", "session-start"], payload);
    assert!(second.exists(), "once a day is enough");
    aged(&home, "tidied", "", days(2));
    home.run(&["hook", "session-start"], payload);
    assert!(!second.exists());
    // A clock that was wrong once does not stop it for ever.
    let third = old("third");
    let mark = File::options().write(true).open(home.path().join(STATE).join("tidied")).unwrap();
    mark.set_modified(SystemTime::now() + days(900)).unwrap();
    home.run(&["hook", "session-start"], payload);
    assert!(!third.exists());
}

#[test]
fn a_crowd_of_sessions_is_cut_to_the_newest() {
    let home = Home::new();
    for number in 0..10_003u64 {
        let id = format!("s{number:05}");
        aged(
            &home,
            &format!("sessions/{id}.json"),
            &session(&id),
            Duration::from_secs(20_000 - number),
        );
    }
    assert_eq!(tidy(&home), 3);
    let left = names(&home.path().join(STATE).join("sessions"));
    assert_eq!((left.len(), left[0].as_str()), (10_000, "s00003.json"));
}

#[test]
fn what_one_run_does_not_manage_the_next_one_does() {
    let home = Home::new();
    for number in 0..2_100 {
        let id = format!("s{number:05}");
        aged(&home, &format!("sessions/{id}.json"), &session(&id), days(91));
    }
    assert_eq!((tidy(&home), tidy(&home), tidy(&home)), (2_000, 100, 0));
}

#[test]
fn every_name_that_the_state_uses_is_known_to_the_purge() {
    let join = regex::Regex::new(r#"dir(?:\(\))?\s*\.join\("([^"]+)"\)"#).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/state");
    let mut found = Vec::new();
    for name in names(&folder) {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        found.extend(join.captures_iter(&text).map(|one| one[1].to_owned()));
    }
    assert!(found.len() > 4, "{found:?}");
    let unknown: Vec<_> = found.iter().filter(|name| !NAMES.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not in state::NAMES");
}

#[test]
fn records_of_scratch_directories_go_with_their_sessions() {
    let home = Home::new();
    let (old, young) = ("0123456789abcdef0123456789abcdef", "f123456789abcdef0123456789abcdef");
    for (digest, age) in [(old, days(91)), (young, days(89))] {
        aged(&home, &format!("scratchpad/{digest}.begun"), "", age);
        aged(&home, &format!("scratchpad/{digest}/settled"), r#"{"made":true,"at":1}"#, age);
    }
    // What does not have our names, or holds more, stays.
    aged(&home, "scratchpad/notes.begun", "", days(400));
    aged(&home, "scratchpad/notes/settled", "", days(400));
    let full = "a123456789abcdef0123456789abcdef";
    aged(&home, &format!("scratchpad/{full}/settled"), "", days(400));
    aged(&home, &format!("scratchpad/{full}/other"), "", days(400));
    // A killed process did not finish its record, or did not begin one.
    let half = "b123456789abcdef0123456789abcdef";
    aged(&home, &format!("scratchpad/{half}/settled.4711"), "", days(91));
    let (bare, at_work) = ("c123456789abcdef0123456789abcdef", "d123456789abcdef0123456789abcdef");
    let path = home.dir(&format!("{STATE}/scratchpad/{bare}"));
    File::open(path).unwrap().set_modified(SystemTime::now() - days(91)).unwrap();
    home.dir(&format!("{STATE}/scratchpad/{at_work}"));
    assert_eq!(tidy(&home), 4);
    let left = names(&home.path().join(STATE).join("scratchpad"));
    let young_mark = format!("{young}.begun");
    assert_eq!(left, [full, at_work, young, young_mark.as_str(), "notes", "notes.begun"]);
    assert_eq!(names(&home.path().join(STATE).join("scratchpad").join(full)), ["other"]);
}
