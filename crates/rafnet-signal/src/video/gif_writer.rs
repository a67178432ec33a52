//! Writing GIF: up to 256 colours a frame, repeated for ever.
//!
//! A frame with at most 256 colours is written exactly; more are reduced to a palette of its own by a small neural
//! network (the `color_quant` crate). Delays are whole hundredths of a second; they are spread so that the sum stays
//! right.

use super::{Frame, Sink};
use crate::error::{Error, Result};
use crate::file::{commit, create, handle};
use rafnet_table::AtomicFile;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// 1 is best and slowest, 30 fastest.
const SPEED: i32 = 5;

pub(super) struct GifWriter {
    // before the file, so that its handle is closed before the temporary file is removed
    encoder: gif::Encoder<BufWriter<File>>,
    file: AtomicFile,
    width: u16,
    height: u16,
    hundredths_per_frame: f64,
    n_written: usize,
}

impl GifWriter {
    pub(super) fn create(
        path: &Path,
        width: usize,
        height: usize,
        frames_per_second: f64,
    ) -> Result<Self> {
        let (width, height) = (side(width)?, side(height)?);
        let file = create(path)?;
        let out = BufWriter::with_capacity(1 << 16, handle(&file)?);
        let mut encoder =
            gif::Encoder::new(out, width, height, &[]).map_err(|error| translate(error, path))?;
        encoder
            .set_repeat(gif::Repeat::Infinite)
            .map_err(|error| translate(error, path))?;
        Ok(Self {
            encoder,
            file,
            width,
            height,
            hundredths_per_frame: 100.0 / frames_per_second,
            n_written: 0,
        })
    }

    /// The time of a frame's start in hundredths of a second.
    fn start(&self, index: usize) -> f64 {
        (index as f64 * self.hundredths_per_frame).round()
    }
}

impl Sink for GifWriter {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of u16"
    )]
    fn write_frame(&mut self, frame: &Frame) -> Result<()> {
        let mut picture = gif::Frame::from_rgb_speed(self.width, self.height, frame.rgb(), SPEED);
        let delay = self.start(self.n_written + 1) - self.start(self.n_written);
        picture.delay = delay.clamp(1.0, f64::from(u16::MAX)) as u16;
        self.encoder
            .write_frame(&picture)
            .map_err(|error| translate(error, self.file.path()))?;
        self.n_written += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { encoder, file, .. } = *self;
        let mut out = encoder
            .into_inner()
            .map_err(|error| translate(error, file.path()))?;
        out.flush().map_err(Error::io("write", file.path()))?;
        commit(file)
    }
}

fn side(pixels: usize) -> Result<u16> {
    u16::try_from(pixels).map_err(|_| Error::TooLarge {
        what: "a side of a GIF picture",
        found: pixels as u64,
        limit: u64::from(u16::MAX),
        hint: "choose a smaller size, or write .mp4",
    })
}

fn translate(error: gif::EncodingError, path: &Path) -> Error {
    let source = match error {
        gif::EncodingError::Io(source) => source,
        other => std::io::Error::other(other.to_string()),
    };
    Error::io("write", path)(source)
}
