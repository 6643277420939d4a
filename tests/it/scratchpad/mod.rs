//! The remote scratchpad: library, commands, hook arm, and a real server on loopback.

mod commands;
mod hostile;
mod kubectl;
mod library;
mod server;
