//! Exec posture: what is granted, what is required, whose terminal.

mod hook;
mod resolve;
mod terminal;
