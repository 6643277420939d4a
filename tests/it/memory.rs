//! Tests of memory.
