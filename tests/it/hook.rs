//! The hook as the client runs it: payload in, answer and log out.

mod audit;
mod config_change;
mod failures;
mod hostile;
mod lifecycle;
mod logged;
mod payloads;
mod places;
mod retention;
mod shim;
mod world;
