//! Opening a video of any kind: a folder, or a file whose first bytes say what it is.

use super::folder::FolderReader;
use super::gif_reader::GifReader;
use super::{Frame, Source};
use crate::error::{Error, Result};
use crate::file::{describe_start, read_start};
use std::path::Path;

const EXPECTED: &str = "an MP4 or GIF video";

/// The frames of a video, one after the other.
///
/// It is an iterator that ends after the last frame or the first error.
///
/// ```
/// use rafnet_signal::{sample, video::VideoReader};
/// # let folder = std::env::temp_dir().join(format!("rafnet-doc-frames-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).ok();
///
/// sample::picture(8, 6)?.save(folder.join("1.png"))?;
/// sample::picture(8, 6)?.save(folder.join("2.png"))?;
/// let reader = VideoReader::open(&folder)?;
/// assert_eq!((reader.n_frames(), reader.width(), reader.height()), (2, 8, 6));
/// for frame in reader {
///     assert_eq!(frame?.rgb().len(), 8 * 6 * 3);
/// }
/// # std::fs::remove_dir_all(&folder).ok();
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
pub struct VideoReader {
    source: Box<dyn Source>,
    ended: bool,
}

impl VideoReader {
    /// Opens an MP4 or GIF file, or a folder of pictures.
    ///
    /// # Errors
    /// If the file cannot be read, is of another kind, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let source: Box<dyn Source> = if path.is_dir() {
            Box::new(FolderReader::open(path)?)
        } else {
            let start = read_start(path, 16)?;
            if start.is_empty() {
                return Err(Error::Empty { expected: EXPECTED }.within(path));
            } else if start.starts_with(b"GIF8") {
                Box::new(GifReader::open(path)?)
            } else if start.get(4..8).is_some_and(|kind| {
                [&b"ftyp"[..], b"moov", b"mdat", b"wide", b"free"].contains(&kind)
            }) {
                open_mp4(path)?
            } else {
                let hint = "convert the video to MP4 with H.264, or pass a folder of PNG pictures";
                let found = describe_start(&start);
                return Err(Error::NotRecognised {
                    expected: EXPECTED,
                    found,
                    hint,
                }
                .within(path));
            }
        };
        Ok(Self {
            source,
            ended: false,
        })
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.source.width()
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.source.height()
    }

    /// Frames a second; the mean where they are not evenly spaced, 25 for a folder.
    pub fn frames_per_second(&self) -> f64 {
        self.source.frames_per_second()
    }

    /// Frames in all, as the file declares them.
    pub fn n_frames(&self) -> usize {
        self.source.n_frames()
    }
}

impl Iterator for VideoReader {
    type Item = Result<Frame>;

    fn next(&mut self) -> Option<Result<Frame>> {
        if self.ended {
            return None;
        }
        let next = self.source.next_frame().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(feature = "video")]
fn open_mp4(path: &Path) -> Result<Box<dyn Source>> {
    Ok(Box::new(super::mp4::Mp4Reader::open(path)?))
}

#[cfg(not(feature = "video"))]
fn open_mp4(path: &Path) -> Result<Box<dyn Source>> {
    Err(super::writer::without_h264().within(path))
}
