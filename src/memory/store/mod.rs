//! Stores on disk: ours (`native`) and Cortex's (`cortex`, read-only). SQL lives here only.

mod cortex;
mod open;
mod project;

pub use cortex::CortexStore;
pub use project::Project;
