//! The shell reader, row by row.

mod bash;
mod bench;
mod grammar;
mod hostile;
mod properties;
mod shapes;
