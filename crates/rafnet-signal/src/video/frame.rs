//! One frame of a video: 8-bit red, green and blue.

use crate::error::{Error, Result};
use crate::image::{Channels, Image, sample_count};

/// A frame: 8-bit RGB, row by row.
///
/// ```
/// let frame = rafnet_signal::video::Frame::new(2, 1, vec![0, 0, 0, 255, 128, 0])?;
/// assert_eq!(frame.rgb()[3..], [255, 128, 0]);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    height: usize,
    rgb: Vec<u8>, // (height, width, 3)
}

impl Frame {
    /// A frame from its samples.
    ///
    /// # Errors
    /// If a side is zero, or the samples are not width · height · 3.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Result<Self> {
        let expected = sample_count(width, height, Channels::Rgb)?;
        if rgb.len() != expected {
            return Err(Error::Length {
                what: "a frame",
                found: rgb.len(),
                expected,
            });
        }
        Ok(Self { width, height, rgb })
    }

    /// A picture as a frame: laid on white, grey as three equal colours, 16 bits rounded to 8.
    pub fn from_image(image: &Image) -> Self {
        let rgb = image.over(1.0).to_rgb().to_eight_bits();
        Self {
            width: image.width(),
            height: image.height(),
            rgb,
        }
    }

    /// The frame as a picture.
    pub fn to_image(&self) -> Image {
        Image::from_rgb(self.width, self.height, self.rgb.clone())
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All samples.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }
}
