//! How good a fit is: its own samples, those between, and what plain interpolation would give there.

use super::{Signal, bicubic};
use crate::fit::{FitError, Holdout, Options};
use crate::model::Model;
use rafnet_signal::metrics::{psnr_of_mse, ssim};
use std::ops::Range;

/// Samples evaluated at once.
const BLOCK: usize = 1 << 16;
/// Pixels of a video that are looked at: whole frames, evenly spread.
const PIXELS: usize = 2_000_000;
/// From this many values on SSIM is not worth its time.
const LARGE: usize = 1 << 25;

/// dB of a mean square in units of the training, where the values of pictures and sounds reach from −1 to 1.
pub fn decibels(mean_square: f64) -> f64 {
    psnr_of_mse(mean_square, 2.0)
}

/// What was measured; where there is no such figure, none.
#[derive(Clone, Debug, Default)]
pub struct Quality {
    /// Mean square difference at the samples that were trained on: of pictures in [0, 1], of sounds over the largest amplitude, of tables over the
    /// deviation.
    pub mse: f64,
    /// The same in dB of the whole range, of all but tables.
    pub psnr: Option<f64>,
    /// Structural similarity of a picture.
    pub ssim: Option<f64>,
    /// Whether every step of an 8- or 16-bit picture is as it was.
    pub lossless: Option<bool>,
    /// Mean square difference at the samples that were held out.
    pub mse_heldout: Option<f64>,
    /// The same in dB.
    pub psnr_heldout: Option<f64>,
    /// What cubic interpolation of a picture's trained pixels has at the others, in dB.
    pub psnr_bicubic: Option<f64>,
    /// Mean and deviation over the frames of a video that were looked at, in dB.
    pub frames: Option<[f64; 2]>,
    /// Values of the model at every sample, in its own unit; of a video none.
    pub values: Vec<f32>,
}

impl Signal {
    /// Measures a model of this signal: at every sample, of a long video at frames that are evenly spread.
    ///
    /// # Errors
    /// [`FitError::Model`] if the model cannot be evaluated.
    pub fn measure(&self, model: &Model, options: &Options) -> Result<Quality, FitError> {
        let frames = self.frames_looked_at();
        let quality = self.measure_frames(model, options, &frames, &mut |_| true)?;
        Ok(quality.unwrap_or_default())
    }

    /// The same, of a video at these frames; none if `going_on`, asked before each frame (before other signals once) how many came before it, says no.
    ///
    /// # Errors
    /// [`FitError::Model`] if the model cannot be evaluated.
    pub fn measure_frames(
        &self,
        model: &Model,
        options: &Options,
        frames: &[usize],
        going_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Quality>, FitError> {
        let sizes = self.sizes();
        let n: usize = sizes.iter().product();
        let (_, held) = options.holdout.split(&sizes, options.seed);
        let mut is_held = vec![false; if held.is_empty() { 0 } else { n }];
        held.iter().for_each(|&i| is_held[i as usize] = true);
        let looked: Vec<Range<usize>> = match self {
            Self::Video(_) => {
                let pixels = sizes[1] * sizes[2];
                let frames = frames.iter().filter(|f| **f < sizes[0]);
                frames.map(|f| f * pixels..(f + 1) * pixels).collect()
            }
            _ => std::iter::once(0..n).collect(),
        };
        let mut all = Differences {
            signal: self,
            model,
            is_held,
            sums: [0.0; 2],
            counts: [0; 2],
            lossless: self.depth().map(|_| true),
            values: Vec::new(),
        };
        let mut by_frame = Vec::with_capacity(looked.len());
        for (k, range) in looked.into_iter().enumerate() {
            if !going_on(k) {
                return Ok(None);
            }
            let (mut sum, count) = (0.0, range.len() * self.channels());
            for first in range.clone().step_by(BLOCK) {
                let [trained, held] = all.add(first..(first + BLOCK).min(range.end))?;
                sum += trained;
                sum += held;
            }
            by_frame.push(psnr_of_mse(sum / count.max(1) as f64, 1.0));
        }
        Ok(Some(all.quality(options.holdout, &by_frame)))
    }

    /// Whole frames, at most as many as are worth the time, evenly spread from the first to the last.
    fn frames_looked_at(&self) -> Vec<usize> {
        let Self::Video(clip) = self else {
            return Vec::new();
        };
        let [frames, height, width] = clip.sizes();
        let count = (PIXELS / (height * width)).clamp(1, frames);
        let last = (count - 1).max(1);
        (0..count).map(|k| k * (frames - 1) / last).collect()
    }
}

/// A model beside its signal, sample by sample: trained ones first, then those that were held out.
struct Differences<'a> {
    signal: &'a Signal,
    model: &'a Model,
    is_held: Vec<bool>,
    sums: [f64; 2],
    counts: [usize; 2],
    lossless: Option<bool>,
    values: Vec<f32>,
}

