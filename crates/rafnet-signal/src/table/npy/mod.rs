//! NumPy's `.npy` files: one array of numbers with its shape.
//!
//! Read in the type they were stored in, little- or big-endian, C or Fortran order; handed out in C order. Written in
//! version 1.0 of the format, little-endian, C order. Truth: files written by NumPy, in `tests/golden`.

mod element;
mod header;
mod reader;
mod writer;

pub use element::{Element, Values};
pub use reader::NpyReader;
pub use writer::NpyWriter;

use crate::error::{Error, Result};
use crate::file::{describe_start, read_with};
use std::path::Path;

const FORMAT: &str = "NumPy";
const EXPECTED: &str = "a NumPy array (.npy)";
const MARK: &[u8] = b"\x93NUMPY";

/// An array of any number of dimensions, the last index fastest.
///
/// ```
/// use rafnet_signal::table::npy::{Array, Values};
///
/// let array = Array::new(vec![2, 3], Values::I32(vec![1, 2, 3, 4, 5, 6]))?;
/// assert_eq!(Array::from_bytes(&array.to_bytes())?, array);
/// assert_eq!(array.to_f64()?[5], 6.0);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Values,
}

impl Array {
    /// An array from its values in C order.
    ///
    /// # Errors
    /// If the number of values is not the product of the shape.
    pub fn new(shape: Vec<usize>, values: Values) -> Result<Self> {
        let expected = n_values(&shape)?;
        if values.len() != expected {
            return Err(Error::Length {
                what: "an array",
                found: values.len(),
                expected,
            });
        }
        Ok(Self { shape, values })
    }

    /// Reads a `.npy` file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a complete array of numbers.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        read_with(path.as_ref(), EXPECTED, Self::from_bytes)
    }

    /// Reads a `.npy` file that is in memory.
    ///
    /// # Errors
    /// If the bytes are not a complete array of numbers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::Empty { expected: EXPECTED });
        }
        if let Some(error) = not_recognised(bytes) {
            return Err(error);
        }
        let (header, body) = header::read(bytes)?;
        let n = n_values(&header.shape)?;
        let expected = n.saturating_mul(header.size);
        if body.len() < expected {
            let what = format!("{} of {expected} bytes of values are there", body.len());
            return Err(Error::Truncated {
                format: FORMAT,
                what,
            });
        }
        let values = Values::read(header.kind, header.size, header.endian, &body[..expected])?;
        let values = match header.order {
            header::Order::C => values,
            header::Order::Fortran => values.permute(&fortran_places(&header.shape)),
        };
        Self::new(header.shape, values)
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values in C order.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The values in C order as f64.
    ///
    /// # Errors
    /// If a 64-bit integer has no equal in f64.
    pub fn to_f64(&self) -> Result<Vec<f64>> {
        self.values.to_f64()
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header::write(self.values.type_name(), &self.shape);
        self.values.append_to(&mut bytes);
        bytes
    }

    /// Writes a `.npy` file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        crate::file::write_with(path.as_ref(), |out| {
            std::io::Write::write_all(out, &self.to_bytes())
        })
    }
}

/// The header of a table of f64 that is written row by row: as long whatever the number of rows, so that it can be written again once they
/// are counted.
pub fn table_header(rows: usize, columns: usize) -> Vec<u8> {
    header::write(f64::NAME, &[rows, columns])
}

/// What to say of bytes that do not begin as an array does.
fn not_recognised(bytes: &[u8]) -> Option<Error> {
    let known = MARK.starts_with(&bytes[..bytes.len().min(MARK.len())]);
    (!known).then(|| Error::NotRecognised {
        expected: EXPECTED,
        found: describe_start(bytes),
        hint: "write the array with numpy.save, or pass a CSV table",
    })
}

/// The product of the shape.
fn n_values(shape: &[usize]) -> Result<usize> {
    shape
        .iter()
        .try_fold(1usize, |n, &size| n.checked_mul(size))
        .ok_or_else(|| {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            Error::Range {
                what: "the shape of an array",
                found: format!("({})", sizes.join(", ")),
                expected: format!("fewer than 2^{} values in all", usize::BITS),
            }
        })
}

/// For every value in C order, its place in Fortran order, where the first index is the fastest.
fn fortran_places(shape: &[usize]) -> Vec<usize> {
    let n: usize = shape.iter().product();
    let mut places = Vec::with_capacity(n);
    let mut index = vec![0; shape.len()];
    for _ in 0..n {
        places.push(
            index
                .iter()
                .zip(shape)
                .rev()
                .fold(0, |place, (&i, &size)| place * size + i),
        );
        for (i, &size) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < size {
                break;
            }
            *i = 0;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::table_header;

    #[test]
    fn a_table_header_is_as_long_whatever_the_rows() {
        for columns in [1, 3, 500_000] {
            for rows in [0, 1, 1 << 20, usize::MAX] {
                assert_eq!(table_header(rows, columns).len(), 128);
            }
        }
    }
}
