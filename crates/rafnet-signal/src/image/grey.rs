//! Grey conversion, as scikit-image's `rgb2gray` does it.
//!
//! ```text
//! Y = 0.2125 R + 0.7154 G + 0.0721 B,    R, G, B ∈ [0, 1] in f64, Y stored as f32
//! ```
//! A picture that is grey already stays as it is, with its own depth: the result of an 8-bit grey file is 8-bit, that of
//! a colour file is float. Opacity is dropped; to lay the picture on a background first, see [`Image::over`].

use super::{Channels, Image, Samples};

impl Image {
    /// The lightness of the picture.
    #[must_use]
    pub fn to_grey(&self) -> Self {
        match self.channels {
            Channels::Grey => self.clone(),
            Channels::GreyAlpha => self.without_alpha(),
            Channels::Rgb | Channels::Rgba => {
                let n = self.channels.count();
                let grey = match &self.samples {
                    Samples::Eight(samples) => weigh(samples, n, |s| f64::from(s) / 255.0),
                    Samples::Sixteen(samples) => weigh(samples, n, |s| f64::from(s) / 65_535.0),
                    Samples::Float(samples) => weigh(samples, n, f64::from),
                };
                self.with(Channels::Grey, Samples::Float(grey))
            }
        }
    }

    /// Three colours a pixel; a grey picture becomes three equal ones. Opacity is dropped.
    #[must_use]
    pub fn to_rgb(&self) -> Self {
        let colour = self.without_alpha();
        if colour.channels == Channels::Rgb {
            return colour;
        }
        let samples = match &colour.samples {
            Samples::Eight(samples) => Samples::Eight(triple(samples)),
            Samples::Sixteen(samples) => Samples::Sixteen(triple(samples)),
            Samples::Float(samples) => Samples::Float(triple(samples)),
        };
        self.with(Channels::Rgb, samples)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the rounding to f32 is the definition"
)]
fn weigh<T: Copy>(samples: &[T], n_channels: usize, unit: impl Fn(T) -> f64) -> Vec<f32> {
    let pixels = samples.chunks_exact(n_channels);
    pixels
        .map(|p| (0.2125 * unit(p[0]) + 0.7154 * unit(p[1]) + 0.0721 * unit(p[2])) as f32)
        .collect()
}

fn triple<T: Copy>(samples: &[T]) -> Vec<T> {
    samples.iter().flat_map(|&sample| [sample; 3]).collect()
}
