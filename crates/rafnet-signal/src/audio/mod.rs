//! Audio: sounds as arrays, from WAV files to targets and back.
//!
//! Amplitudes are f64 with full scale 1, which holds every WAV sample format exactly:
//! ```text
//! u8: (s − 128)/2⁷    i16: s/2¹⁵    i24: s/2²³    i32: s/2³¹    f32, f64: as they are
//! ```
//! The target of a fit is every channel, or their mean, divided by the largest absolute value, in f32, at coordinates spread
//! evenly over [−100, 100]. Truth: the `hound` crate for integers and f32, hand-made files for the rest, in
//! `tests/signals/audio.rs`.

mod read;
mod target;
mod write;

pub use target::{AudioTarget, REACH};
pub use write::WavFormat;

use crate::error::{Error, Result};

/// A sound: amplitudes moment by moment, the channels of a moment side by side.
///
/// ```
/// use rafnet_signal::audio::Audio;
///
/// let sound = Audio::new(44_100, 2, vec![0.5, -0.5, 0.25, 0.75])?;
/// assert_eq!(sound.n_moments(), 2);
/// assert_eq!(sound.to_target().peak, 0.75);
/// assert_eq!(sound.mono().to_target().values, [0.0, 1.0]); // means 0 and ½, divided by ½
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Audio {
    rate: u32,
    n_channels: usize,
    samples: Vec<f64>, // (moments, channels)
}

impl Audio {
    /// A sound from its amplitudes.
    ///
    /// # Errors
    /// If the rate or the number of channels is zero, there is no sample, a moment is incomplete, or an amplitude is
    /// not finite.
    pub fn new(rate: u32, n_channels: usize, samples: Vec<f64>) -> Result<Self> {
        if rate == 0 {
            let expected = "1 or more samples a second".to_owned();
            return Err(Error::Range {
                what: "the sample rate",
                found: "0".to_owned(),
                expected,
            });
        }
        if n_channels == 0 {
            let expected = "1 or more".to_owned();
            return Err(Error::Range {
                what: "the number of channels",
                found: "0".to_owned(),
                expected,
            });
        }
        if samples.is_empty() || !samples.len().is_multiple_of(n_channels) {
            let expected = samples.len().div_ceil(n_channels).max(1) * n_channels;
            return Err(Error::Length {
                what: "a sound",
                found: samples.len(),
                expected,
            });
        }
        if let Some(at) = samples.iter().position(|sample| !sample.is_finite()) {
            return Err(Error::Range {
                what: "an amplitude",
                found: format!("{} at sample {at}", samples[at]),
                expected: "finite numbers; export the sound again without overflow".to_owned(),
            });
        }
        Ok(Self {
            rate,
            n_channels,
            samples,
        })
    }

    /// Moments a second.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Amplitudes a moment.
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Moments in all.
    pub fn n_moments(&self) -> usize {
        self.samples.len() / self.n_channels
    }

    /// All amplitudes.
    pub fn samples(&self) -> &[f64] {
        &self.samples
    }
}
