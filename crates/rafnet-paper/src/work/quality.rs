//! How good a fit is, over the whole signal.

use super::signal::{Fit, Piece};
use crate::record::{Made, rounded};
use crate::{PaperError, Watch};
use rafnet::Model;
use rafnet::expr::{larger, smaller};
use rafnet::fit::{Options, Signal};

/// After a part of the steps every so-manieth frame of the whole video is looked at: all 250 take longer than a hundred steps.
const FRAMES_APART: usize = 10;

impl Fit {
    /// How far apart the frames are that are looked at.
    pub(super) fn frames_apart(&self) -> usize {
        let whole = matches!(self.piece, Piece::Video { every: [1, ..], .. });
        if whole && self.steps < self.full_steps {
            FRAMES_APART
        } else {
            1
        }
    }

    /// Evaluates the whole fit against the signal.
    pub(super) fn measure(
        &self,
        signal: &Signal,
        model: &Model,
        options: &Options,
        watch: &mut dyn Watch,
        made: &mut Made,
    ) -> Result<(), PaperError> {
        let frames = match signal {
            Signal::Video(clip) => clip.sizes()[0],
            _ => 1,
        };
        let apart = self.frames_apart();
        let looked_at: Vec<usize> = (0..frames).step_by(apart).collect();
        let quality = signal.measure_frames(model, options, &looked_at, &mut |k| {
            watch.going_on(1.0, &format!("frame {} of {frames}", k * apart + 1))
        });
        let quality = quality.map_err(|e| PaperError::run(e.to_string()))?;
        let quality = quality.ok_or(PaperError::Stopped)?;
        made.put("mse", quality.mse);
        match (self.piece, signal) {
            (Piece::Picture { .. }, _) => {
                made.put("psnr", quality.psnr);
                made.put("ssim", quality.ssim);
            }
            (Piece::Between { .. }, _) => made.put("psnr", quality.psnr),
            (Piece::Sound { .. }, Signal::Audio(sound)) => {
                put_envelopes(made, &sound.target().values, &quality.values);
            }
            _ => {
                let [mean, deviation] = quality.frames.unwrap_or([f64::NAN; 2]);
                made.put("frames_mean", mean);
                made.put("frames_deviation", deviation);
            }
        }
        Ok(())
    }
}

/// Pieces of a sound of which the least and the greatest value are kept.
const PIECES: usize = 300;

/// The central nine tenths of the sound, the fit and their difference: least and greatest value of every piece.
fn put_envelopes(made: &mut Made, wanted: &[f32], found: &[f32]) {
    let n = wanted.len();
    let central = |values: &[f32]| -> Vec<f64> {
        let values = &values[n / 20..n - n / 20];
        values.iter().map(|v| f64::from(*v)).collect()
    };
    let (wanted, found) = (central(wanted), central(found));
    let difference: Vec<f64> = wanted.iter().zip(&found).map(|(w, f)| w - f).collect();
    let every = wanted.len().div_ceil(PIECES).max(1);
    for (name, values) in [
        ("truth", &wanted),
        ("fit", &found),
        ("difference", &difference),
    ] {
        let ends = |pick: fn(f64, f64) -> f64| -> Vec<f64> {
            let pieces = values.chunks(every);
            pieces
                .map(|p| rounded(p.iter().copied().reduce(pick).unwrap_or(0.0)))
                .collect()
        };
        made.put(&format!("{name}_low"), ends(smaller));
        made.put(&format!("{name}_high"), ends(larger));
    }
}
