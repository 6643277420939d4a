//! Tests of cli.

mod memory;
mod transfer;
