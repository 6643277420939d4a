//! Signals that ask a process to end.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

/// What asks a process to end: of the client, of a terminal, of a session that is over.
const ASKING: [i32; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// Runs `last` once such a signal comes, in a thread of its own, and ends the process with status 0.
///
/// Called before any other thread is started: those inherit that the signals are held back.
///
/// # Errors
/// When there can be no thread.
pub fn on_ending(last: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    // SAFETY: an all-zero set is a valid one, and it is emptied before use.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is ours; the signals are valid; the old mask is not asked for.
    let held = unsafe {
        libc::sigemptyset(&raw mut set);
        for signal in ASKING {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut())
    };
    if held != 0 {
        return Err(std::io::Error::from_raw_os_error(held));
    }
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut signal = 0;
        // SAFETY: the set is initialised, and `signal` is a live place for the answer.
        while unsafe { libc::sigwait(&raw const set, &raw mut signal) } != 0 {}
        last();
        super::process::leave();
    })?;
    Ok(())
}
