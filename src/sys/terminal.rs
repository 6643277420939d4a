//! The terminal that standard output may be.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

/// The columns of the terminal on standard output; `None` when it is none.
pub fn columns() -> Option<usize> {
    // SAFETY: all-zero is a valid `winsize`.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: `size` is a valid place for the answer and outlives the call.
    let failed = unsafe { libc::ioctl(1, libc::TIOCGWINSZ, &raw mut size) } != 0;
    match (failed, size.ws_col) {
        (true, _) => None,
        // A terminal that does not know its size.
        (false, 0) => Some(80),
        (false, columns) => Some(usize::from(columns)),
    }
}
