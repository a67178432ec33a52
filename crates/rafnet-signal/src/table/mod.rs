//! Tables: numbers in named columns, and plain arrays.
//!
//! [`Table`] reads CSV with a header, the columns chosen by name as inputs and outputs; [`npy`] reads and writes NumPy's
//! `.npy` files.

mod csv;
mod nearest;
pub mod npy;

pub use csv::{Table, read_header, write_csv};
