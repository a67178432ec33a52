//! Video: frames one after the other, from files and into files.
//!
//! A [`VideoReader`] hands out one [`Frame`] at a time, so memory does not grow with the length; a [`Clip`] holds all
//! frames where a fit needs to draw pixels at random. Sources and what writes them:
//!
//! | format | read | written |
//! |---|---|---|
//! | MP4 or QuickTime with H.264 (feature `video`) | 4:2:0, 8 bits, frames | constant quality, no sound |
//! | GIF | every disposal, transparency on white | 256 colours a frame, exact if there are no more |
//! | folder of PNG or JPEG | by name, numbers by value | numbered PNG |
//!
//! Targets are those of 8-bit images; coordinates are (time, row, column), each in [−1, 1]. Truth: hashes and frames
//! made by FFmpeg and Pillow, in `tests/signals/video.rs`.

mod clip;
mod folder;
mod frame;
mod gif_reader;
mod gif_writer;
#[cfg(feature = "video")]
mod mp4;
mod planes;
mod reader;
mod writer;

pub use clip::Clip;
pub use frame::Frame;
#[cfg(feature = "video")]
pub use mp4::Mp4Reader;
pub use planes::{ColourMatrix, ColourRange, Planes};
pub use reader::VideoReader;
pub use writer::VideoWriter;

/// What every kind of video answers.
trait Source: Send {
    fn width(&self) -> usize;
    fn height(&self) -> usize;
    fn frames_per_second(&self) -> f64;
    fn n_frames(&self) -> usize;
    fn next_frame(&mut self) -> crate::Result<Option<Frame>>;
}

/// What every kind of writer does.
trait Sink: Send {
    fn write_frame(&mut self, frame: &Frame) -> crate::Result<()>;
    fn finish(self: Box<Self>) -> crate::Result<()>;
}

/// Frames a second that make sense.
fn check_rate(frames_per_second: f64) -> crate::Result<()> {
    if (0.001..=1e5).contains(&frames_per_second) {
        return Ok(());
    }
    Err(crate::Error::Range {
        what: "the number of frames a second",
        found: frames_per_second.to_string(),
        expected: "0.001 to 100000".to_owned(),
    })
}
