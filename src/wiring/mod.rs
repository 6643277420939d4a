//! Everything we own on a machine, in one table; `install`, `uninstall`, `doctor` walk it.

pub mod backup;
pub mod binding;
pub mod change;
pub mod diff;
pub mod doctor;
pub mod document;
pub mod entry;
mod insert;
pub mod install;
pub mod install_server;
pub mod lint;
pub mod matcher;
pub mod owned;
pub mod places;
pub mod plugin;
pub mod print;
pub mod purge;
pub mod record;
pub mod schema;
pub mod scopes;
pub mod server;
pub mod settings;
pub mod shim;
mod splice;
pub mod table;
pub mod uninstall;
mod write;
