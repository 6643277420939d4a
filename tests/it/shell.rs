//! The shell reader, row by row.

mod bash;
mod bench;
mod grammar;
mod properties;
mod shapes;
