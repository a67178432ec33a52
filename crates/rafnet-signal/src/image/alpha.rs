//! Opacity: dropping it, laying a picture on a background, and weighing colours by it.
//!
//! Colours of transparent pixels must not bleed into their neighbours, so a picture with opacity is resized with its
//! colours multiplied by it. The 8-bit rounding is Pillow's:
//! ```text
//! premultiply   c ← (t + (t >> 8)) >> 8,  t = c a + 128
//! undo          c ← min(255, ⌊255 c / a⌋),  c unchanged for a = 0 and a = 255
//! ```

use super::{Channels, Image, Samples};

impl Image {
    /// The same colours without opacity.
    #[must_use]
    pub fn without_alpha(&self) -> Self {
        let opaque = self.channels.opaque();
        if opaque == self.channels {
            return self.clone();
        }
        let n = self.channels.count();
        let samples = match &self.samples {
            Samples::Eight(samples) => Samples::Eight(drop_last(samples, n)),
            Samples::Sixteen(samples) => Samples::Sixteen(drop_last(samples, n)),
            Samples::Float(samples) => Samples::Float(drop_last(samples, n)),
        };
        self.with(opaque, samples)
    }

    /// The picture laid on a plain background of this lightness, 0 (black) to 1 (white).
    #[must_use]
    pub fn over(&self, background: f64) -> Self {
        let opaque = self.channels.opaque();
        if opaque == self.channels {
            return self.clone();
        }
        let n = self.channels.count();
        let unit = self.to_unit();
        let mixed = unit.chunks_exact(n).flat_map(|pixel| {
            let opacity = pixel[n - 1];
            pixel[..n - 1]
                .iter()
                .map(move |colour| colour * opacity + background * (1.0 - opacity))
        });
        let samples = match self.depth() {
            Some(depth) => depth.collect(mixed.map(|value| depth.quantise_unit(value))),
            None => Samples::Float(mixed.map(narrow).collect()),
        };
        self.with(opaque, samples)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "float pictures are stored in f32"
)]
fn narrow(value: f64) -> f32 {
    value as f32
}

fn drop_last<T: Copy>(samples: &[T], n_channels: usize) -> Vec<T> {
    samples
        .chunks_exact(n_channels)
        .flat_map(|pixel| &pixel[..n_channels - 1])
        .copied()
        .collect()
}

/// The channels whose last is opacity.
pub(super) fn has_alpha(channels: Channels) -> bool {
    channels != channels.opaque()
}

/// Multiplies the colours by the opacity.
pub(super) fn premultiply(samples: &mut Samples, n_channels: usize) {
    match samples {
        Samples::Eight(samples) => {
            by_pixel(samples, n_channels, |colour, opacity| {
                let t = u32::from(colour) * u32::from(opacity) + 128;
                u8::try_from((t + (t >> 8)) >> 8).unwrap_or(u8::MAX)
            });
        }
        Samples::Sixteen(samples) => {
            by_pixel(samples, n_channels, |colour, opacity| {
                let product = u64::from(colour) * u64::from(opacity);
                u16::try_from((product + 32_767) / 65_535).unwrap_or(u16::MAX)
            });
        }
        Samples::Float(samples) => {
            by_pixel(samples, n_channels, |colour, opacity| colour * opacity)
        }
    }
}

/// Divides the colours by the opacity.
pub(super) fn undo_premultiply(samples: &mut Samples, n_channels: usize) {
    match samples {
        Samples::Eight(samples) => by_pixel(samples, n_channels, |colour, opacity| match opacity {
            0 | 255 => colour,
            _ => u8::try_from(255 * u32::from(colour) / u32::from(opacity)).unwrap_or(u8::MAX),
        }),
        Samples::Sixteen(samples) => {
            by_pixel(samples, n_channels, |colour, opacity| match opacity {
                0 | 65_535 => colour,
                _ => u16::try_from(65_535 * u64::from(colour) / u64::from(opacity))
                    .unwrap_or(u16::MAX),
            })
        }
        Samples::Float(samples) => by_pixel(samples, n_channels, |colour, opacity| {
            if opacity == 0.0 {
                colour
            } else {
                colour / opacity
            }
        }),
    }
}

fn by_pixel<T: Copy>(samples: &mut [T], n_channels: usize, change: impl Fn(T, T) -> T) {
    for pixel in samples.chunks_exact_mut(n_channels) {
        let opacity = pixel[n_channels - 1];
        for colour in &mut pixel[..n_channels - 1] {
            *colour = change(*colour, opacity);
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn a_background_shows_where_the_picture_is_transparent() {
        let picture = Image::new(
            3,
            1,
            Channels::GreyAlpha,
            Samples::Eight(vec![7, 0, 7, 255, 0, 128]),
        )
        .unwrap();
        assert_eq!(
            picture.over(1.0).samples(),
            &Samples::Eight(vec![255, 7, 127])
        );
        assert_eq!(
            picture.without_alpha().samples(),
            &Samples::Eight(vec![7, 7, 0])
        );
    }
}
