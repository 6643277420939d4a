//! The backstop of a hook call: whatever goes wrong becomes the arm's fixed answer and status 0.
//!
//! Handlers for faults, aborts and an alarm run on a stack of their own; the alarm covers the whole
//! call, so that a hang ends as well.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// How long a call may last before the fixed answer is given.
const LIMIT_SECONDS: libc::time_t = 1;

/// Size of the handlers' stack: they only write and exit.
const STACK: usize = 16 * 1024;

static ANSWER: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Installs the backstop with `answer` as the fixed answer; nothing for an arm that fails open.
///
/// After a panic `on_panic` is told the place (`src/x.rs:12`); a panic of its own ends the same way.
pub fn install(answer: &'static [u8], on_panic: fn(&str)) {
    answer_with(answer);
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        on_panic(place.as_deref().unwrap_or_default());
        give_up()
    }));
    alternate_stack();
    for signal in [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGABRT,
        libc::SIGILL,
        libc::SIGFPE,
        libc::SIGALRM,
        libc::SIGTERM,
    ] {
        handle(signal);
    }
    extend(LIMIT_SECONDS);
}

/// Another fixed answer from here on.
pub fn answer_with(answer: &'static [u8]) {
    // The length first is zero: between the two stores nothing must be written of the new one.
    LENGTH.store(0, Ordering::SeqCst);
    ANSWER.store(answer.as_ptr().cast_mut(), Ordering::SeqCst);
    LENGTH.store(answer.len(), Ordering::SeqCst);
}

/// Gives the call this many seconds from now instead.
pub fn extend(seconds: libc::time_t) {
    let limit = libc::timeval { tv_sec: seconds, tv_usec: 0 };
    let once = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: once, it_value: limit };
    // SAFETY: `timer` is a valid value that outlives the call; the old value is not asked for.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

/// Microseconds since [`install`]: what the interval timer has counted down. It costs a call that
/// asks for it one system call, and every other call nothing.
pub fn elapsed_us() -> Option<u64> {
    let zero = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let mut left = libc::itimerval { it_interval: zero, it_value: zero };
    // SAFETY: `left` is a valid place for the answer and outlives the call.
    let failed = unsafe { libc::getitimer(libc::ITIMER_REAL, &raw mut left) } != 0;
    let left = left.it_value.tv_sec * 1_000_000 + left.it_value.tv_usec;
    let elapsed = u64::try_from(LIMIT_SECONDS * 1_000_000 - left).ok()?;
    // A timer that stands still was never started.
    (!failed && left > 0).then_some(elapsed)
}

/// The handlers' stack: zero pages of the image, so that nobody has to clear them.
static mut HANDLERS_STACK: [u8; STACK] = [0; STACK];

fn alternate_stack() {
    let place = (&raw mut HANDLERS_STACK).cast();
    let stack = libc::stack_t { ss_sp: place, ss_flags: 0, ss_size: STACK };
    // SAFETY: the memory lives as long as the process, nothing else uses it, the size is its own.
    unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
}

fn handle(signal: libc::c_int) {
    // SAFETY: all-zero is a valid `sigaction`; every field that matters is set below.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
    action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
    // SAFETY: the handler only calls async-signal-safe functions; the old action is not asked for.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

extern "C" fn on_signal(_signal: libc::c_int) {
    give_up();
}

/// Writes the fixed answer and ends the process with status 0.
fn give_up() -> ! {
    let (answer, length) = (ANSWER.load(Ordering::SeqCst), LENGTH.load(Ordering::SeqCst));
    if !answer.is_null() && length > 0 {
        // SAFETY: pointer and length are those of the `'static` slice given to `install`.
        unsafe { libc::write(1, answer.cast_const().cast(), length) };
    }
    super::process::leave()
}

/// Fails on purpose, for the tests of the backstop: `hook self-test-WHAT`.
pub fn fail_on_purpose(what: &str) {
    match what {
        "panic" => std::panic::panic_any("on purpose"),
        "abort" => std::process::abort(),
        "overflow" => {
            std::hint::black_box(overflow(1));
        }
        "fault" => {
            // SAFETY: none; the fault is what is tested.
            unsafe { std::ptr::null_mut::<u8>().write_volatile(1) };
        }
        "hang" => loop {
            std::thread::sleep(std::time::Duration::from_secs(60));
        },
        _ => {}
    }
}

#[expect(unconditional_recursion, reason = "the stack must run out")]
fn overflow(depth: u64) -> u64 {
    let page = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + page.iter().sum::<u64>()
}
