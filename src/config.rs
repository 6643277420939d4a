//! Finds and reads the owner's configuration.
