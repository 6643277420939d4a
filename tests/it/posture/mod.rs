//! Exec posture: what is granted, what is required, whose terminal.

mod resolve;
mod terminal;
