//! Any input to the payload reader: see `invariants.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../invariants.rs"]
mod invariants;

fuzz_target!(|input: &[u8]| invariants::payload(input));
