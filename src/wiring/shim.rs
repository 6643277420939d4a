//! The shell shim, as this binary carries it.

/// The text that `install --shim` writes beside the binary; `None` where it was built without.
pub const TEXT: Option<&str> = Some(include_str!("../../hooks/ringfence.sh"));
