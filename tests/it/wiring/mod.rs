//! Tests of wiring: settings, install, uninstall, doctor.

mod corpus;
mod doctor;
mod install;
