//! The shell reader, row by row.

mod bash;
mod properties;
mod shapes;
