//! Inputs that fuzzing found worth keeping, read again.

#[path = "../../fuzz/invariants.rs"]
mod invariants;

/// The lines of `fuzz/seeds/NAME.txt` as bytes.
fn inputs(name: &str) -> Vec<Vec<u8>> {
    let path = format!("{}/fuzz/seeds/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let inputs: Vec<Vec<u8>> =
        std::fs::read_to_string(path).unwrap().lines().map(unescape).collect();
    assert!(inputs.len() > 100, "only {} inputs", inputs.len());
    inputs
}

fn unescape(line: &str) -> Vec<u8> {
    let mut pieces = line.split("\\x");
    let mut out = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        out.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        out.extend_from_slice(&piece.as_bytes()[2..]);
    }
    out
}

#[test]
fn kept_texts_are_read_within_the_bounds() {
    for input in inputs("shell") {
        if let Ok(text) = std::str::from_utf8(&input) {
            invariants::shell(text);
        }
    }
}

#[test]
fn kept_payloads_are_read_without_a_panic() {
    for input in inputs("payload") {
        invariants::payload(&input);
    }
}

#[test]
fn kept_settings_come_out_as_they_went_in() {
    for input in inputs("settings") {
        invariants::settings(&input);
    }
}
