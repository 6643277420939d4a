//! The shell reader, row by row.

mod shapes;
