//! What commands print: nothing that a directory's name could do to a terminal, nothing that is lost
//! in silence.

use std::process::{Command, Stdio};

use crate::support::{BINARY, Home};

/// A name that clears the screen and writes a line of its own.
const NAME: &str = "a\u{1b}[2J\nall is well\u{202e}";

#[test]
fn a_directory_s_name_does_nothing_to_the_terminal() {
    let home = Home::new();
    home.dir(&format!("{NAME}/.claude"));
    home.dir(&format!("{NAME}/.git"));
    let place = home.path().join(NAME);
    let run = |words: &[&str]| {
        let output = Command::new(BINARY)
            .args(words)
            .current_dir(&place)
            .env_clear()
            .env("HOME", &place)
            .env("PATH", "/usr/bin:/bin")
            // As on a terminal: escapes are passed on.
            .env("CLICOLOR_FORCE", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let both = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(both).unwrap())
    };
    run(&["note", "insight", "Tables are sorted.", "--session", "monday"]);
    for words in [
        &["install", "--dry-run"][..],
        &["install"],
        &["install", "--scope", "project"],
        &["status"],
        &["doctor"],
        &["snapshot"],
        &["snapshot", "list"],
        &["list-memory"],
        &["posture"],
        &["report", "-o", "page.html"],
        &["explain", "cortex gc"],
        &["import", "nothing.jsonl"],
        &["uninstall", "--scope", "project"],
        &["uninstall", "--purge"],
        &["uninstall"],
    ] {
        let (_, text) = run(words);
        for bad in ["\u{1b}[2J", "\nall is well", "\u{202e}"] {
            assert!(!text.contains(bad), "{words:?}: {text}");
        }
    }
}

#[test]
fn what_a_full_disk_did_not_keep_is_a_failure() {
    let home = Home::new();
    let note = home.run(&["note", "insight", "Tables are sorted.", "--session", "monday"], b"");
    assert_eq!(note.code, Some(0));
    for words in [&["export"][..], &["list-memory"], &["list-memory", "--json"], &["man"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(BINARY)
            .args(words)
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.starts_with("error: standard output could not be written:"), "{said}");
    }
}

#[test]
fn a_home_that_is_no_absolute_path_is_none() {
    let home = Home::new();
    for (words, code) in [(&["install"][..], Some(1)), (&["hook", "pre-tool-use"], Some(0))] {
        let output = Command::new(BINARY)
            .args(words)
            .current_dir(home.path())
            .env_clear()
            .env("HOME", "here")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), code, "{words:?}");
        assert!(!home.path().join("here").exists(), "{words:?} made something");
    }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    let home = Home::new();
    for words in [&["install"][..], &["status"], &["audit"], &["doctor"]] {
        for columns in [80, 120] {
            let text = home.on_terminal(words, columns);
            // A fix is left whole, it is there to be copied; so are a program's path and what is said
            // aside.
            let whole = ["fix: ", "warning: ", BINARY];
            let lines = text.lines().filter(|line| !whole.iter().any(|one| line.contains(one)));
            let widest = lines.max_by_key(|line| line.chars().count()).unwrap();
            assert!(widest.chars().count() <= usize::from(columns), "{words:?}: {widest}");
        }
    }
}
