//! Any text in any dialect is read without a panic, and within the bounds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence::shell::{Dialect, NoFiles, Start, read};

fuzz_target!(|text: &str| {
    let start = Start { cwd: "/w".into(), home: "/home/u".into(), args: Vec::new() };
    for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
        let reading = read(text, dialect, &start, &NoFiles);
        assert!(reading.invocations.iter().all(|found| !found.argv.is_empty()));
    }
});
