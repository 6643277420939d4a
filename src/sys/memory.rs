//! The heap, laid out before it is needed.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

/// Linux 5.14: maps and clears a range at once.
const MADV_POPULATE_WRITE: libc::c_int = 23;

/// The larger of what malloc gives back to the system and of what it maps apart, in bytes: more than
/// a hook call ever asks for at once.
const KEEP: libc::c_int = 64 * 1024 * 1024;

/// Maps the next `bytes` of the heap in one call.
///
/// Each page that is touched for the first time costs a fault, and a store look-up touches about a
/// hundred: measured, they were half of its time. Older kernels refuse the call, and nothing is lost.
pub fn lay_out_heap(bytes: usize) {
    // SAFETY: both calls only set malloc's own limits.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEEP);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEEP);
    }
    // SAFETY: the block is ours until it is freed below; the range handed to `madvise` is rounded
    // inwards to whole pages of the block, and populating a range does not change what it holds.
    unsafe {
        let block = libc::malloc(bytes);
        if !block.is_null() {
            let start = (block as usize).next_multiple_of(4096);
            let end = (block as usize + bytes) & !4095;
            if end > start {
                libc::madvise(start as *mut libc::c_void, end - start, MADV_POPULATE_WRITE);
            }
            libc::free(block);
        }
    }
}
