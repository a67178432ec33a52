//! A video that is wholly in memory, for fits that draw their pixels at random.

use super::{Frame, VideoReader, check_rate};
use crate::error::{Error, Result};
use crate::image::Depth;
use std::path::Path;

/// All frames of a video: 8-bit RGB, (frames, height, width, 3).
///
/// ```
/// use rafnet_signal::{sample, video::Clip};
///
/// let clip = Clip::from_frames(25.0, sample::scene(16, 12, 5)?.map(Ok))?;
/// assert_eq!(clip.sizes(), [5, 12, 16]);
/// assert!(clip.target_at(0).abs() <= 1.0);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    width: usize,
    height: usize,
    frames_per_second: f64,
    rgb: Vec<u8>,
}

impl Clip {
    /// Reads a whole video: an MP4 or GIF file, or a folder of pictures.
    ///
    /// # Errors
    /// If the video cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let reader = VideoReader::open(path)?;
        Self::from_frames(reader.frames_per_second(), reader)
    }

    /// Collects frames of one size.
    ///
    /// # Errors
    /// If a frame could not be read, has another size than the first, or there is none.
    pub fn from_frames(
        frames_per_second: f64,
        frames: impl Iterator<Item = Result<Frame>>,
    ) -> Result<Self> {
        check_rate(frames_per_second)?;
        let mut clip = Self {
            width: 0,
            height: 0,
            frames_per_second,
            rgb: Vec::new(),
        };
        for (index, frame) in frames.enumerate() {
            let frame = frame?;
            if index == 0 {
                (clip.width, clip.height) = (frame.width(), frame.height());
            }
            check_size(index, &frame, clip.width, clip.height)?;
            let longer = clip.rgb.len() + frame.rgb().len();
            if longer > clip.rgb.capacity() {
                // a list grows by doubling
                let what = format_args!(
                    "a video of more than {index} frames of {} x {} pixels",
                    clip.width, clip.height
                );
                rafnet_memory::require(what, &[longer, 2])?;
            }
            clip.rgb.extend_from_slice(frame.rgb());
        }
        if clip.rgb.is_empty() {
            let expected = "1 or more".to_owned();
            return Err(Error::Range {
                what: "the number of frames",
                found: "0".to_owned(),
                expected,
            });
        }
        Ok(clip)
    }

    /// Frames, rows and columns: the sizes of the grid of pixels, as [`crate::grid::point_into`] takes them.
    pub fn sizes(&self) -> [usize; 3] {
        [
            self.rgb.len() / (self.width * self.height * 3),
            self.height,
            self.width,
        ]
    }

    /// Frames a second.
    pub fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    /// All samples.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The samples of one frame; none beyond the end.
    pub fn frame(&self, index: usize) -> &[u8] {
        self.rgb
            .chunks_exact(self.width * self.height * 3)
            .nth(index)
            .unwrap_or(&[])
    }

    /// One sample in [−1, 1], by its place among all samples; 0 beyond the end.
    pub fn target_at(&self, index: usize) -> f32 {
        self.rgb
            .get(index)
            .map_or(0.0, |&step| Depth::Eight.to_target(u16::from(step)))
    }
}

/// Refuses a frame of another size than the first.
pub(super) fn check_size(index: usize, frame: &Frame, width: usize, height: usize) -> Result<()> {
    let (found_width, found_height) = (frame.width(), frame.height());
    if (found_width, found_height) == (width, height) {
        return Ok(());
    }
    Err(Error::FrameSize {
        index,
        found_width,
        found_height,
        width,
        height,
    })
}
