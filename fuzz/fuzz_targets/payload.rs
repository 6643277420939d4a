//! Any bytes as a payload: read without a panic, whatever they are.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence::payload::{self, Payload};

fuzz_target!(|bytes: &[u8]| {
    drop(payload::object(bytes));
    if let Some(payload) = Payload::read(bytes) {
        drop(payload.request(None, None));
    }
});
