//! Tables of numbers in files: points to read, columns to write, as `.npy` or CSV, block by block.
//!
//! A CSV file may have a header; then columns are found by name, in any order, and others are passed over. Without one they must
//! be the coordinates in order. Output is f64: `.npy` with shape (rows, columns), CSV with a header and the shortest decimals
//! that are read back to the same bits. A file that could not be finished is not left behind.

mod points;
mod writer;

pub(crate) use points::PointsFile;
pub(crate) use writer::TableWriter;

use crate::output::Failure;
use std::path::Path;

/// The kinds of files, by their extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Npy,
    Csv,
}

impl Kind {
    /// The kind of a file; `option` is what the user typed before its name.
    pub(crate) fn of(path: &Path, option: &str) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "csv" => Ok(Self::Csv),
            _ => Err(Failure {
                message: format!(
                    "`{}` has the extension `{extension}`; expected `.npy` or `.csv`",
                    path.display()
                ),
                hint: format!("pass `{option}` with a name that ends in .npy or .csv"),
            }),
        }
    }
}
