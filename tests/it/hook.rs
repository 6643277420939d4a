//! Tests of hook.
