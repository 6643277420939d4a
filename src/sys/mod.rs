//! The edge: environment, clock, files, processes. All else asks here.

pub mod backstop;
pub mod binary;
pub mod child;
pub mod clock;
pub mod confine;
pub mod dirs;
pub mod env;
pub mod file;
pub mod git;
pub mod held;
pub mod lines;
pub mod memory;
pub mod pieces;
pub mod place;
pub mod process;
pub mod proof;
pub mod quiet;
pub mod replace;
pub mod signals;
pub mod spool;
pub mod start;
pub mod terminal;
pub mod tree;
pub mod ward;
