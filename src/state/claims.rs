//! A call of the memory server proves its maker once: the hook's record of it names the maker, and
//! whoever shows the same id again is somebody else.

use super::State;
use crate::sys::file;

impl State {
    /// Takes the call `id`: `false` when somebody has taken it before. Where it cannot be written
    /// down, it counts as taken by this one.
    pub fn claim_call(&self, id: &str) -> bool {
        let dir = self.dir().join("claims");
        let mark = dir.join(super::digest(id));
        match file::private_dir(&dir).and_then(|()| file::write_new(&mark, b"")) {
            Ok(()) => true,
            Err(error) => error.kind() != std::io::ErrorKind::AlreadyExists,
        }
    }
}
