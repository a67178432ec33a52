//! Pictures as targets of a fit, and fits as pictures.
//!
//! The formulas are in [`Depth`]. A float picture is in [0, 1] already, so only its range is moved.

use super::depth::unit_to_target;
use super::{Channels, Depth, Image, Samples, sample_count};
use crate::error::{Error, Result};

impl Image {
    /// Every sample in [−1, 1], in the order of the picture.
    pub fn to_target(&self) -> Vec<f32> {
        (0..self.samples.len())
            .map(|index| self.target_at(index))
            .collect()
    }

    /// One sample in [−1, 1], by its place in row-major order; 0 beyond the end.
    pub fn target_at(&self, index: usize) -> f32 {
        match &self.samples {
            Samples::Eight(samples) => samples
                .get(index)
                .map(|&s| Depth::Eight.to_target(u16::from(s))),
            Samples::Sixteen(samples) => samples.get(index).map(|&s| Depth::Sixteen.to_target(s)),
            Samples::Float(samples) => samples.get(index).map(|&s| unit_to_target(s)),
        }
        .unwrap_or(0.0)
    }

    /// Every sample in [0, 1], in f64, as the quality measures take it.
    pub fn to_unit(&self) -> Vec<f64> {
        match &self.samples {
            Samples::Eight(samples) => samples.iter().map(|&s| f64::from(s) / 255.0).collect(),
            Samples::Sixteen(samples) => samples.iter().map(|&s| f64::from(s) / 65_535.0).collect(),
            Samples::Float(samples) => samples.iter().map(|&s| f64::from(s)).collect(),
        }
    }

    /// The picture that targets describe, clamped and rounded to whole steps.
    ///
    /// # Errors
    /// If a side is zero, or there are not width · height · channels values.
    pub fn from_target<T: Copy + Into<f64>>(
        width: usize,
        height: usize,
        channels: Channels,
        depth: Depth,
        target: &[T],
    ) -> Result<Self> {
        let expected = sample_count(width, height, channels)?;
        if target.len() != expected {
            return Err(Error::Length {
                what: "the target of a picture",
                found: target.len(),
                expected,
            });
        }
        let samples = depth.collect(target.iter().map(|&value| depth.quantise(value.into())));
        Ok(Self {
            width,
            height,
            channels,
            samples,
        })
    }

    /// The same picture with whole steps of this depth, rounded to the nearest.
    #[must_use]
    pub fn to_depth(&self, depth: Depth) -> Self {
        let samples = match (&self.samples, depth) {
            (_, Depth::Eight) => Samples::Eight(self.to_eight_bits()),
            (Samples::Eight(samples), _) => {
                Samples::Sixteen(samples.iter().map(|&s| u16::from(s) * 257).collect())
            }
            (Samples::Sixteen(samples), _) => Samples::Sixteen(samples.clone()),
            (Samples::Float(samples), _) => Samples::Sixteen(
                samples
                    .iter()
                    .map(|&s| depth.quantise_unit(f64::from(s)))
                    .collect(),
            ),
        };
        self.with(self.channels, samples)
    }

    /// The samples in steps of 8 bits, rounded to the nearest.
    pub(crate) fn to_eight_bits(&self) -> Vec<u8> {
        let step = |unit: f64| u8::try_from(Depth::Eight.quantise_unit(unit)).unwrap_or(u8::MAX);
        match &self.samples {
            Samples::Eight(samples) => samples.clone(),
            Samples::Sixteen(samples) => samples
                .iter()
                .map(|&s| step(f64::from(s) / 65_535.0))
                .collect(),
            Samples::Float(samples) => samples.iter().map(|&s| step(f64::from(s))).collect(),
        }
    }
}

impl Depth {
    /// Steps of this depth as samples.
    pub(crate) fn collect(self, steps: impl Iterator<Item = u16>) -> Samples {
        match self {
            Self::Eight => Samples::Eight(
                steps
                    .map(|step| u8::try_from(step).unwrap_or(u8::MAX))
                    .collect(),
            ),
            Self::Sixteen => Samples::Sixteen(steps.collect()),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn targets_and_pictures_are_inverse() {
        let picture =
            Image::new(16, 16, Channels::Grey, Samples::Eight((0..=255).collect())).unwrap();
        let target = picture.to_target();
        assert_eq!(
            Image::from_target(16, 16, Channels::Grey, Depth::Eight, &target).unwrap(),
            picture
        );
        assert_eq!(
            picture.to_depth(Depth::Sixteen).to_depth(Depth::Eight),
            picture
        );
    }

    #[test]
    fn a_wrong_length_is_refused() {
        let error =
            Image::from_target(2, 2, Channels::Rgb, Depth::Eight, &[0.0f32; 11]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the target of a picture has 11 values, expected 12; pass one value for each sample and channel"
        );
    }
}
