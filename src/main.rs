//! The binary: everything is in the library.
//!
//! It is started by C's `main`: what Rust's own start does besides (reading /proc/self/maps for a
//! guard page, a handler for stack overflows) is a quarter of a harmless call's instructions, and
//! the hook has a backstop of its own. The rest of it is in `sys::start`.

#![no_main]

/// The program.
#[unsafe(no_mangle)]
extern "C" fn main(
    _count: std::ffi::c_int,
    _words: *const *const std::ffi::c_char,
) -> std::ffi::c_int {
    ringfence::sys::start::prepare();
    let code = ringfence::run();
    ringfence::sys::start::finish();
    code.into()
}
