//! Tests of cli.

mod log;
mod manual;
mod memory;
mod pending;
mod snapshot;
mod transfer;
