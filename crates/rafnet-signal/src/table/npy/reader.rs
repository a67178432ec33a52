//! Reading a `.npy` file some rows at a time, so that memory does not grow with the array.
//!
//! A row is everything that shares its first index. Of an array in Fortran order the rows are gathered column by column.

use super::header::{self, Header, Order};
use super::{EXPECTED, FORMAT, Values, n_values, not_recognised};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A longer header describes no array of numbers.
const LONGEST_HEADER: u64 = 1 << 20;

/// An open `.npy` file.
///
/// ```
/// use rafnet_signal::table::npy::{Array, NpyReader, Values};
///
/// let path = std::env::temp_dir().join(format!("rafnet-doc-{}.npy", std::process::id()));
/// Array::new(vec![3, 2], Values::I8(vec![1, 2, 3, 4, 5, 6]))?.save(&path)?;
/// let mut reader = NpyReader::open(&path)?;
/// assert_eq!(reader.shape(), [3, 2]);
/// assert_eq!(reader.next_rows(2)?, [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(reader.next_rows(2)?, [5.0, 6.0]);
/// assert!(reader.next_rows(2)?.is_empty());
/// # std::fs::remove_file(&path).expect("it was written");
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
pub struct NpyReader {
    path: PathBuf,
    file: BufReader<File>,
    header: Header,
    /// Where the values begin in the file.
    start: u64,
    next_row: usize,
}

impl NpyReader {
    /// Opens a file and reads its header; all values that it announces must be there.
    ///
    /// # Errors
    /// If the file cannot be read or is not a complete array of numbers.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::read_header(path).map_err(|error| error.within(path))
    }

    fn read_header(path: &Path) -> Result<Self> {
        let io = |error| Error::io("read", path)(error);
        let mut file = BufReader::new(File::open(path).map_err(io)?);
        let length = file.get_ref().metadata().map_err(io)?.len();
        let mut bytes = Vec::new();
        file.by_ref()
            .take(LONGEST_HEADER)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        if bytes.is_empty() {
            return Err(Error::Empty { expected: EXPECTED });
        }
        if let Some(error) = not_recognised(&bytes) {
            return Err(error);
        }
        let (header, behind) = header::read(&bytes)?;
        let start = (bytes.len() - behind.len()) as u64;
        Values::read(header.kind, header.size, header.endian, &[])?; // a type that is not read is refused now
        let expected = (n_values(&header.shape)? as u64).checked_mul(header.size as u64);
        let there = length.saturating_sub(start);
        if expected.is_none_or(|expected| there < expected) {
            let expected = expected.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
            let what = format!("{there} of {expected} bytes of values are there");
            return Err(Error::Truncated {
                format: FORMAT,
                what,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            start,
            next_row: 0,
        })
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// The next rows, at most `most` of them, as f64; none after the last.
    ///
    /// # Errors
    /// If the file cannot be read, or a 64-bit integer has no equal in f64.
    pub fn next_rows(&mut self, most: usize) -> Result<Vec<f64>> {
        let (n_rows, row) = match self.header.shape[..] {
            [] => (1, 1),
            [n, ref rest @ ..] => (n, rest.iter().product()),
        };
        let first = self.next_row;
        let count = most.min(n_rows - first);
        if count == 0 || row == 0 {
            return Ok(Vec::new());
        }
        let what = format_args!("{count} rows of {row} numbers");
        rafnet_memory::require(what, &[count, row, 8 + self.header.size])?;
        self.next_row += count;
        match self.header.order {
            Order::C => self.values(first * row, count * row),
            Order::Fortran => {
                let mut rows = vec![0.0; count * row];
                let shape = self.header.shape[1..].to_vec();
                for (place, column) in fortran_columns(&shape).enumerate() {
                    let values = self.values(column * n_rows + first, count)?;
                    let slots = rows[place..].iter_mut().step_by(row);
                    slots.zip(values).for_each(|(slot, value)| *slot = value);
                }
                Ok(rows)
            }
        }
    }

    /// Values that stand one after the other in the file.
    fn values(&mut self, first: usize, count: usize) -> Result<Vec<f64>> {
        let size = self.header.size;
        let mut bytes = vec![0; count * size];
        let begin = self.start + (first * size) as u64;
        let read = self.file.seek(SeekFrom::Start(begin));
        read.and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(Error::io("read", &self.path))?;
        let values = Values::read(self.header.kind, size, self.header.endian, &bytes);
        values
            .and_then(|values| values.to_f64())
            .map_err(|error| error.within(&self.path))
    }
}

/// For every column of a row, the last index fastest, its number in the file, where the first index is the fastest.
fn fortran_columns(shape: &[usize]) -> impl Iterator<Item = usize> {
    let n: usize = shape.iter().product();
    (0..n).map(move |place| {
        let mut rest = place;
        let indices = shape.iter().rev().map(|size| {
            let index = rest % size;
            rest /= size;
            (index, size)
        });
        indices.fold(0, |number, (index, size)| number * size + index)
    })
}
