//! Tests of cli.

mod log;
mod memory;
mod transfer;
