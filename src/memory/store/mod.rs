//! Stores on disk: ours (`native`) and Cortex's (`cortex`, read-only). SQL lives here only.

mod columns;
mod cortex;
mod cortex_notes;
pub mod native;
mod open;
mod project;
pub mod snapshot;
mod survey;

pub use cortex::{CortexStore, Sitting};
pub use cortex_notes::copy as copy_cortex;
pub use native::NativeStore;
pub use project::Project;
pub use survey::{Survey, quick_check, survey};

/// Whether the file at `path` is a store of ours: by its header, or by its name while it has none.
pub fn is_native(path: &std::path::Path) -> bool {
    // Bytes 68 to 71 of a database are its `application_id`.
    match crate::sys::file::read_head(path, 72) {
        Ok(head) if head.len() == 72 => head.get(68..72) == Some(b"RgFn".as_slice()),
        _ => path.file_name().is_some_and(|name| name == "memory.db"),
    }
}
