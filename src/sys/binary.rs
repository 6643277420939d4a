//! What kind of program a file is.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The program header that names a dynamic loader.
const PT_INTERP: u32 = 3;

/// Whether a 64-bit ELF program needs no dynamic loader; `None` if it is none.
pub fn is_static(path: &Path) -> Option<bool> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut head = [0; 64];
    file.read_exact(&mut head).ok()?;
    // Class 2 is 64 bits, data 1 is little endian.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let field = |at: usize| head.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let short = |at: usize| head.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes);
    let (table, size, count) = (field(0x20)?, short(0x36)?, short(0x38)?);
    for at in 0..u64::from(count) {
        file.seek(SeekFrom::Start(table + at * u64::from(size))).ok()?;
        let mut kind = [0; 4];
        file.read_exact(&mut kind).ok()?;
        if u32::from_le_bytes(kind) == PT_INTERP {
            return Some(false);
        }
    }
    Some(true)
}
