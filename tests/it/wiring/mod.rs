//! Tests of wiring: settings, install, uninstall, doctor.

mod corpus;
mod doctor;
mod install;
mod kills;
mod plugin;
mod scopes;
mod server;

/// Copies the binary by another process: a file that this one had open for writing could not be
/// started while another test forks.
fn copy_binary(to: &std::path::Path) {
    let done = std::process::Command::new("cp").arg(crate::support::BINARY).arg(to).status();
    assert!(done.unwrap().success());
}

/// A home on whose PATH there is nothing, and so no client either.
fn bare_home() -> crate::support::Home {
    crate::support::Home::new().env("PATH", "/nonexistent")
}
