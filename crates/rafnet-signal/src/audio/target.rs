//! Sounds as targets of a fit.
//!
//! ```text
//! v_k = a_k / max |a|,    x_k = −100 + 200 k / (n − 1)
//! ```
//! in f32, as the reference code does it after taking the mean of the channels ([`Audio::mono`]). Silence has no largest value to divide by and stays as it is.

use super::Audio;
use crate::grid;

/// The range of the coordinates.
pub const REACH: f64 = 100.0;

/// What a network is to reproduce of a sound.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioTarget {
    /// The amplitudes, moment by moment, the largest ±1.
    pub values: Vec<f32>,
    /// What the amplitudes were divided by; 1 for silence.
    pub peak: f32,
}

impl Audio {
    /// The mean of the channels, as a sound of one.
    #[must_use]
    pub fn mono(&self) -> Self {
        let n = self.n_channels as f64;
        let moments = self.samples.chunks_exact(self.n_channels);
        Self {
            rate: self.rate,
            n_channels: 1,
            samples: moments.map(|m| m.iter().sum::<f64>() / n).collect(),
        }
    }

    /// All amplitudes, scaled to a largest absolute value of 1 over all channels.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the rounding to f32 is the definition"
    )]
    pub fn to_target(&self) -> AudioTarget {
        let mut values: Vec<f32> = self.samples.iter().map(|a| *a as f32).collect();
        let peak = values
            .iter()
            // without NaN: a sound has none
            .fold(0.0f32, |peak, value| peak.max(value.abs()));
        // an amplitude beyond the range of f32 leaves nothing to scale by
        let peak = if peak > 0.0 && peak.is_finite() {
            peak
        } else {
            1.0
        };
        values.iter_mut().for_each(|value| *value /= peak);
        AudioTarget { values, peak }
    }

    /// The coordinates of all moments.
    pub fn coordinates(&self) -> Vec<f64> {
        grid::axis(self.n_moments(), -REACH, REACH)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn silence_stays_silence() {
        let target = Audio::new(8000, 1, vec![0.0; 5]).unwrap().to_target();
        assert_eq!((&target.values[..], target.peak), (&[0.0; 5][..], 1.0));
    }

    #[test]
    fn coordinates_reach_from_minus_to_plus_one_hundred() {
        let sound = Audio::new(8000, 2, vec![0.0; 10]).unwrap();
        assert_eq!(sound.coordinates(), [-100.0, -50.0, 0.0, 50.0, 100.0]);
    }
}
