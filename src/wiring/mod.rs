//! Everything we own on a machine, in one table; `install`, `uninstall`, `doctor` walk it.

pub mod document;
pub mod entry;
pub mod print;
pub mod settings;
