//! Writing a video of any kind; the name of the file decides which.

use super::folder::FolderWriter;
use super::gif_writer::GifWriter;
use super::{Frame, Sink, check_rate};
use crate::error::{Error, Result};
use crate::image::{Channels, sample_count};
use std::path::Path;

/// A video that is being written, frame after frame.
///
/// An MP4 or GIF file appears under its name when [`VideoWriter::finish`] succeeds; dropped before that, it leaves
/// nothing behind. A folder fills picture by picture.
///
/// ```
/// use rafnet_signal::{sample, video::{Clip, VideoWriter}};
/// # let path = std::env::temp_dir().join(format!("rafnet-doc-gif-{}.gif", std::process::id()));
///
/// let mut writer = VideoWriter::create(&path, 16, 12, 25.0)?;
/// for frame in sample::scene(16, 12, 5)? {
///     writer.write_frame(&frame)?;
/// }
/// writer.finish()?;
/// assert_eq!(Clip::open(&path)?.sizes(), [5, 12, 16]);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
pub struct VideoWriter {
    sink: Box<dyn Sink>,
    width: usize,
    height: usize,
    n_written: usize,
}

impl VideoWriter {
    /// Starts a video: MP4 for `.mp4`, GIF for `.gif`, a folder of PNG pictures for a name without extension.
    ///
    /// MP4 needs even sides; an odd one is made even by repeating the last row or column.
    ///
    /// # Errors
    /// If the size or the rate makes no sense for the format, the extension is another one, or nothing can be written
    /// there.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        frames_per_second: f64,
    ) -> Result<Self> {
        let path = path.as_ref();
        sample_count(width, height, Channels::Rgb)?;
        check_rate(frames_per_second)?;
        let extension = path
            .extension()
            .map(|text| text.to_string_lossy().to_lowercase());
        let sink: Box<dyn Sink> = match extension.as_deref() {
            None => Box::new(FolderWriter::create(path)?),
            Some("gif") => Box::new(GifWriter::create(path, width, height, frames_per_second)?),
            Some("mp4" | "m4v" | "mov") => create_mp4(path, width, height, frames_per_second)?,
            Some(other) => {
                return Err(Error::Unsupported {
                    format: "video",
                    feature: format!("the extension `{other}`"),
                    hint: "write .mp4, .gif, or a folder of PNG pictures (a name without extension)",
                }
                .within(path));
            }
        };
        Ok(Self {
            sink,
            width,
            height,
            n_written: 0,
        })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// If the frame has another size, or cannot be written.
    pub fn write_frame(&mut self, frame: &Frame) -> Result<()> {
        super::clip::check_size(self.n_written, frame, self.width, self.height)?;
        self.sink.write_frame(frame)?;
        self.n_written += 1;
        Ok(())
    }

    /// Completes the video.
    ///
    /// # Errors
    /// If there is no frame, or the file cannot be written.
    pub fn finish(self) -> Result<()> {
        if self.n_written == 0 {
            let expected = "1 or more".to_owned();
            return Err(Error::Range {
                what: "the number of frames",
                found: "0".to_owned(),
                expected,
            });
        }
        self.sink.finish()
    }
}

#[cfg(feature = "video")]
fn create_mp4(
    path: &Path,
    width: usize,
    height: usize,
    frames_per_second: f64,
) -> Result<Box<dyn Sink>> {
    Ok(Box::new(super::mp4::Mp4Writer::create(
        path,
        width,
        height,
        frames_per_second,
    )?))
}

#[cfg(not(feature = "video"))]
fn create_mp4(path: &Path, _: usize, _: usize, _: f64) -> Result<Box<dyn Sink>> {
    Err(without_h264().within(path))
}

/// Why this build does not know MP4.
#[cfg(not(feature = "video"))]
pub(super) fn without_h264() -> Error {
    Error::Unsupported {
        format: "MP4",
        feature: "H.264 (the feature `video` was left out of this build)".to_owned(),
        hint: "build with the feature `video`, or use GIF or a folder of PNG pictures",
    }
}
