//! Any input to the shell reader: see `invariants.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../invariants.rs"]
mod invariants;

fuzz_target!(|input: &str| invariants::shell(input));
