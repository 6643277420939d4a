//! Searching, restoring, the log of changes, and taking a store out and in, as a person sees it.

use crate::support::Home;

use super::memory::{Project, shown};

#[test]
fn a_search_prints_as_a_list_does_and_ends_with_one_when_nothing_is_found() {
    let project = Project::new();
    insta::assert_snapshot!(shown(&project.run(&["search-memory", "retry"])), @"
    exit 1
    --- stdout
    --- stderr
    no memory here
    ");
    project.note(&["decision", "Retries stop after sixty seconds.", "--subject", "retry ceiling"]);
    project.note(&["insight", "The queue is bounded."]);
    insta::assert_snapshot!(shown(&project.run(&["search-memory", "retrying", "seconds"])), @"
    exit 0
    --- stdout
    <id 1>  decision  active  retry ceiling  Retries stop after sixty seconds.
    --- stderr
    ");
    assert_eq!(project.json(&["search-memory", "queue", "--kind", "insight"])["total"], 1);
    assert_eq!(project.run(&["search-memory", "queue", "--kind", "decision"]).code, Some(1));
    insta::assert_snapshot!(shown(&project.run(&["list-memory", "--since", "soon"])), @"
    exit 64
    --- stdout
    --- stderr
    error: `soon` is no time

    hint: type a time such as 2h (ago), 2026-12-01 or 2026-12-01T08:00:00Z
    ");
    assert_eq!(project.json(&["list-memory", "--since", "1h"])["total"], 2);
    assert_eq!(project.json(&["list-memory", "--subject", "Retry ceiling "])["total"], 1);
    assert_eq!(project.json(&["list-memory", "--session", "terminal"])["total"], 2);
    assert_eq!(project.json(&["list-memory", "--contested"])["total"], 0);
}

#[test]
fn what_was_done_is_logged_and_can_be_taken_back() {
    let project = Project::new();
    let id = project.note(&["decision", "sixty", "--subject", "ceiling"]);
    project.run(&["edit-memory", &id, "--text", "thirty"]);
    project.run(&["delete-memory", &id, "--yes"]);
    insta::assert_snapshot!(shown(&project.run(&["restore-memory", &id])), @r#"
    exit 0
    --- stdout
    restored decision "ceiling" (<id 1>)
    --- stderr
    "#);
    assert_eq!(project.json(&["show-memory", &id])["content"], "thirty");
    let restored = project.json(&["restore-memory", &id, "--at", "2100-01-01"]);
    assert_eq!(
        (restored["changed"].as_bool(), restored["item"]["content"].as_str()),
        (Some(false), Some("thirty"))
    );
    insta::assert_snapshot!(shown(&project.run(&["restore-memory", &id, "--at", "1d"])), @"
    exit 1
    --- stdout
    --- stderr
    error: the memory `<id 1>` was not there at <time>

    hint: ringfence show-memory <id 1> --history
    ");
    insta::assert_snapshot!(shown(&project.run(&["log-memory"])), @r#"
    exit 0
    --- stdout
    <time> create    decision "ceiling" (<id 1>) by terminal, <process>
    <time> edit      decision "ceiling" (<id 1>) by terminal, <process>
    <time> delete    decision "ceiling" (<id 1>) by terminal, <process>
    <time> restore   decision "ceiling" (<id 1>) by terminal, <process>
    --- stderr
    "#);
    assert_eq!(project.json(&["log-memory", "-n", "2"])["changes"].as_array().unwrap().len(), 2);
    assert_eq!(
        project.json(&["log-memory", "--session", "x"])["changes"].as_array().unwrap().len(),
        0
    );
}

#[test]
fn a_note_is_edited_in_the_persons_editor() {
    let project = Project::new();
    let id = project.note(&["insight", "one\ntwo"]);
    insta::assert_snapshot!(shown(&project.run(&["edit-memory", &id])), @"
    exit 64
    --- stdout
    --- stderr
    error: the new text is missing

    hint: ringfence edit-memory ID --text TEXT
    ");
    let with = |editor: &str| {
        let home = Home::new().env("EDITOR", editor);
        let project = Project::with(home);
        let id = project.note(&["insight", "one\ntwo"]);
        let output = project.run(&["edit-memory", &id]);
        (output.code, project.json(&["show-memory", &id])["content"].as_str().unwrap().to_owned())
    };
    assert_eq!(with("sed -i 's/two/2/'"), (Some(0), "one\n2".to_owned()));
    assert_eq!(with("true"), (Some(0), "one\ntwo".to_owned()));
    assert_eq!(with("false"), (Some(1), "one\ntwo".to_owned()));
    assert_eq!(with("/nowhere/vi"), (Some(1), "one\ntwo".to_owned()));
    assert_eq!(with("sh -c ': > \"$0\"'"), (Some(64), "one\ntwo".to_owned()));
    assert_eq!(project.run(&["edit-memory", "nobody"]).code, Some(1));
}

/// A project with some of everything.
fn full() -> Project {
    let project = Project::new();
    let id = project.note(&[
        "decision",
        "sixty \u{202e} é",
        "--subject",
        "Ceiling",
        "--alternative",
        "x",
    ]);
    project.note(&["decision", "thirty", "--subject", "ceiling", "--session", "monday"]);
    project.run(&["edit-memory", &id, "--text", "sixty\nseconds"]);
    let gone = project.note(&["insight", "gone"]);
    project.run(&["delete-memory", &gone, "--yes"]);
    project
}

#[test]
fn an_export_is_the_same_each_time_and_taken_in_it_is_the_same_store() {
    let project = full();
    let first = project.run(&["export"]).stdout;
    assert_eq!(first, project.run(&["export"]).stdout);
    insta::assert_snapshot!(shown(&crate::support::Output {
        code: Some(0),
        stdout: first.lines().take(4).map(|line| format!("{line}\n")).collect(),
        stderr: String::new(),
    }), @r#"
    exit 0
    --- stdout
    {"type":"export","version":1}
    {"type":"session","id":"monday","parent":null,"scope":"project","cwd":null,"started_at":"<time>","ended_at":null}
    {"type":"session","id":"terminal","parent":null,"scope":"project","cwd":null,"started_at":"<time>","ended_at":null}
    {"type":"note","id":"<id 1>","kind":"decision","subject":"Ceiling","content":"sixty\nseconds","alternatives":["x"],"status":"superseded","conflict":false,"session":"terminal","agent":null,"scope":"project","created_at":"<time>","updated_at":"<time>"}
    --- stderr
    "#);
    let other = Project::new();
    let file = other.home.file("memory.jsonl", &first);
    let file = file.to_str().unwrap();
    insta::assert_snapshot!(shown(&other.run(&["import", file, "--dry-run"])), @"
    exit 0
    --- stdout
    would take in 2 notes, 1 session
    --- stderr
    ");
    assert!(!other.home.path().join(".local/share/ringfence").exists());
    assert_eq!(other.run(&["import", file]).code, Some(0));
    let kept = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.contains(r#""action":"import""#));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(kept(&other.run(&["export"]).stdout), kept(&first));
    // A second time nothing is new; what was changed since stays.
    let again = other.json(&["import", file]);
    assert_eq!((again["notes"].as_u64(), again["known"].as_u64()), (Some(0), Some(2)));
    // Also what was deleted there can be brought back here.
    let gone = first.lines().find(|line| line.contains(r#""action":"delete""#)).unwrap();
    let gone: serde_json::Value = serde_json::from_str(gone).unwrap();
    let restored = other.json(&["restore-memory", gone["note"].as_str().unwrap()]);
    assert_eq!(restored["item"]["content"], "gone");
}

#[test]
fn a_note_that_is_here_otherwise_stays_as_it_is_here() {
    let project = full();
    let export = project.run(&["export"]).stdout;
    let id = project.json(&["list-memory"])["items"][0]["id"].as_str().unwrap().to_owned();
    project.run(&["edit-memory", &id, "--text", "changed since"]);
    let file = project.home.file("memory.jsonl", &export);
    let before = project.run(&["export"]).stdout;
    insta::assert_snapshot!(shown(&project.run(&["import", file.to_str().unwrap()])), @"
    exit 0
    --- stdout
    took in 0 notes, 0 sessions
    --- stderr
    1 note here already
    here, but otherwise, and left as it is here: <id 1>
    ");
    assert_eq!(project.run(&["export"]).stdout, before);
}

#[test]
fn an_export_to_a_file_is_private_and_replaces_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let project = full();
    assert_eq!(project.run(&["export", "out.jsonl"]).code, Some(0));
    let path = project.dir.join("out.jsonl");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), project.run(&["export"]).stdout);
    insta::assert_snapshot!(shown(&project.run(&["export", "out.jsonl"])), @"
    exit 1
    --- stdout
    --- stderr
    error: `out.jsonl` is there already

    hint: name a new file
    ");
    assert_eq!(project.run(&["export", "nowhere/out.jsonl"]).code, Some(1));
    insta::assert_snapshot!(shown(&Project::new().run(&["export"])), @"
    exit 1
    --- stdout
    --- stderr
    error: there is no memory here to export

    hint: ringfence status
    ");
}

#[test]
fn a_bad_line_is_named_and_nothing_is_taken_in() {
    let good = r#"{"type":"note","id":"n1","kind":"insight","subject":null,"content":"x","status":"active","session":"s","agent":null,"scope":null,"created_at":"2026-12-01T08:00:00.000Z","updated_at":"2026-12-01T08:00:00.000Z"}"#;
    let head = r#"{"type":"export","version":1}"#;
    let change = |from: &str, to: &str| {
        format!("{head}\n{good}\n{}\n", good.replace("n1", "n2").replace(from, to))
    };
    for (text, expected) in [
        (format!("{head}\n{good}\n"), ""),
        (format!("{head}\n\n{good}\r\n"), ""),
        (String::new(), "is empty"),
        (good.to_owned(), "does not begin as an export does"),
        (head.replace('1', "2"), "newer version (format 2, this one knows 1)"),
        (format!("{head}\n{good}\n{{\"type\":\"note\"}}\n"), "line 3 of"),
        (format!("{head}\n{good}\nnot json\n"), "line 3 of"),
        (change("insight", "wish"), "its `kind` is none that is known"),
        (change("\"insight\"", "\"decision\""), "it has no `subject`"),
        (change("\"x\"", "\" \""), "its `content` is blank"),
        (change("active", "gone"), "its `status` is none that is known"),
        (change("08:00:00.000Z", "08:00:00Z"), "its `created_at` is no time"),
        (change("\"n2\"", "\"a\\nb\""), "its `id` is no id"),
        (change("\"s\"", "\" \""), "its `session` is no id"),
        (change("\"x\"", &format!("\"{}\"", "x".repeat(9 << 20))), "longer than"),
    ] {
        let project = Project::new();
        let output = project.home.run_in(&project.dir, &["import", "-"], text.as_bytes());
        let total = project.json(&["list-memory"])["total"].as_u64().unwrap();
        if expected.is_empty() {
            assert_eq!((output.code, total), (Some(0), 1), "{}", output.stderr);
        } else {
            assert!(output.stderr.contains(expected), "{expected}: {}", output.stderr);
            assert_eq!((output.code, total), (Some(1), 0), "{expected}");
        }
    }
}

#[test]
fn cortexs_notes_come_with_their_sessions_and_its_store_stays_as_it_is() {
    for era in ["v1", "v2", "v4", "v6", "v7"] {
        let project = Project::new();
        let store = project.dir.join(".cortex.db");
        crate::memory::cortex_store(&store, era, "");
        let before = std::fs::read(&store).unwrap();
        let first = project.json(&["import", "--cortex"]);
        assert!(first["notes"].as_u64().unwrap() > 0, "{era}: {first}");
        assert_eq!(first["left_out"].as_array().unwrap().len(), 0, "{era}: {first}");
        let again = project.json(&["import", "--cortex", store.to_str().unwrap()]);
        assert_eq!(
            (&again["notes"], &again["known"]),
            (&serde_json::json!(0), &first["notes"]),
            "{era}"
        );
        assert_eq!(std::fs::read(&store).unwrap(), before, "{era}");
        let note = project.json(&["show-memory", "F"]);
        assert_eq!(
            (note["kind"].as_str(), note["session"].as_str()),
            (Some("decision"), Some("E")),
            "{era}"
        );
        if era == "v6" {
            assert_eq!(note["scope"], "branch:feature/hooks");
        }
    }
    assert_eq!(Project::new().run(&["import", "--cortex"]).code, Some(1));
}
