//! Tests of readme.
