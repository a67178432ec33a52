//! Writing PNG row by row, so that a picture of any size needs the memory of a few rows.

use super::{Channels, Depth, Image, Samples, sample_count};
use crate::error::{Error, Result};
use crate::file::{commit, create, handle};
use png::{BitDepth, ColorType, EncodingError, StreamWriter};
use rafnet_table::AtomicFile;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 16;

/// The last twelve bytes of every PNG file.
const END: [u8; 12] = *b"\0\0\0\0IEND\xae\x42\x60\x82";

/// A PNG file that is being written, from the first row to the last.
///
/// It appears under its name when [`PngWriter::finish`] succeeds; dropped before that, it leaves nothing behind.
///
/// ```
/// use rafnet_signal::image::{Channels, Depth, Image, PngWriter};
/// # let path = std::env::temp_dir().join(format!("rafnet-doc-png-{}.png", std::process::id()));
///
/// let mut writer = PngWriter::create(&path, 3, 2, Channels::Grey, Depth::Sixteen)?;
/// writer.write_row(&[0, 1, 2])?;
/// writer.write_row(&[3, 4, 65_535])?;
/// writer.finish()?;
/// assert_eq!(Image::open(&path)?.target_at(5), 1.0);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
pub struct PngWriter {
    // before the file, so that its handle is closed before the temporary file is removed
    stream: StreamWriter<'static, File>,
    file: AtomicFile,
    depth: Depth,
    row_samples: usize,
    n_rows: usize,
    n_written: usize,
    bytes: Vec<u8>,
}

impl PngWriter {
    /// Starts a picture of this size.
    ///
    /// # Errors
    /// If a side is zero or beyond PNG's limit, or the file cannot be created.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        channels: Channels,
        depth: Depth,
    ) -> Result<Self> {
        sample_count(width, height, channels)?;
        let file = create(path.as_ref())?;
        let mut encoder = png::Encoder::new(handle(&file)?, side(width)?, side(height)?);
        encoder.set_color(match channels {
            Channels::Grey => ColorType::Grayscale,
            Channels::GreyAlpha => ColorType::GrayscaleAlpha,
            Channels::Rgb => ColorType::Rgb,
            Channels::Rgba => ColorType::Rgba,
        });
        encoder.set_depth(match depth {
            Depth::Eight => BitDepth::Eight,
            Depth::Sixteen => BitDepth::Sixteen,
        });
        let started = encoder
            .write_header()
            .and_then(|header| header.into_stream_writer_with_size(CHUNK_BYTES));
        let stream = started.map_err(|error| translate(error, file.path()))?;
        let row_samples = width * channels.count();
        Ok(Self {
            stream,
            file,
            depth,
            row_samples,
            n_rows: height,
            n_written: 0,
            bytes: Vec::new(),
        })
    }

    /// Appends a row of steps, 0 … 255 or 0 … 65,535 by the depth, the channels of a pixel side by side.
    ///
    /// # Errors
    /// If the row has another length, holds a step above the depth's largest, comes after the last one, or cannot be
    /// written.
    pub fn write_row(&mut self, row: &[u16]) -> Result<()> {
        if row.len() != self.row_samples {
            return Err(Error::Length {
                what: "a row",
                found: row.len(),
                expected: self.row_samples,
            });
        }
        if self.n_written == self.n_rows {
            return Err(self.count(self.n_rows + 1));
        }
        if let Some(step) = row.iter().find(|&&step| step > self.depth.max()) {
            return Err(Error::Range {
                what: "a sample",
                found: step.to_string(),
                expected: format!("0 to {}", self.depth.max()),
            });
        }
        self.bytes.clear();
        for step in row {
            let [high, low] = step.to_be_bytes();
            if self.depth == Depth::Sixteen {
                self.bytes.push(high);
            }
            self.bytes.push(low);
        }
        self.stream
            .write_all(&self.bytes)
            .map_err(Error::io("write", self.file.path()))?;
        self.n_written += 1;
        Ok(())
    }

    /// Completes the file and makes it appear under its name.
    ///
    /// # Errors
    /// If rows are missing or the file cannot be written.
    pub fn finish(self) -> Result<()> {
        if self.n_written != self.n_rows {
            return Err(self.count(self.n_written));
        }
        self.stream
            .finish()
            .map_err(|error| translate(error, self.file.path()))?;
        // the last chunk is written as the encoder goes away, where it cannot report a full disk
        let mut handle = handle(&self.file)?;
        let mut end = [0; END.len()];
        let back = -i64::try_from(END.len()).unwrap_or(0);
        let looked = handle
            .seek(SeekFrom::End(back))
            .and_then(|_| handle.read_exact(&mut end));
        looked.map_err(Error::io("write", self.file.path()))?;
        if end != END {
            let source = std::io::Error::other("the last chunk could not be written");
            return Err(Error::io("write", self.file.path())(source));
        }
        commit(self.file)
    }

    fn count(&self, found: usize) -> Error {
        Error::Count {
            what: "rows of a picture",
            found: found as u64,
            expected: self.n_rows as u64,
        }
    }
}

impl Image {
    /// Writes the picture as PNG; a float picture is rounded to 16 bits.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let depth = self.depth().unwrap_or(Depth::Sixteen);
        let mut writer = PngWriter::create(path, self.width, self.height, self.channels, depth)?;
        let n = self.width * self.channels.count();
        match &self.samples {
            Samples::Eight(samples) => rows(&mut writer, samples, n, u16::from),
            Samples::Sixteen(samples) => rows(&mut writer, samples, n, |s| s),
            Samples::Float(samples) => rows(&mut writer, samples, n, |s| {
                depth.quantise_unit(f64::from(s))
            }),
        }?;
        writer.finish()
    }
}

fn rows<T: Copy>(
    writer: &mut PngWriter,
    samples: &[T],
    n: usize,
    step: impl Fn(T) -> u16,
) -> Result<()> {
    let mut row = vec![0; n];
    for chunk in samples.chunks_exact(n) {
        row.iter_mut()
            .zip(chunk)
            .for_each(|(out, &sample)| *out = step(sample));
        writer.write_row(&row)?;
    }
    Ok(())
}

fn side(pixels: usize) -> Result<u32> {
    let limit = i32::MAX.unsigned_abs();
    u32::try_from(pixels)
        .ok()
        .filter(|&n| n <= limit)
        .ok_or(Error::TooLarge {
            what: "a side of a PNG picture",
            found: pixels as u64,
            limit: u64::from(limit),
            hint: "choose a smaller picture",
        })
}

fn translate(error: EncodingError, path: &Path) -> Error {
    let source = match error {
        EncodingError::IoError(source) => source,
        other => std::io::Error::other(other.to_string()),
    };
    Error::io("write", path)(source)
}
