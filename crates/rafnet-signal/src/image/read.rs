//! Opening pictures: the first bytes decide which decoder reads the rest, not the file's name.

use super::{Image, jpeg, png};
use crate::error::{Error, Result};
use crate::file::{describe_start, read_with};
use crate::wall::walled;
use std::path::Path;

const EXPECTED: &str = "a PNG or JPEG picture";

impl Image {
    /// Reads a PNG or JPEG file.
    ///
    /// A palette becomes colours, 1-, 2- and 4-bit grey becomes 8-bit, a transparent colour becomes opacity, and of an
    /// animation the first picture is read. Turning notes of cameras are not followed.
    ///
    /// # Errors
    /// If the file cannot be read or is not a complete and sound picture of these formats.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        read_with(path.as_ref(), EXPECTED, Self::from_bytes)
    }

    /// Reads a PNG or JPEG file that is in memory.
    ///
    /// # Errors
    /// If the bytes are not a complete and sound picture of these formats.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            Err(Error::Empty { expected: EXPECTED })
        } else if bytes.starts_with(png::MARK) {
            walled(png::FORMAT, || png::decode(bytes))
        } else if bytes.starts_with(jpeg::MARK) {
            walled(jpeg::FORMAT, || jpeg::decode(bytes))
        } else {
            let hint = "convert the picture to PNG";
            Err(Error::NotRecognised {
                expected: EXPECTED,
                found: describe_start(bytes),
                hint,
            })
        }
    }
}

/// Refuses a header that declares more samples than a file of this length can hold, before memory is asked for.
///
/// `most_per_byte` is how many samples the format's compression can make of one byte.
pub(super) fn check_plausible(
    format: &'static str,
    n_samples: usize,
    n_bytes: usize,
    most_per_byte: usize,
) -> Result<()> {
    if n_samples
        > n_bytes
            .saturating_mul(most_per_byte)
            .saturating_add(1 << 16)
    {
        let what =
            format!("the header declares {n_samples} samples, {n_bytes} bytes cannot hold them");
        return Err(Error::Truncated { format, what });
    }
    Ok(())
}
