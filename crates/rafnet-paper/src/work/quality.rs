//! How good a fit is, over the whole signal.

use super::signal::{Fit, Piece, Signal};
use crate::record::{Made, rounded};
use crate::{Asked, PaperError, Watch};
use rafnet::Model;
use rafnet::expr::{larger, smaller};
use rafnet::fit::{Fitted, Kind};
use rafnet::model::{Output, Parts, Precision};
use rafnet_signal::grid;
use rafnet_signal::metrics::{psnr_of_mse, ssim};

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
        fitted: Fitted,
        asked: &Asked,
        watch: &mut dyn Watch,
        made: &mut Made,
    ) -> Result<(), PaperError> {
        let coordinates: Vec<String> = (0..signal.sizes.len()).map(|k| format!("x{k}")).collect();
        let outputs = (0..signal.channels)
            .map(|k| Output::new(format!("u{k}")))
            .collect();
        let parts = Parts::new(coordinates, outputs, fitted.network, fitted.parameters);
        let model = Model::new(parts.with_precision(Precision::F32));
        let model = model.map_err(|e| PaperError::run(e.to_string()))?;
        let model = model.with_device(asked.device).with_threads(asked.threads);
        let frame: usize = match self.piece {
            Piece::Video { .. } => signal.sizes[1..].iter().product(),
            _ => signal.sizes.iter().product(),
        };
        let held = matches!(self.piece, Piece::Between { .. });
        let (d, channels) = (signal.sizes.len(), signal.channels);
        let (mut all, mut frames, mut found) = (0.0, Vec::new(), Vec::new());
        let n = signal.values.len() / channels;
        for first in (0..n).step_by(frame * self.frames_apart()) {
            if !watch.going_on(
                1.0,
                &format!("frame {} of {}", first / frame + 1, n / frame),
            ) {
                return Err(PaperError::Stopped);
            }
            let mut points = vec![0.0; frame * d];
            for (i, point) in points.chunks_exact_mut(d).enumerate() {
                grid::point_into(first + i, &signal.sizes, -signal.reach, signal.reach, point);
            }
            let values = model
                .eval(&points)
                .map_err(|e| PaperError::run(e.to_string()))?;
            let wanted = &signal.values[first * channels..][..frame * channels];
            let mse = mean_square(signal, self.piece.kind(), &values, wanted, held);
            all += mse;
            frames.push(psnr_of_mse(mse, 1.0));
            if !matches!(self.piece, Piece::Video { .. }) {
                found = values;
            }
        }
        let mse = all / frames.len() as f64;
        made.put("mse", mse);
        match self.piece {
            Piece::Picture { side, .. } => {
                let unit = |v: f64| (0.5 * v + 0.5).clamp(0.0, 1.0);
                let drawn: Vec<f64> = found.iter().map(|v| unit(*v)).collect();
                let wanted: Vec<f64> = signal
                    .values
                    .iter()
                    .map(|v| 0.5 * f64::from(*v) + 0.5)
                    .collect();
                made.put("psnr", psnr_of_mse(mse, 1.0));
                made.put("ssim", ssim(&drawn, &wanted, side, side, 1, 1.0).ok());
            }
            Piece::Between { .. } => made.put("psnr", psnr_of_mse(mse, 1.0)),
            Piece::Sound { .. } => put_envelopes(made, &signal.values, &found),
            Piece::Video { .. } => {
                let mean = frames.iter().sum::<f64>() / frames.len() as f64;
                let squares = frames.iter().map(|p| (p - mean).powi(2)).sum::<f64>();
                made.put("frames_mean", mean);
                made.put("frames_deviation", (squares / frames.len() as f64).sqrt());
            }
        }
        Ok(())
    }
}

/// The mean square difference: of sounds as they are, of pictures in [0, 1] and clipped; `held`: of every second pixel of every second row.
fn mean_square(signal: &Signal, kind: Kind, found: &[f64], wanted: &[f32], held: bool) -> f64 {
    let columns = signal.sizes.last().copied().unwrap_or(1);
    let (mut sum, mut count) = (0.0, 0usize);
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        let pixel = i / signal.channels;
        if held && !((pixel / columns).is_multiple_of(2) && (pixel % columns).is_multiple_of(2)) {
            continue;
        }
        let w = f64::from(*w);
        let difference = match kind {
            Kind::Audio => f - w,
            _ => (0.5 * f + 0.5).clamp(0.0, 1.0) - (0.5 * w + 0.5),
        };
        sum += difference * difference;
        count += 1;
    }
    sum / count.max(1) as f64
}

/// Pieces of a sound of which the least and the greatest value are kept.
const PIECES: usize = 300;

/// The central nine tenths of the sound, the fit and their difference: least and greatest value of every piece.
fn put_envelopes(made: &mut Made, wanted: &[f32], found: &[f64]) {
    let n = wanted.len();
    let (from, to) = (n / 20, n - n / 20);
    let wanted: Vec<f64> = wanted[from..to].iter().map(|v| f64::from(*v)).collect();
    let found = &found[from..to];
    let difference: Vec<f64> = wanted.iter().zip(found).map(|(w, f)| w - f).collect();
    let every = wanted.len().div_ceil(PIECES).max(1);
    for (name, values) in [
        ("truth", &wanted[..]),
        ("fit", found),
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
