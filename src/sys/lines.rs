//! Standard input and output as lines, for a server that talks on them.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]

use std::collections::VecDeque;
use std::io;

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// A line of standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its bytes, without the newline.
    Text(Vec<u8>),
    /// It was longer than the limit, and is gone.
    TooLong,
}

/// The lines of standard input. All that is there is read before the first of it is given out, so
/// that a later line can take an earlier one back.
#[derive(Debug)]
pub struct Lines {
    longest: usize,
    /// The beginning of the next line.
    begun: Vec<u8>,
    skipping: bool,
    ended: bool,
    waiting: VecDeque<Line>,
}

impl Lines {
    /// Lines of at most `longest` bytes; about twice that much waits at the most.
    pub fn new(longest: usize) -> Self {
        Self { longest, begun: Vec::new(), skipping: false, ended: false, waiting: VecDeque::new() }
    }

    /// The next line, waited for; `None` at the end. `seen` is told of each line when it arrives.
    pub fn next(&mut self, seen: &mut dyn FnMut(&[u8])) -> Option<Line> {
        while self.waiting.is_empty() && !self.ended {
            self.read(seen);
        }
        while !self.ended && self.size() < self.longest && is_readable() {
            self.read(seen);
        }
        self.waiting.pop_front()
    }

    fn size(&self) -> usize {
        let waiting: usize = self
            .waiting
            .iter()
            .map(|line| if let Line::Text(bytes) = line { bytes.len() } else { 0 })
            .sum();
        waiting + self.begun.len()
    }

    fn read(&mut self, seen: &mut dyn FnMut(&[u8])) {
        let mut piece = vec![0; PIECE];
        // SAFETY: the pointer and length are those of a live buffer.
        let count = unsafe { libc::read(0, piece.as_mut_ptr().cast(), piece.len()) };
        match usize::try_from(count) {
            Ok(0) => self.end(seen),
            Ok(count) => self.take(piece.get(..count).unwrap_or_default(), seen),
            Err(_) => {
                if passing(io::Error::last_os_error(), 0, libc::POLLIN).is_err() {
                    self.end(seen);
                }
            }
        }
    }

    fn end(&mut self, seen: &mut dyn FnMut(&[u8])) {
        self.ended = true;
        if !self.begun.is_empty() || self.skipping {
            self.finish(seen);
        }
    }

    fn take(&mut self, mut piece: &[u8], seen: &mut dyn FnMut(&[u8])) {
        while let Some(at) = memchr::memchr(b'\n', piece) {
            self.add(piece.get(..at).unwrap_or_default());
            self.finish(seen);
            piece = piece.get(at + 1..).unwrap_or_default();
        }
        self.add(piece);
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.skipping || self.begun.len() + bytes.len() > self.longest {
            self.skipping = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn finish(&mut self, seen: &mut dyn FnMut(&[u8])) {
        let bytes = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.skipping) {
            self.waiting.push_back(Line::TooLong);
        } else {
            seen(&bytes);
            self.waiting.push_back(Line::Text(bytes));
        }
    }
}

/// Whether something can be read, or the other side has left, at this moment.
fn is_readable() -> bool {
    let mut one = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
    // SAFETY: one descriptor, and the count says so.
    unsafe { libc::poll(&raw mut one, 1, 0) > 0 }
}

/// Waits out an error that passes: a signal, or a side that is not ready. Any other is given back.
fn passing(error: io::Error, fd: i32, events: i16) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Interrupted {
        return Ok(());
    }
    if error.kind() != io::ErrorKind::WouldBlock {
        return Err(error);
    }
    let mut one = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one descriptor, and the count says so.
    let _ready = unsafe { libc::poll(&raw mut one, 1, -1) };
    Ok(())
}

/// Writes one line to standard output; a newline is added.
///
/// # Errors
/// As the system says: mostly that the other side has left.
pub fn write_line(line: &str) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        // SAFETY: the pointer and length are those of a live slice.
        let written = unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(_) => passing(io::Error::last_os_error(), 1, libc::POLLOUT)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_lines_and_what_is_too_long_is_skipped() {
        let mut lines = Lines::new(5);
        let mut seen = Vec::new();
        let mut told = |line: &[u8]| seen.push(line.to_vec());
        lines.take(b"ab", &mut told);
        lines.take(b"c\n\n123456", &mut told);
        lines.take(b"789\nx\n12345\nend", &mut told);
        lines.end(&mut told);
        let text = |text: &str| Line::Text(text.as_bytes().to_vec());
        let all: Vec<Line> = lines.waiting.into_iter().collect();
        assert_eq!(
            all,
            [text("abc"), text(""), Line::TooLong, text("x"), text("12345"), text("end")]
        );
        assert_eq!(seen.len(), 5);
    }
}
