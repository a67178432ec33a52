//! Images: pictures as arrays, from files to targets and back.
//!
//! An [`Image`] is a row-major array of interleaved samples, 8-bit, 16-bit or float. The way of a picture to a target:
//! ```text
//! Image::open → to_grey → resize → to_target          v ↦ (v / max − ½) / ½  ∈ [−1, 1], in f32
//! Image::from_target → save, or PngWriter row by row   p = clip(v/2 + ½, 0, 1), rounded to the nearest step
//! ```
//! Grey conversion and resizing follow scikit-image's `rgb2gray` and Pillow's resampling, to the last bit where Pillow
//! works on 8-bit and float pictures. Truth: values written by those two libraries, in `tests/golden`.

mod alpha;
mod between;
mod crop;
mod depth;
mod grey;
mod jpeg;
mod png;
mod png_writer;
mod read;
mod resize;
mod target;
mod window;

pub use between::{Between, cubic_weights};
pub use depth::Depth;
pub use png_writer::PngWriter;
pub use window::Filter;

use crate::error::{Error, Result};

/// What the samples of a pixel mean.
///
/// ```
/// use rafnet_signal::image::Channels;
/// assert_eq!((Channels::Rgba.count(), Channels::Rgba.opaque()), (4, Channels::Rgb));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channels {
    /// One sample: lightness.
    Grey,
    /// Lightness and opacity.
    GreyAlpha,
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue and opacity.
    Rgba,
}

impl Channels {
    /// Samples a pixel.
    pub fn count(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::GreyAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }

    /// The same without opacity.
    #[must_use]
    pub fn opaque(self) -> Self {
        match self {
            Self::Grey | Self::GreyAlpha => Self::Grey,
            Self::Rgb | Self::Rgba => Self::Rgb,
        }
    }
}

/// The samples of a picture, in the type they were stored in.
///
/// ```
/// assert_eq!(rafnet_signal::image::Samples::Sixteen(vec![0, 65_535]).len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// 0 … 255.
    Eight(Vec<u8>),
    /// 0 … 65,535.
    Sixteen(Vec<u16>),
    /// 0 … 1, as grey conversion and interpolation produce it.
    Float(Vec<f32>),
}

impl Samples {
    /// How many samples there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Eight(samples) => samples.len(),
            Self::Sixteen(samples) => samples.len(),
            Self::Float(samples) => samples.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A picture: samples row by row, the channels of a pixel side by side.
///
/// ```
/// use rafnet_signal::image::{Channels, Image, Samples};
///
/// let picture = Image::new(2, 1, Channels::Grey, Samples::Eight(vec![0, 255]))?;
/// assert_eq!(picture.to_target(), [-1.0, 1.0]);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    width: usize,
    height: usize,
    channels: Channels,
    samples: Samples, // (height, width, channels)
}

impl Image {
    /// A picture from its samples.
    ///
    /// # Errors
    /// If a side is zero, or the samples are not width · height · channels.
    pub fn new(width: usize, height: usize, channels: Channels, samples: Samples) -> Result<Self> {
        let expected = sample_count(width, height, channels)?;
        if samples.len() != expected {
            return Err(Error::Length {
                what: "a picture",
                found: samples.len(),
                expected,
            });
        }
        Ok(Self {
            width,
            height,
            channels,
            samples,
        })
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// What a pixel is made of.
    pub fn channels(&self) -> Channels {
        self.channels
    }

    /// All samples.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The bits of a sample; nothing for a float picture.
    pub fn depth(&self) -> Option<Depth> {
        match self.samples {
            Samples::Eight(_) => Some(Depth::Eight),
            Samples::Sixteen(_) => Some(Depth::Sixteen),
            Samples::Float(_) => None,
        }
    }

    /// A frame's samples, already known to fit, as a picture.
    pub(crate) fn from_rgb(width: usize, height: usize, rgb: Vec<u8>) -> Self {
        Self {
            width,
            height,
            channels: Channels::Rgb,
            samples: Samples::Eight(rgb),
        }
    }

    /// A picture of the same size whose samples are already known to fit.
    fn with(&self, channels: Channels, samples: Samples) -> Self {
        Self {
            width: self.width,
            height: self.height,
            channels,
            samples,
        }
    }
}

/// Refuses a picture for which there is no room, `bytes` being what a sample takes at the most.
pub(crate) fn require(width: usize, height: usize, channels: Channels, bytes: usize) -> Result<()> {
    let n = channels.count();
    let what = format_args!("a picture of {width} x {height} pixels in {n} channels");
    Ok(rafnet_memory::require(what, &[width, height, n, bytes])?)
}

/// width · height · channels, if the picture can exist.
pub(crate) fn sample_count(width: usize, height: usize, channels: Channels) -> Result<usize> {
    for (what, size) in [("the width", width), ("the height", height)] {
        if size == 0 {
            return Err(Error::Range {
                what,
                found: "0".to_owned(),
                expected: "1 or more pixels".to_owned(),
            });
        }
    }
    // half of the address space is out of reach of any allocation
    let limit = usize::MAX / 8;
    width
        .checked_mul(height)
        .and_then(|n| n.checked_mul(channels.count()))
        .filter(|&n| n <= limit)
        .ok_or(Error::TooLarge {
            what: "the number of samples",
            found: u64::MAX,
            limit: limit as u64,
            hint: "choose a smaller picture",
        })
}
