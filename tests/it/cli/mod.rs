//! Tests of cli.

mod log;
mod memory;
mod snapshot;
mod transfer;
