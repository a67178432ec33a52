//! Tables and files: what the library, the readers of signals and the command share of them.
//!
//! [`AtomicFile`] appears whole or not at all; [`Records`] reads CSV texts of any length, a record at a time.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod atomic_file;
mod csv;
mod record;

pub use atomic_file::AtomicFile;
pub use csv::Records;
pub use record::{CsvError, Record, quoted};
