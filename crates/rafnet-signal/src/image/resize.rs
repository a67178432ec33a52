//! Antialiased resizing in two passes, first along the rows, then along the columns, as Pillow does it.
//!
//! | samples | weights | sum | between the passes |
//! |---|---|---|---|
//! | 8 bit | whole numbers of 2⁻²², rounded to nearest | integers from ½, shifted right by 22, clamped | 8 bit |
//! | 16 bit | f64 | f64, rounded to nearest, clamped | 16 bit |
//! | float | f64 | f64 | f32 |
//!
//! A pass along an axis that keeps its size is left out. The order of the passes is that of Pillow up to version 12, with
//! which the paper's targets were made; version 13 begins with the columns where the height shrinks much more than the
//! width, which differs in the last bits of 8-bit pictures. The windows are in [`super::window`]; `tests/signals/image.rs`
//! compares with pictures resized by Pillow, sample by sample.

use super::alpha::{has_alpha, premultiply, undo_premultiply};
use super::window::{Filter, Window, windows};
use super::{Image, Samples, require, sample_count};
use crate::error::Result;

const FRACTION_BITS: u32 = 22;

impl Image {
    /// The same picture at another size.
    ///
    /// Colours are weighed by opacity where the picture has it.
    ///
    /// # Errors
    /// If a side is zero or the result could not exist.
    pub fn resize(&self, width: usize, height: usize, filter: Filter) -> Result<Self> {
        sample_count(width, height, self.channels)?;
        require(width, self.height.max(height), self.channels, 8)?;
        if (width, height) == (self.width, self.height) {
            return Ok(self.clone());
        }
        let n = self.channels.count();
        let mut samples = self.samples.clone();
        if has_alpha(self.channels) {
            premultiply(&mut samples, n);
        }
        if width != self.width {
            let axis = Axis {
                outer: self.height,
                n_in: self.width,
                inner: n,
            };
            samples = axis.resample(&samples, &windows(self.width, width, filter));
        }
        if height != self.height {
            let axis = Axis {
                outer: 1,
                n_in: self.height,
                inner: width * n,
            };
            samples = axis.resample(&samples, &windows(self.height, height, filter));
        }
        if has_alpha(self.channels) {
            undo_premultiply(&mut samples, n);
        }
        Ok(Self {
            width,
            height,
            channels: self.channels,
            samples,
        })
    }
}

/// An array of (outer, `n_in`, inner) samples, resampled along the middle axis.
struct Axis {
    outer: usize,
    n_in: usize,
    inner: usize,
}

impl Axis {
    fn resample(&self, samples: &Samples, windows: &[Window]) -> Samples {
        match samples {
            Samples::Eight(samples) => {
                let fixed: Vec<Vec<i32>> = windows
                    .iter()
                    .map(|window| fixed_point(&window.weights))
                    .collect();
                Samples::Eight(self.map(windows, |o, taps| {
                    let half = 1i32 << (FRACTION_BITS - 1);
                    let sum = taps
                        .zip(&fixed[o])
                        .fold(half, |sum, (at, w)| sum + i32::from(samples[at]) * w);
                    u8::try_from((sum >> FRACTION_BITS).clamp(0, 255)).unwrap_or(u8::MAX)
                }))
            }
            Samples::Sixteen(samples) => Samples::Sixteen(self.map(windows, |o, taps| {
                let terms = taps.zip(&windows[o].weights);
                round_to_u16(terms.fold(0.0, |sum, (at, w)| sum + f64::from(samples[at]) * w))
            })),
            Samples::Float(samples) => Samples::Float(self.map(windows, |o, taps| {
                let terms = taps.zip(&windows[o].weights);
                round_to_f32(terms.fold(0.0, |sum, (at, w)| sum + f64::from(samples[at]) * w))
            })),
        }
    }

    /// Every output sample from its output place and the places of the input samples it takes.
    fn map<T>(&self, windows: &[Window], sample: impl Fn(usize, Taps) -> T) -> Vec<T> {
        let mut out = Vec::with_capacity(self.outer * windows.len() * self.inner);
        for outer in 0..self.outer {
            for (o, window) in windows.iter().enumerate() {
                let base = (outer * self.n_in + window.first) * self.inner;
                out.extend(
                    (base..base + self.inner).map(|start| sample(o, (start..).step_by(self.inner))),
                );
            }
        }
        out
    }
}

type Taps = std::iter::StepBy<std::ops::RangeFrom<usize>>;

/// Weights as whole numbers of 2⁻²², halves away from zero.
#[expect(
    clippy::cast_possible_truncation,
    reason = "weights are below 2 in size, so 2²³ bounds the result"
)]
fn fixed_point(weights: &[f64]) -> Vec<i32> {
    let unit = f64::from(1u32 << FRACTION_BITS);
    weights.iter().map(|&w| if w < 0.0 { w * unit - 0.5 } else { w * unit + 0.5 } as i32).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of u16"
)]
fn round_to_u16(value: f64) -> u16 {
    (value + 0.5).floor().clamp(0.0, 65_535.0) as u16
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "float pictures are stored in f32 after each pass"
)]
fn round_to_f32(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::Channels;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_zero_side_is_refused() {
        let picture = Image::new(1, 1, Channels::Grey, Samples::Eight(vec![3])).unwrap();
        let error = picture.resize(0, 4, Filter::Bilinear).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the width is 0, expected 1 or more pixels"
        );
    }

    proptest! {
        #[test]
        fn a_plain_picture_stays_plain(
            value in any::<u8>(), w in 1usize..9, h in 1usize..9, w2 in 1usize..20, h2 in 1usize..20,
            filter in prop_oneof![Just(Filter::Bilinear), Just(Filter::Bicubic), Just(Filter::Lanczos)],
        ) {
            let picture = Image::new(w, h, Channels::Rgb, Samples::Eight(vec![value; w * h * 3])).unwrap();
            let resized = picture.resize(w2, h2, filter).unwrap();
            prop_assert_eq!(resized.samples(), &Samples::Eight(vec![value; w2 * h2 * 3]));
        }
    }
}
