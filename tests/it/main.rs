//! The one integration binary.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "tests touch the machine and fail by panicking"
)]

mod support;

mod audit;
mod cli;
mod contain;
mod grant;
mod guard;
mod hook;
mod install_script;
mod layers;
mod mcp;
mod memory;
mod posture;
mod readme;
mod report;
mod sandbox;
mod scratchpad;
mod seeds;
mod shell;
mod wiring;
