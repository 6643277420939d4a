//! Tests of install and uninstall on files.
