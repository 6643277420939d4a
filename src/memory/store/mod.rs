//! Stores on disk: ours (`native`) and Cortex's (`cortex`, read-only). SQL lives here only.

mod cortex;
mod open;

pub use cortex::CortexStore;
