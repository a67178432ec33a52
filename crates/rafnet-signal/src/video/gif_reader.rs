//! Reading GIF: frames laid over each other as the file says, transparency on white.
//!
//! A frame covers a rectangle of the canvas; its disposal says what becomes of that rectangle before the next one. The
//! file is walked twice: once for the number of frames and their delays, then frame by frame.

use super::{Frame, Source};
use crate::error::{Error, Result};
use crate::file::read_all;
use crate::wall::walled;
use std::io::Cursor;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

const FORMAT: &str = "GIF";

/// The largest canvas in pixels.
const LARGEST: usize = 1 << 26;

/// The memory for a frame of that size.
const FRAME_BYTES: NonZeroU64 = NonZeroU64::MIN.saturating_add(4 * LARGEST as u64);

/// What browsers take for a delay that is missing or too short.
const DEFAULT_DELAY: u16 = 10;

const BACKGROUND: [u8; 4] = [255, 255, 255, 0];

pub(super) struct GifReader {
    decoder: gif::Decoder<Cursor<Vec<u8>>>,
    path: PathBuf,
    width: usize,
    height: usize,
    n_frames: usize,
    frames_per_second: f64,
    canvas: Vec<u8>, // (height, width, 4)
    /// What to do with the last frame's rectangle before the next is drawn.
    pending: Option<(Rectangle, gif::DisposalMethod, Vec<u8>)>,
}

/// What a transparent pixel does to the canvas.
#[derive(Clone, Copy, PartialEq)]
enum Blend {
    /// It leaves what is there.
    Over,
    /// It takes its place.
    Replace,
}

#[derive(Clone, Copy)]
struct Rectangle {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl GifReader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let bytes = read_all(path, "a GIF animation")?;
        Self::new(bytes, path).map_err(|error| error.within(path))
    }

    fn new(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        let mut options = gif::DecodeOptions::new();
        options.skip_frame_decoding(true);
        let mut survey = options.read_info(Cursor::new(&bytes)).map_err(translate)?;
        let (mut n_frames, mut hundredths) = (0usize, 0u64);
        while let Some(frame) = survey.next_frame_info().map_err(translate)? {
            n_frames += 1;
            hundredths += u64::from(if frame.delay < 2 {
                DEFAULT_DELAY
            } else {
                frame.delay
            });
        }
        if n_frames == 0 {
            return Err(Error::Truncated {
                format: FORMAT,
                what: "there is no frame".to_owned(),
            });
        }
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        options.set_memory_limit(gif::MemoryLimit::Bytes(FRAME_BYTES));
        let decoder = options.read_info(Cursor::new(bytes)).map_err(translate)?;
        let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
        if width == 0 || height == 0 {
            return Err(Error::Damaged {
                format: FORMAT,
                reason: format!("the canvas is {width} x {height}"),
            });
        }
        if width * height > LARGEST {
            return Err(Error::TooLarge {
                what: "the canvas in pixels",
                found: (width * height) as u64,
                limit: LARGEST as u64,
                hint: "reduce the animation's size",
            });
        }
        let what = format_args!("a canvas of {width} x {height} pixels");
        rafnet_memory::require(what, &[width, height, 12])?;
        Ok(Self {
            decoder,
            path: path.to_owned(),
            width,
            height,
            n_frames,
            frames_per_second: 100.0 * n_frames as f64 / hundredths as f64,
            canvas: BACKGROUND.repeat(width * height),
            pending: None,
        })
    }

    /// Draws the next frame; none after the last.
    fn advance(&mut self) -> Result<Option<()>> {
        if let Some((area, disposal, before)) = self.pending.take() {
            match disposal {
                gif::DisposalMethod::Background => self.draw(
                    area,
                    &BACKGROUND.repeat(area.width * area.height),
                    Blend::Replace,
                ),
                gif::DisposalMethod::Previous => self.draw(area, &before, Blend::Replace),
                gif::DisposalMethod::Any | gif::DisposalMethod::Keep => {}
            }
        }
        let decoder = &mut self.decoder;
        let Some(frame) = walled(FORMAT, || decoder.read_next_frame().map_err(translate))? else {
            return Ok(None);
        };
        let area = Rectangle {
            left: usize::from(frame.left),
            top: usize::from(frame.top),
            width: usize::from(frame.width),
            height: usize::from(frame.height),
        };
        let (disposal, pixels) = (frame.dispose, frame.buffer.to_vec());
        let before = if disposal == gif::DisposalMethod::Previous {
            self.copy(area)
        } else {
            Vec::new()
        };
        self.draw(area, &pixels, Blend::Over);
        self.pending = Some((area, disposal, before));
        Ok(Some(()))
    }

    /// Lays pixels on the canvas, what reaches beyond it is cut; transparent ones only if they replace.
    fn draw(&mut self, area: Rectangle, pixels: &[u8], blend: Blend) {
        for (row, line) in pixels.chunks_exact(4 * area.width.max(1)).enumerate() {
            for (column, pixel) in line.chunks_exact(4).enumerate() {
                let (x, y) = (area.left + column, area.top + row);
                if x < self.width && y < self.height && (blend == Blend::Replace || pixel[3] > 0) {
                    let at = 4 * (y * self.width + x);
                    self.canvas[at..at + 4].copy_from_slice(pixel);
                }
            }
        }
    }

    /// The canvas under a rectangle; what reaches beyond it is background.
    fn copy(&self, area: Rectangle) -> Vec<u8> {
        let mut pixels = Vec::with_capacity(4 * area.width * area.height);
        for y in area.top..area.top + area.height {
            for x in area.left..area.left + area.width {
                let at = 4 * (y * self.width + x);
                let inside = x < self.width && y < self.height;
                pixels.extend_from_slice(if inside {
                    &self.canvas[at..at + 4]
                } else {
                    &BACKGROUND
                });
            }
        }
        pixels
    }
}

impl Source for GifReader {
    fn width(&self) -> usize {
        self.width
    }

    fn height(&self) -> usize {
        self.height
    }

    fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    fn n_frames(&self) -> usize {
        self.n_frames
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        if self
            .advance()
            .map_err(|error| error.within(&self.path))?
            .is_none()
        {
            return Ok(None);
        }
        let rgb = self
            .canvas
            .chunks_exact(4)
            .flat_map(|pixel| &pixel[..3])
            .copied()
            .collect();
        Frame::new(self.width, self.height, rgb).map(Some)
    }
}

fn translate(error: gif::DecodingError) -> Error {
    match error {
        gif::DecodingError::Io(_) => Error::Truncated {
            format: FORMAT,
            what: "the file ends inside a frame".to_owned(),
        },
        other => Error::Damaged {
            format: FORMAT,
            reason: other.to_string(),
        },
    }
}