impl Differences<'_> {
    /// Adds a block of samples; returns its sums of squares.
    fn add(&mut self, block: Range<usize>) -> Result<[f64; 2], FitError> {
        let (signal, d, channels) = (self.signal, self.signal.dimension(), self.signal.channels());
        let mut points = vec![0.0; block.len() * d];
        let mut wanted = vec![0.0; block.len() * channels];
        let places = points.chunks_mut(d).zip(wanted.chunks_mut(channels));
        for (index, (point, values)) in block.clone().zip(places) {
            signal.place(index, point);
            signal.values(index, values);
        }
        let found = self.model.eval(&points)?;
        let mut sums = [0.0; 2];
        let pairs = found.chunks(channels).zip(wanted.chunks(channels));
        for (index, (f, w)) in block.zip(pairs) {
            let place = usize::from(self.is_held.get(index).is_some_and(|h| *h));
            for (c, (f, w)) in f.iter().zip(w).enumerate() {
                sums[place] += signal.square(c, *f, *w);
                if let Some(depth) = signal.depth() {
                    let same = depth.quantise_unit(*f) == depth.quantise_unit(*w);
                    self.lossless = self.lossless.map(|l| l && (same || place == 1));
                }
            }
            self.counts[place] += channels;
        }
        if !matches!(signal, Signal::Video(_)) {
            #[expect(clippy::cast_possible_truncation, reason = "pictures are f32")]
            self.values.extend(found.iter().map(|v| *v as f32));
        }
        for place in [0, 1] {
            self.sums[place] += sums[place];
        }
        Ok(sums)
    }

    /// The figures.
    fn quality(self, holdout: Holdout, by_frame: &[f64]) -> Quality {
        let mean = |place: usize| self.sums[place] / self.counts[place].max(1) as f64;
        let mse_heldout = (self.counts[1] > 0).then(|| mean(1));
        let range = match self.signal {
            Signal::Audio(_) => 2.0, // from −1 to 1
            _ => 1.0,
        };
        let pictured = !matches!(self.signal, Signal::Table(_));
        let to_psnr =
            |mse: f64| Some(psnr_of_mse(mse, range)).filter(|p| pictured && p.is_finite());
        let mut quality = Quality {
            mse: mean(0),
            psnr: to_psnr(mean(0)),
            lossless: self.lossless,
            mse_heldout,
            psnr_heldout: mse_heldout.and_then(to_psnr),
            ..Quality::default()
        };
        if let Signal::Image(image) = self.signal {
            let (size, channels) = ([image.height(), image.width()], image.channels().count());
            if self.values.len() <= LARGE {
                let clipped: Vec<f32> = self.values.iter().map(|v| v.clamp(0.0, 1.0)).collect();
                #[expect(clippy::cast_possible_truncation, reason = "as the values")]
                let wanted: Vec<f32> = image.to_unit().iter().map(|v| *v as f32).collect();
                quality.ssim = ssim(&clipped, &wanted, size[0], size[1], channels, 1.0).ok();
            }
            if let Holdout::Grid(k) = holdout {
                let between = bicubic::between(&image.to_unit(), size, channels, k.max(1));
                quality.psnr_bicubic = between.map(|mse| psnr_of_mse(mse, 1.0));
            }
        }
        if matches!(self.signal, Signal::Video(_)) {
            let count = by_frame.len() as f64;
            let mean = by_frame.iter().sum::<f64>() / count;
            let spread = by_frame.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / count;
            quality.frames = Some([mean, spread.sqrt()]);
        }
        quality.values = self.values;
        quality
    }
}

impl Signal {
    /// The squared difference that counts.
    fn square(&self, channel: usize, found: f64, wanted: f64) -> f64 {
        let difference = match self {
            Self::Image(_) | Self::Video(_) => found.clamp(0.0, 1.0) - wanted,
            Self::Audio(sound) => (found - wanted) / f64::from(sound.target.peak),
            Self::Table(t) => (found - wanted) / t.outputs[channel][1],
        };
        difference * difference
    }
}
