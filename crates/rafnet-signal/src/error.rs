//! What can go wrong between a file and an array.
//!
//! A reader that works on bytes does not know where they came from; the function that opened the file adds the path with
//! [`Error::within`]. Every message states what was found, what was expected and what to do about it.

use std::path::{Path, PathBuf};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A file or an array that cannot be used, and why.
///
/// ```
/// let error = rafnet_signal::image::Image::from_bytes(b"").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the file is empty; a PNG or JPEG picture was expected, copy or export it again"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to open, read, write or rename a file.
    #[error("cannot {action} `{path}`: {source}", path = path.display())]
    Io {
        /// What was being done: `read`, `write`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something is wrong inside a named file.
    #[error("`{path}`: {source}", path = path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<Error>,
    },
    /// The file has no bytes.
    #[error("the file is empty; {expected} was expected, copy or export it again")]
    Empty {
        /// What should have been there.
        expected: &'static str,
    },
    /// The first bytes belong to another kind of file.
    #[error("this is not {expected}: the file begins with {found}; {hint}")]
    NotRecognised {
        /// What should have been there.
        expected: &'static str,
        /// The name of what was recognised, or the first bytes.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// The data stop before they are complete.
    #[error("the {format} data are incomplete: {what}; copy or export the file again")]
    Truncated {
        /// The file format.
        format: &'static str,
        /// What is missing.
        what: String,
    },
    /// The data contradict their own format.
    #[error("the {format} data are damaged: {reason}; export the file again")]
    Damaged {
        /// The file format.
        format: &'static str,
        /// The contradiction.
        reason: String,
    },
    /// The file is sound, but uses a part of the format that is not read or written here.
    #[error("{format} with {feature} is not supported; {hint}")]
    Unsupported {
        /// The file format.
        format: &'static str,
        /// The part of it that is missing here.
        feature: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// More than can be held or written.
    #[error("{what} is too large: {found}, where at most {limit} is possible; {hint}")]
    TooLarge {
        /// The thing.
        what: &'static str,
        /// Its size.
        found: u64,
        /// The largest size.
        limit: u64,
        /// What to do.
        hint: &'static str,
    },
    /// More than memory holds.
    #[error("{0}; take a smaller or shorter one, or free some memory")]
    Memory(#[from] rafnet_memory::NotEnough),
    /// A slice does not have the length that its shape asks for.
    #[error(
        "{what} has {found} values, expected {expected}; pass one value for each sample and channel"
    )]
    Length {
        /// The slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length the shape asks for.
        expected: usize,
    },
    /// A width, height, rate or count outside what makes sense.
    #[error("{what} is {found}, expected {expected}")]
    Range {
        /// The quantity.
        what: &'static str,
        /// Its value.
        found: String,
        /// The values that are possible.
        expected: String,
    },
    /// A streaming writer got too few or too many parts.
    #[error(
        "{what}: {found} were written, {expected} were announced; write exactly as many as announced"
    )]
    Count {
        /// The parts.
        what: &'static str,
        /// How many came.
        found: u64,
        /// How many should have come.
        expected: u64,
    },
    /// A frame of a video has another size than the first.
    #[error(
        "frame {index} has {found_width} x {found_height} pixels, the first has {width} x {height}; bring all frames to one size"
    )]
    FrameSize {
        /// The frame, from 0.
        index: usize,
        /// Its width.
        found_width: usize,
        /// Its height.
        found_height: usize,
        /// The first frame's width.
        width: usize,
        /// The first frame's height.
        height: usize,
    },
    /// A cell of a table is not a number.
    #[error(
        "line {line}, column {number} (`{column}`): found `{found}`, expected a finite number such as -1.5e3; correct the cell or choose other columns"
    )]
    Cell {
        /// The line in the file, from 1.
        line: usize,
        /// The column's name.
        column: String,
        /// The column's place, from 1.
        number: usize,
        /// The cell's text.
        found: String,
    },
    /// A row of a table has more or fewer cells than the header.
    #[error(
        "line {line} has {found} cells, the header has {expected}; add or remove cells, or put text that holds a separator in double quotes"
    )]
    Ragged {
        /// The line in the file, from 1.
        line: usize,
        /// The cells in it.
        found: usize,
        /// The cells of the header.
        expected: usize,
    },
    /// A column was asked for that the table does not have.
    #[error("there is no column `{name}`;{} the columns are {}", did_you_mean(suggestion.as_deref()), known.join(", "))]
    NoColumn {
        /// The name asked for.
        name: String,
        /// The name that is nearest to it.
        suggestion: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// A column's name occurs twice, so that asking for it means nothing.
    #[error(
        "the header has the column `{name}` twice (columns {first} and {second}); rename one of them"
    )]
    TwinColumn {
        /// The name.
        name: String,
        /// The first place, from 1.
        first: usize,
        /// The second place, from 1.
        second: usize,
    },
    /// A text that is no table.
    #[error("{0}; correct the table or export it again")]
    Csv(#[from] rafnet_table::CsvError),
    /// A table has a header and nothing below it, or too few columns for inputs and outputs.
    #[error("the table has {found}, expected {expected}")]
    NoData {
        /// What there is.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
}

impl Error {
    /// The same error, said of a file.
    #[must_use]
    pub fn within(self, path: &Path) -> Self {
        match self {
            named @ (Self::Io { .. } | Self::In { .. }) => named,
            source => Self::In {
                path: path.to_owned(),
                source: Box::new(source),
            },
        }
    }

    /// For `map_err`: what the system said while doing `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!(" did you mean `{name}`?"))
}
