//! Replacements of parts of a text, applied together. Pure.

#![forbid(unsafe_code)]

/// One replacement: the bytes from `start` to `end` become `text`.
pub(super) struct Splice {
    start: usize,
    end: usize,
    text: String,
}

impl Splice {
    pub(super) fn new(start: usize, end: usize, text: String) -> Self {
        Self { start, end, text }
    }
}

/// Applies splices that do not overlap.
pub(super) fn apply(bytes: &[u8], mut splices: Vec<Splice>) -> Vec<u8> {
    splices.sort_by_key(|splice| splice.start);
    let mut out = Vec::with_capacity(bytes.len() + 512);
    let mut at = 0;
    for splice in &splices {
        out.extend_from_slice(bytes.get(at..splice.start).unwrap_or_default());
        out.extend_from_slice(splice.text.as_bytes());
        at = splice.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}
