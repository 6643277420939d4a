//! Tests of cli.

mod log;
mod manual;
mod memory;
mod snapshot;
mod transfer;
