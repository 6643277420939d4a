//! The decision, on real Cortex stores: rows of states, calls and expected verdicts.

mod attacks;
mod bounds;
mod corpus;
mod doubts;
mod explain;
mod native;
mod programs;
mod properties;
mod reasons;
mod world;
