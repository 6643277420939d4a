//! What the memory commands print and do, as a person sees it.

use std::path::PathBuf;

use regex::Regex;
use ringfence::state::{CallRecord, SessionRecord, State};
use ringfence::sys::clock;

use crate::support::{Home, Output};

/// A home with a project in it.
pub(super) struct Project {
    pub(super) home: Home,
    pub(super) dir: PathBuf,
}

impl Project {
    pub(super) fn new() -> Self {
        Self::with(Home::new())
    }

    pub(super) fn with(home: Home) -> Self {
        let dir = home.dir("project");
        Self { home, dir }
    }

    pub(super) fn run(&self, args: &[&str]) -> Output {
        self.home.run_in(&self.dir, args, b"")
    }

    /// Writes a note; returns its id.
    pub(super) fn note(&self, args: &[&str]) -> String {
        let output = self.run(&[&["note"], args].concat());
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout.trim_end().to_owned()
    }

    pub(super) fn state(&self) -> State {
        State::at(self.home.path().join(".local/state/ringfence"))
    }

    /// One document of `--json`.
    pub(super) fn json(&self, args: &[&str]) -> serde_json::Value {
        let output = self.run(&[args, &["--json"]].concat());
        assert_eq!(output.code, Some(0), "{output:?}");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(document["version"], 1);
        document
    }
}

/// Code, standard output and standard error, with ids and times named by their order.
pub(super) fn shown(output: &Output) -> String {
    let text = format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.code.unwrap(),
        output.stdout,
        output.stderr
    );
    let mut ids: Vec<String> = Vec::new();
    let id = Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap();
    let text = id.replace_all(&text, |found: &regex::Captures| {
        let found = found[0].to_owned();
        if !ids.contains(&found) {
            ids.push(found.clone());
        }
        format!("<id {}>", ids.iter().position(|id| *id == found).unwrap() + 1)
    });
    let time = Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").unwrap();
    let text = time.replace_all(&text, "<time>");
    let process = Regex::new(r#"process \d+|"pid": \d+"#).unwrap();
    process.replace_all(&text, "<process>").into_owned()
}

