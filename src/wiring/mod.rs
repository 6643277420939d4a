//! Everything we own on a machine, in one table; `install`, `uninstall`, `doctor` walk it.
