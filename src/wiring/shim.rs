//! The shell shim, as this binary carries it.

/// The text that `install --shim` writes beside the binary.
pub const TEXT: &str = include_str!("../../hooks/ringfence.sh");