#[test]
fn a_note_is_written_listed_and_shown() {
    let project = Project::new();
    insta::assert_snapshot!(shown(&project.run(&["list-memory"])), @"
    exit 0
    --- stdout
    --- stderr
    no memory here
    ");
    let id = project.note(&[
        "decision",
        "The ceiling is sixty seconds.\nMeasured.",
        "--subject",
        "Retry Ceiling",
        "--alternative",
        "thirty",
        "--alternative",
        "none",
    ]);
    project.note(&["insight", "The queue is bounded."]);
    insta::assert_snapshot!(shown(&project.run(&["list-memory"])), @r"
    exit 0
    --- stdout
    <id 1>  insight   active  -              The queue is bounded.
    <id 2>  decision  active  Retry Ceiling  The ceiling is sixty seconds.\nMeasured.
    --- stderr
    ");
    insta::assert_snapshot!(shown(&project.run(&["show-memory", &id])), @"
    exit 0
    --- stdout
    id       <id 1>
    kind     decision
    subject  Retry Ceiling
    status   active
    session  terminal
    scope    project
    created  <time>
    updated  <time>

    The ceiling is sixty seconds.
    Measured.

    alternatives:
    - thirty
    - none
    --- stderr
    ");
    insta::assert_snapshot!(shown(&project.run(&["list-memory", "--limit", "1"])), @"
    exit 0
    --- stdout
    <id 1>  insight  active  -  The queue is bounded.
    --- stderr
    1 of 2; --offset 1 shows more
    ");
    insta::assert_snapshot!(shown(&project.run(&["list-memory", "--kind", "insight,blocker", "--json"])), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "total": 1,
      "items": [
        {
          "id": "<id 1>",
          "kind": "insight",
          "subject": null,
          "content": "The queue is bounded.",
          "status": "active",
          "conflict": false,
          "session": "terminal",
          "agent": null,
          "scope": "project",
          "created_at": "<time>",
          "updated_at": "<time>"
        }
      ]
    }
    --- stderr
    "#);
}

#[test]
fn superseding_and_contesting_are_said() {
    let project = Project::new();
    let first = ["decision", "The ceiling is sixty seconds.", "--subject", "c"];
    project.note(&first);
    let second = ["note", "decision", "The ceiling is thirty seconds.", "--subject", "C"];
    insta::assert_snapshot!(shown(&project.run(&second)), @"
    exit 0
    --- stdout
    <id 1>
    --- stderr
    superseded: <id 2>
    ");
    let third = ["note", "decision", "The ceiling is not thirty seconds.", "--subject", "c"];
    insta::assert_snapshot!(shown(&project.run(&third)), @"
    exit 0
    --- stdout
    <id 1>
    --- stderr
    contested: <id 2> says the opposite; both stay active
    ");
    insta::assert_snapshot!(shown(&project.run(&["list-memory"])), @"
    exit 0
    --- stdout
    <id 1>  decision  active, contested  c  The ceiling is not thirty seconds.
    <id 2>  decision  active, contested  C  The ceiling is thirty seconds.
    <id 3>  decision  superseded         c  The ceiling is sixty seconds.
    --- stderr
    ");
    insta::assert_snapshot!(shown(&project.run(&["note-resolve", "--subject", "c"])), @r#"
    exit 1
    --- stdout
    --- stderr
    error: 2 contested memories are active on "c"
      <id 1>
      <id 2>

    hint: ringfence note-resolve --id <id 1>
    "#);
    let ids = project.json(&["list-memory", "--status", "active"]);
    let newest = ids["items"][0]["id"].as_str().unwrap();
    insta::assert_snapshot!(
        shown(&project.run(&["note-resolve", "--id", newest, "--status", "superseded"])),
        @r#"
        exit 0
        --- stdout
        superseded decision "c" (<id 1>)
        --- stderr
        no longer contested: <id 2>
        "#
    );
    insta::assert_snapshot!(shown(&project.run(&["note-resolve", "--subject", "c"])), @r#"
    exit 0
    --- stdout
    resolved decision "C" (<id 1>)
    --- stderr
    "#);
    insta::assert_snapshot!(shown(&project.run(&["note-resolve", "--subject", "c"])), @"
    exit 1
    --- stdout
    --- stderr
    error: there is no active memory on `c`

    hint: ringfence list-memory
    ");
}

#[test]
fn edits_and_deletions_leave_their_history() {
    let project = Project::new();
    let id = project.note(&["insight", "one\ntwo"]);
    let edit = project.run(&["edit-memory", &id, "--text", "three"]);
    insta::assert_snapshot!(shown(&edit), @"
    exit 0
    --- stdout
    edited insight (<id 1>)
    --- stderr
    ");
    let same = project.run(&["edit-memory", &id, "--text", "three"]);
    insta::assert_snapshot!(shown(&same), @"
    exit 0
    --- stdout
    nothing to change: insight (<id 1>)
    --- stderr
    ");
    insta::assert_snapshot!(shown(&project.run(&["delete-memory", &id])), @"
    exit 0
    --- stdout
    insight (<id 1>)
    three
    --- stderr
    nothing was deleted; ringfence delete-memory <id 1> --yes deletes it
    ");
    insta::assert_snapshot!(shown(&project.run(&["delete-memory", &id, "--json"])), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "id": "<id 1>",
      "outcome": "preview",
      "changed": false,
      "settled": [],
      "item": {
        "id": "<id 1>",
        "kind": "insight",
        "subject": null,
        "content": "three",
        "status": "active",
        "conflict": false,
        "session": "terminal",
        "agent": null,
        "scope": "project",
        "created_at": "<time>",
        "updated_at": "<time>"
      }
    }
    --- stderr
    "#);
    insta::assert_snapshot!(shown(&project.run(&["show-memory", &id, "--json"])), @r#"
    exit 0
    --- stdout
    {
      "version": 1,
      "id": "<id 1>",
      "kind": "insight",
      "subject": null,
      "content": "three",
      "status": "active",
      "conflict": false,
      "session": "terminal",
      "agent": null,
      "scope": "project",
      "created_at": "<time>",
      "updated_at": "<time>",
      "alternatives": [],
      "history": [
        {
          "at": "<time>",
          "action": "create",
          "before": null,
          "session": "terminal",
          "agent": null,
          "tool_use_id": null,
          <process>
        },
        {
          "at": "<time>",
          "action": "edit",
          "before": "one\ntwo",
          "session": "terminal",
          "agent": null,
          "tool_use_id": null,
          <process>
        }
      ]
    }
    --- stderr
    "#);
    insta::assert_snapshot!(shown(&project.run(&["delete-memory", &id, "--yes"])), @"
    exit 0
    --- stdout
    deleted insight (<id 1>)
    --- stderr
    ");
    insta::assert_snapshot!(shown(&project.run(&["delete-memory", &id, "--yes"])), @"
    exit 1
    --- stdout
    --- stderr
    error: the memory `<id 1>` was deleted at <time>

    hint: ringfence show-memory <id 1> --history
    ");
    insta::assert_snapshot!(shown(&project.run(&["show-memory", &id, "--history"])), @"
    exit 0
    --- stdout
    history:
    <time> create by terminal, <process>
    <time> edit by terminal, <process>
      | one
      | two
    <time> delete by terminal, <process>
      | three
    --- stderr
    ");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_made() {
    let project = Project::new();
    let mut seen = Vec::new();
    for args in [
        &["note", "wish", "x"][..],
        &["note", "decision", "x"],
        &["note", "decision", "x", "--subject", " \u{a0}"],
        &["note", "insight", " \n\u{feff}"],
        &["note", "insight", "x", "--session", " "],
        &["note-resolve"],
        &["note-resolve", "--id", "x", "--status", "resloved"],
        &["note-resolve", "--id", "x"],
        &["note-resolve", "--subject", "x\u{1b}[2J"],
        &["edit-memory", "x"],
        &["edit-memory", "x", "--text", " "],
        &["edit-memory", "x", "--text", "y"],
        &["edit-memory", "x", "--file", "nowhere"],
        &["edit-memory", "x", "--text", "y", "--file", "z"],
        &["delete-memory", "x"],
        &["delete-memory", "x\u{202e}", "--yes"],
        &["show-memory", "x"],
        &["list-memory", "--kind", "wish"],
        &["list-memory", "--status", "gone"],
        &["list-memory", "--limit", "many"],
    ] {
        let output = project.run(args);
        assert_eq!(output.stdout, "", "{args:?}");
        let first = output.stderr.lines().next().unwrap();
        seen.push(format!("{} {} -> {first}", output.code.unwrap(), args.join(" ").escape_debug()));
    }
    insta::assert_snapshot!(seen.join("\n"), @r"
    64 note wish x -> error: `wish` is no kind of note
    64 note decision x -> error: a decision needs a subject
    64 note decision x --subject  \u{a0} -> error: a decision needs a subject
    64 note insight  \n\u{feff} -> error: the text is blank
    64 note insight x --session   -> error: the session is blank
    64 note-resolve -> error: which note is meant is not said
    64 note-resolve --id x --status resloved -> error: `resloved` is no status to resolve to
    1 note-resolve --id x -> error: there is no memory `x`
    1 note-resolve --subject x\u{1b}[2J -> error: there is no active memory on `x\u{1b}[2J`
    1 edit-memory x -> error: there is no memory `x`
    64 edit-memory x --text   -> error: the text is blank
    1 edit-memory x --text y -> error: there is no memory `x`
    1 edit-memory x --file nowhere -> error: `nowhere` cannot be read: No such file or directory (os error 2)
    64 edit-memory x --text y --file z -> error: the argument '--text <TEXT>' cannot be used with '--file <FILE>'
    1 delete-memory x -> error: there is no memory `x`
    1 delete-memory x\u{202e} --yes -> error: there is no memory `x\u{202e}`
    1 show-memory x -> error: there is no memory `x`
    64 list-memory --kind wish -> error: `wish` is no kind of note
    64 list-memory --status gone -> error: `gone` is no status
    64 list-memory --limit many -> error: invalid value 'many' for '--limit <LIMIT>': invalid digit found in string
    ");
    assert!(!project.home.path().join(".local").exists());
}

#[test]
fn text_comes_from_a_file_or_from_standard_input() {
    let project = Project::new();
    let id = project.note(&["insight", "one"]);
    project.home.file("project/text", "\u{feff}from a file\n");
    let text = |project: &Project| {
        project.json(&["show-memory", &id])["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(project.run(&["edit-memory", &id, "--file", "text"]).code, Some(0));
    assert_eq!(text(&project), "from a file\n");
    let args = ["edit-memory", id.as_str(), "--file", "-"];
    assert_eq!(project.home.run_in(&project.dir, &args, "from stdin ä".as_bytes()).code, Some(0));
    assert_eq!(text(&project), "from stdin ä");
    for (bytes, word) in [(&b"\xff\xfe"[..], "UTF-8"), (&[b'x'; (1 << 20) + 1], "too large")] {
        let output = project.home.run_in(&project.dir, &args, bytes);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains(word), "{}", output.stderr);
    }
    assert_eq!(text(&project), "from stdin ä");
}

#[test]
fn nothing_in_a_note_reaches_the_terminal_as_a_control() {
    let project = Project::new();
    let evil = "a\u{1b}[31mb\u{202e}c\u{7}d\u{9b}e\u{2066}f\rg\u{200b}h";
    let id = project.note(&[
        "decision",
        evil,
        "--subject",
        evil,
        "--alternative",
        evil,
        "--session",
        evil,
    ]);
    project.run(&["edit-memory", &id, "--text", &format!("{evil} two")]);
    for args in [
        &["list-memory"][..],
        &["list-memory", "--json"],
        &["show-memory", &id, "--history"],
        &["show-memory", &id, "--json"],
        &["delete-memory", &id],
        &["note-resolve", "--id", &id],
        &["delete-memory", &id, "--yes"],
        &["show-memory", &id, "--history"],
    ] {
        let output = project.run(args);
        assert_eq!(output.code, Some(0), "{args:?}");
        let text = output.stdout + &output.stderr;
        let bad = text.chars().find(|letter| {
            (letter.is_control() && *letter != '\n')
                || ('\u{200b}'..='\u{200f}').contains(letter)
                || ('\u{2028}'..='\u{202e}').contains(letter)
                || ('\u{2066}'..='\u{2069}').contains(letter)
        });
        assert_eq!(bad, None, "{args:?}: {text}");
    }
    // And JSON still says what was written.
    let project = Project::new();
    project.note(&["insight", evil]);
    assert_eq!(project.json(&["list-memory"])["items"][0]["content"], evil);
}

fn call(session: &str, agent: Option<&str>, call: &str, age_ms: i64) -> CallRecord {
    CallRecord {
        at: clock::rfc3339(clock::now_ms() - age_ms),
        event: "call".into(),
        session: session.into(),
        call: call.into(),
        agent: agent.map(str::to_owned),
        tool: "Bash".into(),
        ..CallRecord::default()
    }
}

#[test]
fn the_writer_is_the_session_and_the_subagent_of_this_very_call() {
    type Row<'r> = (&'r str, Vec<CallRecord>, (Option<&'r str>, Option<&'r str>));
    let rows: [Row; 8] = [
        ("no record", vec![], (None, None)),
        ("the parent", vec![call("s", None, "t1", 100)], (None, Some("t1"))),
        ("a subagent", vec![call("s", Some("a"), "t1", 100)], (Some("a"), Some("t1"))),
        ("too old", vec![call("s", Some("a"), "t1", 60_000)], (None, None)),
        ("in the future", vec![call("s", Some("a"), "t1", -60_000)], (None, None)),
        ("another session", vec![call("r", Some("a"), "t1", 100)], (None, None)),
        (
            "two subagents",
            vec![call("s", Some("a"), "t1", 200), call("s", Some("b"), "t2", 100)],
            (None, None),
        ),
        (
            "two calls of one",
            vec![call("s", Some("a"), "t1", 200), call("s", Some("a"), "t2", 100)],
            (Some("a"), None),
        ),
    ];
    for (name, records, (agent, tool)) in rows {
        let project = Project::with(Home::new().env("CLAUDE_CODE_SESSION_ID", "s"));
        for record in &records {
            project.state().append_call(record).unwrap();
        }
        let id = project.note(&["insight", "x"]);
        let note = project.json(&["show-memory", &id]);
        assert_eq!(note["session"], "s", "{name}");
        assert_eq!(note["agent"].as_str(), agent, "{name}");
        assert_eq!(note["history"][0]["tool_use_id"].as_str(), tool, "{name}");
    }
}

#[test]
fn a_named_session_goes_before_the_clients() {
    let project = Project::with(Home::new().env("CLAUDE_CODE_SESSION_ID", "s"));
    let id = project.note(&["insight", "x", "--session", "earlier"]);
    assert_eq!(project.json(&["show-memory", &id])["session"], "earlier");
    let project = Project::new();
    let id = project.note(&["insight", "x"]);
    assert_eq!(project.json(&["show-memory", &id])["session"], "terminal");
}

#[test]
fn the_branch_is_read_and_every_work_tree_finds_the_store() {
    let project = Project::new();
    for (below, text) in [
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.git/objects/x", ""),
        ("project/.git/refs/x", ""),
        ("project/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
        ("project/.git/worktrees/side/commondir", "../..\n"),
        ("project/sub/x", ""),
    ] {
        project.home.file(below, text);
    }
    let git = project.home.path().join("project/.git/worktrees/side");
    project.home.file("side/.git", &format!("gitdir: {}\n", git.display()));
    let note = |cwd: &str| {
        let args = ["note", "decision", cwd, "--subject", "x"];
        let output = project.home.run_in(&project.home.path().join(cwd), &args, b"");
        assert_eq!(output.code, Some(0), "{output:?}");
    };
    for cwd in ["project", "side", "project/sub"] {
        note(cwd);
    }
    let list = project.json(&["list-memory"]);
    let rows: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let text = |key: &str| item[key].as_str().unwrap().to_owned();
            format!("{} {} {}", text("content"), text("scope"), text("status"))
        })
        .collect();
    // The one of the side branch is not retired by main's.
    assert_eq!(
        rows,
        [
            "project/sub branch:main active",
            "side branch:side active",
            "project branch:main superseded"
        ]
    );
}

#[test]
fn named_places_hold_the_store_and_the_state() {
    let home = Home::new();
    let (store, state) = (home.path().join("my/notes.db"), home.path().join("my/state"));
    let home = home
        .env("RINGFENCE_STORE", store.to_str().unwrap())
        .env("RINGFENCE_STATE", state.to_str().unwrap());
    let project = Project::with(home);
    let record = SessionRecord {
        session: "p".into(),
        first_seen: "2026-12-01T08:00:00.000Z".into(),
        cwd: project.dir.to_str().unwrap().into(),
        ..SessionRecord::default()
    };
    State::at(&state).record_session(record).unwrap();
    project.note(&["insight", "x"]);
    let sessions: Vec<String> = rusqlite::Connection::open(&store)
        .unwrap()
        .prepare("SELECT id FROM sessions ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(sessions, ["p", "terminal"]);
}

#[test]
fn files_and_folders_are_the_users_alone_and_planted_links_are_not_followed() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let store = project.home.path().join("my/deep/memory.db");
    let project = Project::with(Home::new().env("RINGFENCE_STORE", store.to_str().unwrap()));
    project.note(&["insight", "x"]);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store), 0o600);
    assert_eq!(mode(store.parent().unwrap()), 0o700);

    let planted = project.home.path().join("planted.db");
    let target = project.home.file("target", "");
    std::os::unix::fs::symlink(&target, &planted).unwrap();
    let project = Project::with(Home::new().env("RINGFENCE_STORE", planted.to_str().unwrap()));
    let output = project.run(&["note", "insight", "x"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert_eq!(std::fs::read(&target).unwrap(), b"");
}

#[test]
fn stores_that_are_not_ours_or_too_new_are_refused_and_stay_as_they_are() {
    let home = Home::new();
    let store = home.path().join("store.db");
    let project = Project::with(home.env("RINGFENCE_STORE", store.to_str().unwrap()));
    let mut seen = Vec::new();
    let mut check = |name: &str| {
        let before = std::fs::read(&store).unwrap();
        for args in [&["note", "insight", "x"][..], &["list-memory"], &["show-memory", "x"]] {
            let output = project.run(args);
            let text = output.stderr.replace(store.to_str().unwrap(), "<store>");
            seen.push(format!("{name}: {} {}", output.code.unwrap(), text.lines().next().unwrap()));
        }
        assert_eq!(std::fs::read(&store).unwrap(), before, "{name}");
    };
    std::fs::write(&store, [b'x'; 4096]).unwrap();
    check("garbage");
    std::fs::remove_file(&store).unwrap();
    let connection = rusqlite::Connection::open(&store).unwrap();
    connection.execute_batch("CREATE TABLE notes (id)").unwrap();
    drop(connection);
    check("another program's");
    std::fs::remove_file(&store).unwrap();
    project.note(&["insight", "x"]);
    let connection = rusqlite::Connection::open(&store).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    check("newer");
    insta::assert_snapshot!(seen.join("\n"), @"
    garbage: 1 error: the store's file is damaged (file is not a database)
    garbage: 1 error: the store's file is damaged (file is not a database)
    garbage: 1 error: the store's file is damaged (file is not a database)
    another program's: 1 error: `<store>` is not a Ringfence store
    another program's: 1 error: `<store>` is not a Ringfence store
    another program's: 1 error: `<store>` is not a Ringfence store
    newer: 1 error: the store was written by a newer version (schema 7, this one knows 2)
    newer: 1 error: the store was written by a newer version (schema 7, this one knows 2)
    newer: 1 error: the store was written by a newer version (schema 7, this one knows 2)
    ");
}
