//! Our own store: what is foretold is what then happens.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Home;

/// A project on branch main with notes of earlier sessions.
fn project() -> (Home, std::path::PathBuf) {
    let home = Home::new();
    let dir = home.dir("project");
    home.file("project/.git/HEAD", "ref: refs/heads/main\n");
    for below in ["objects", "refs"] {
        home.dir(&format!("project/.git/{below}"));
    }
    for (session, kind, subject, text) in [
        ("one", "decision", "Retry Ceiling", "The ceiling is sixty seconds."),
        ("two", "intent", "retry ceiling", "measure it"),
        ("one", "blocker", "retry ceiling", "no access"),
        ("two", "decision", "cache", "use the disk cache for pages"),
        ("one", "decision", "cache", "never use the disk cache for pages"),
    ] {
        run(&home, &dir, &["note", kind, text, "--subject", subject, "--session", session]);
    }
    (home, dir)
}

fn run(home: &Home, dir: &std::path::Path, args: &[&str]) -> String {
    let output = home.run_in(dir, args, b"");
    assert_eq!(output.code, Some(0), "{args:?}: {}", output.stderr);
    output.stdout
}

/// The ids of the notes that are active.
fn active(home: &Home, dir: &std::path::Path) -> BTreeSet<String> {
    let text = run(home, dir, &["list-memory", "--status", "active", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let items = document["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// What a subagent's command is said to touch.
fn foretold(home: &Home, dir: &std::path::Path, command: &str) -> BTreeSet<String> {
    let output = home.run_in(dir, &["explain", "--json", "--session", "new", command], b"");
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let targets = document["denial"]["targets"].as_array().cloned().unwrap_or_default();
    targets.iter().map(|target| target["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_note_retires_what_was_foretold() {
    for (kind, subject, text, count) in [
        ("decision", "retry ceiling", "The ceiling is thirty seconds.", 1),
        ("decision", " RETRY ceiling ", "thirty", 1),
        ("decision", "retry ceiling", "The ceiling is not sixty seconds.", 0),
        ("decision", "retry  ceiling", "thirty", 0),
        ("decision", "cache", "a third opinion", 0),
        ("intent", "retry ceiling", "measure it twice", 1),
        ("blocker", "retry ceiling", "still none", 0),
        ("insight", "retry ceiling", "interesting", 0),
        ("decision", "fresh", "x", 0),
    ] {
        let (home, dir) = project();
        let before = active(&home, &dir);
        let command = format!("ringfence note {kind} '{text}' --subject '{subject}'");
        let foretold = foretold(&home, &dir, &command);
        run(&home, &dir, &["note", kind, text, "--subject", subject, "--session", "new"]);
        let retired: BTreeSet<String> = before.difference(&active(&home, &dir)).cloned().collect();
        assert_eq!(foretold, retired, "{command}");
        assert_eq!(retired.len(), count, "{command}");
    }
}

#[test]
fn the_verbs_of_our_own_command_line_are_judged_in_our_own_store() {
    let (home, dir) = project();
    let ids: Vec<String> = active(&home, &dir).into_iter().collect();
    let id = &ids[0];
    for (command, touches) in [
        (format!("ringfence delete-memory {id} --yes"), true),
        (format!("ringfence delete-memory {id}"), false),
        (format!("ringfence edit-memory {id} --text x"), true),
        (format!("ringfence edit-memory {id}"), true),
        (format!("ringfence note-resolve --id {id}"), true),
        ("ringfence note-resolve --subject 'retry ceiling'".into(), true),
        ("ringfence note-resolve --subject cache".into(), false),
        (format!("ringfence show-memory {id}"), false),
        (format!("cortex delete-memory {id} --yes"), false),
    ] {
        assert_eq!(!foretold(&home, &dir, &command).is_empty(), touches, "{command}");
    }
}

#[test]
fn a_restore_and_an_editor_reach_what_they_name_and_a_search_nothing() {
    let (home, dir) = project();
    let text = run(
        &home,
        &dir,
        &["list-memory", "--subject", "Retry Ceiling", "--kind", "decision", "--json"],
    );
    let document: Value = serde_json::from_str(&text).unwrap();
    let id = document["items"][0]["id"].as_str().unwrap().to_owned();
    let gone = run(&home, &dir, &["note", "insight", "gone", "--session", "one"]).trim().to_owned();
    run(&home, &dir, &["delete-memory", &gone, "--yes"]);
    for (command, expected) in [
        (format!("ringfence restore-memory {id}"), Some(&id)),
        (format!("ringfence restore-memory --at 2h {id}"), Some(&id)),
        (format!("ringfence restore-memory {gone}"), Some(&gone)),
        (format!("EDITOR='sed -i s/a/b/' ringfence edit-memory {id}"), Some(&id)),
        (format!("ringfence edit-memory {id} --text x --file y"), None),
        (format!("ringfence edit-memory {gone} --text x"), None),
        (format!("ringfence delete-memory {gone} --yes"), None),
        (format!("ringfence search-memory {id}"), None),
        (format!("ringfence log-memory --session {id}"), None),
        (format!("ringfence show-memory {id} --history"), None),
        ("ringfence restore-memory".to_owned(), None),
    ] {
        let expected: BTreeSet<String> = expected.into_iter().cloned().collect();
        assert_eq!(foretold(&home, &dir, &command), expected, "{command}");
    }
}
