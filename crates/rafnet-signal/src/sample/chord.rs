//! The sample sound: a plucked chord.
//!
//! The notes D, F♯, A, D enter one after the other, each a few harmonics that fade the faster the higher they are:
//! ```text
//! s(t) = Σ_notes Σ_h  sin(2π h f t) e^(−(1.2 + 0.9 h) t) / h^1.3,    t counted from the note's start
//! ```

use crate::audio::Audio;
use crate::error::{Error, Result};
use std::f64::consts::TAU;

/// The sample sound at any rate, for as many seconds as asked for; one channel.
///
/// ```
/// let sound = rafnet_signal::sample::chord(8_000, 2.0)?;
/// assert_eq!(sound.n_moments(), 16_000);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If the rate is zero, or the duration is not between one sample and an hour.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the duration is checked first"
)]
pub fn chord(rate: u32, seconds: f64) -> Result<Audio> {
    let n_moments = seconds * f64::from(rate);
    if !(n_moments >= 1.0 && seconds <= 3600.0) {
        return Err(Error::Range {
            what: "the duration of the sample sound",
            found: format!("{seconds} s at {rate} samples a second"),
            expected: "one sample to 3600 s".to_owned(),
        });
    }
    let moment = |k: usize| amplitude(k as f64 / f64::from(rate), f64::from(rate) / 2.0);
    Audio::new(
        rate,
        1,
        (0..n_moments.round() as usize).map(moment).collect(),
    )
}

/// The amplitude at a time; harmonics above the `highest` frequency are left out.
fn amplitude(time: f64, highest: f64) -> f64 {
    let notes = [146.832, 184.997, 220.0, 293.665];
    let sum: f64 = notes
        .iter()
        .enumerate()
        .map(|(k, note)| {
            let t = time - 0.08 * k as f64;
            if t < 0.0 {
                return 0.0;
            }
            let attack = 1.0 - (-t / 0.004).exp();
            (1..=9)
                .map(f64::from)
                .filter(|h| h * note < highest)
                .map(|h| {
                    attack * (TAU * h * note * t).sin() * (-(1.2 + 0.9 * h) * t).exp() / h.powf(1.3)
                })
                .sum::<f64>()
        })
        .sum();
    0.22 * sum
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn the_chord_neither_clips_nor_vanishes() {
        let sound = chord(44_100, 3.0).unwrap();
        let peak = sound
            .samples()
            .iter()
            .fold(0.0f64, |peak, s| peak.max(s.abs())); // without NaN: a sound has none
        assert!((0.3..1.0).contains(&peak), "peak {peak}");
    }

    #[test]
    fn impossible_durations_are_refused() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 4000.0] {
            assert!(chord(8000, seconds).is_err());
        }
        assert!(chord(0, 1.0).is_err());
    }
}
