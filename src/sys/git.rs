//! What a work tree says about itself, read from its files: no git process on the hook path.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the edge")]
