//! Tests of wiring.
