//! Stores on disk: ours (`native`) and Cortex's (`cortex`, read-only). SQL lives here only.
