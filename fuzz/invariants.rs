//! What must hold of any input: asked by the fuzz targets, and by the tests for the inputs that are kept.

#![allow(dead_code, reason = "each target asks one of them")]

use ringfence::payload::{self, Payload};
use ringfence::shell::{Dialect, NoFiles, Start, read};
use ringfence::wiring::entry::{Entry, Form};
use ringfence::wiring::{document, lint, settings};

/// Any text in any dialect is read without a panic, and within the bounds.
pub(crate) fn shell(text: &str) {
    let start = Start { cwd: "/w".into(), home: "/home/u".into(), args: Vec::new() };
    for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
        let reading = read(text, dialect, &start, &NoFiles);
        assert!(reading.invocations.len() <= 10_512 && reading.unclear.len() <= 65);
        for found in &reading.invocations {
            assert!(!found.argv.is_empty());
            assert!(found.at <= text.len() && found.end <= text.len());
            assert!(found.cwd.as_ref().is_none_or(|cwd| cwd.len() <= 8_192));
        }
    }
}

/// Any bytes as a payload are read without a panic.
pub(crate) fn payload(bytes: &[u8]) {
    drop(payload::object(bytes));
    if let Some(payload) = Payload::read(bytes) {
        drop(payload.request(None, None));
    }
}

/// The settings editor never panics, what it writes it can read, and what it put in comes out again.
pub(crate) fn settings(bytes: &[u8]) {
    drop(lint::lint(bytes));
    let entry = Entry {
        event: "PreToolUse",
        matcher: Some("*".to_owned()),
        command: "/opt/ringfence".to_owned(),
        args: vec!["hook".to_owned(), "pre-tool-use".to_owned()],
        form: Form::Exec,
        timeout: 5,
    };
    let Ok(added) = settings::add(bytes, std::slice::from_ref(&entry), "/opt/ringfence") else {
        return;
    };
    assert!(document::read(&added.bytes).is_ok());
    let again = settings::add(&added.bytes, &[entry], "/opt/ringfence").unwrap();
    assert_eq!(again.bytes, added.bytes);
    let removed = settings::remove(&added.bytes, "/opt/ringfence", Some(&added.made)).unwrap();
    let root = document::read(&removed).unwrap();
    let left = root.map_or(0, |root| settings::registered(&root, "/opt/ringfence").len());
    assert_eq!(left, 0);
}
