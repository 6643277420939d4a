//! Which stores a call reaches, and which paths are protected.
