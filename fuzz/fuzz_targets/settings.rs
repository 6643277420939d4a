//! Any bytes: the settings editor never panics, what it writes it can read, and what it put in comes
//! out again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence::wiring::entry::{Entry, Form};
use ringfence::wiring::{document, lint, settings};

fuzz_target!(|bytes: &[u8]| {
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
});
