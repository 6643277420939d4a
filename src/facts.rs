//! The guard's facts, gathered from the machine: finds stores, resolves paths, reads scripts.
