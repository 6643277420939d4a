//! The remote scratchpad: library, commands, hook arm, and a real server on loopback.

mod commands;
mod library;
mod server;
