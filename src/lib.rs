//! Ringfence: a PreToolUse hook that keeps a subagent's hands off memory it did not write.
//!
//! The layers, top down; a test enforces the arrows between them (`tests/it/layers.rs`):
//! doors (`hook`, `cli`, `mcp`) → what touches the machine (`facts`, `wiring`, `memory::store`, `state`,
//! `config`) → `sys`, the edge; and beside them the pure judges (`guard`, `shell`, `memory`'s
//! rules, `request`, `decision`), which know no file, clock, environment or process.

pub mod decision;
pub mod guard;
pub mod memory;
pub mod payload;
pub mod posture;
pub mod request;
pub mod shell;

pub mod audit;
pub mod config;
pub mod facts;
pub mod report;
pub mod sandbox;
pub mod scratchpad;
pub mod state;
pub mod sys;
pub mod wiring;

mod cli;
pub mod hook;
mod mcp;

/// Runs the program, and says its exit code: what must start fast is dispatched before any argument parser.
pub fn run() -> u8 {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|first| first.to_str()) {
        Some("hook") => hook::run(args),
        Some(posture::boundary::inside::NAME) => cli::contain_inside(args),
        // Doors do not know each other: this is where the command finds the server.
        _ => cli::run(mcp::serve),
    }
}
