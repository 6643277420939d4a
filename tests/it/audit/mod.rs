//! The audit: its judge as a full truth table, its facts, its probes.

mod core;
mod deployments;
mod facts;
mod probe;
