//! Tests of cli.

mod log;
mod manual;
mod memory;
mod pending;
mod screens;
mod snapshot;
mod transfer;
