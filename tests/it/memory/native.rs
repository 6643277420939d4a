//! Our own store: what its writes do, what they leave behind, and what a crash leaves.
