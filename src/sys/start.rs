//! What a process needs before anything else, and after everything.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::io::Write;

/// Sees to it that the three standard files are open, so that no other file gets one of their
/// numbers, and that a reader who has left is an error and not a signal.
pub fn prepare() {
    for number in 0..3 {
        // SAFETY: only asks whether the descriptor is open.
        let closed = unsafe { libc::fcntl(number, libc::F_GETFD) } == -1;
        if closed {
            // SAFETY: the path ends with a zero byte; the descriptor is kept for good. The lowest
            // free number is taken, which is this one.
            unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        }
    }
    // SAFETY: sets a disposition without a handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

/// Writes out what is still held back.
pub fn finish() {
    drop(std::io::stdout().flush());
}
