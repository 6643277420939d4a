//! Tests of cli.

mod memory;
