//! How good a fit is: its own samples, those between, and what plain interpolation would give there.

use super::bicubic;
use super::signal::Signal;
use crate::output::Failure;
use rafnet::Model;
use rafnet::fit::{Holdout, Samples};
use rafnet_signal::grid;
use rafnet_signal::image::Depth;
use rafnet_signal::metrics::{psnr_of_mse, ssim};

/// Samples evaluated at once.
const BLOCK: usize = 1 << 16;
/// Pixels of a video that are looked at: whole frames, evenly spread.
const PIXELS: usize = 2_000_000;
/// From this many pixels on SSIM is not worth its time.
const LARGE: usize = 1 << 25;

/// dB of a mean square in units of the target, which reaches from −1 to 1.
pub(super) fn decibels(mean_square: f64) -> f64 {
    psnr_of_mse(mean_square, 2.0)
}

/// What was measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Quality {
    /// Mean square difference: of pictures in [0, 1], of sounds over the largest amplitude, of tables over the deviation.
    pub(super) mse: f64,
    pub(super) psnr: Option<f64>,
    pub(super) ssim: Option<f64>,
    /// Every step of an 8- or 16-bit picture as it was.
    pub(super) lossless: Option<bool>,
    pub(super) psnr_heldout: Option<f64>,
    pub(super) mse_heldout: Option<f64>,
    /// Cubic interpolation of the trained samples at the others.
    pub(super) psnr_bicubic: Option<f64>,
    /// Mean and deviation over frames.
    pub(super) frames: Option<[f64; 2]>,
    /// Values of the model at every sample (of a video: none), in the model's unit.
    pub(super) values: Vec<f32>,
}

/// Measures a model against its signal.
pub(super) fn measure(
    signal: &Signal,
    model: &Model,
    holdout: Holdout,
    seed: u64,
) -> Result<Quality, Failure> {
    let Differences {
        sums,
        counts,
        by_range,
        values,
        lossless,
    } = Differences::of(signal, model, holdout, seed)?;
    let mse = sums[0] / counts[0].max(1) as f64;
    let pictured = !matches!(signal, Signal::Table(_));
    let mse_heldout = (counts[1] > 0).then(|| sums[1] / counts[1] as f64);
    let range = match signal {
        Signal::Audio { .. } => 2.0, // from −1 to 1
        _ => 1.0,
    };
    let to_psnr = |mse: f64| Some(psnr_of_mse(mse, range)).filter(|p| pictured && p.is_finite());
    let mut quality = Quality {
        mse,
        psnr: to_psnr(mse),
        lossless,
        mse_heldout,
        psnr_heldout: mse_heldout.and_then(to_psnr),
        ..Quality::default()
    };
    if let Signal::Image(p) = signal {
        let (height, width, channels) = (p.image.height(), p.image.width(), signal.channels());
        if height * width * channels <= LARGE {
            let clipped: Vec<f32> = values.iter().map(|v| v.clamp(0.0, 1.0)).collect();
            #[expect(clippy::cast_possible_truncation, reason = "as the values")]
            let wanted: Vec<f32> = p.image.to_unit().iter().map(|v| *v as f32).collect();
            quality.ssim = ssim(&clipped, &wanted, height, width, channels, 1.0).ok();
        }
        if let Holdout::Grid(k) = holdout {
            let between = bicubic::between(&p.image.to_unit(), [height, width], channels, k);
            quality.psnr_bicubic = between.map(|mse| psnr_of_mse(mse, 1.0));
        }
    }
    if matches!(signal, Signal::Video(_)) {
        let count = by_range.len() as f64;
        let mean = by_range.iter().sum::<f64>() / count;
        let spread = by_range.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / count;
        quality.frames = Some([mean, spread.sqrt()]);
    }
    quality.values = values;
    Ok(quality)
}

/// A model beside its signal, sample by sample: trained ones first, then those that were held out.
struct Differences {
    sums: [f64; 2],
    counts: [usize; 2],
    /// dB of each frame of a video that was looked at, of other signals once.
    by_range: Vec<f64>,
    values: Vec<f32>,
    lossless: Option<bool>,
}

impl Differences {
    fn of(signal: &Signal, model: &Model, holdout: Holdout, seed: u64) -> Result<Self, Failure> {
        let (sizes, channels) = (signal.sizes(), signal.channels());
        let n: usize = sizes.iter().product();
        let (_, held) = holdout.split(&sizes, seed);
        let mut is_held = vec![false; if held.is_empty() { 0 } else { n }];
        held.iter().for_each(|&i| is_held[i as usize] = true);
        let looked: Vec<std::ops::Range<usize>> = match signal {
            Signal::Video(clip) => frames_looked_at(clip.sizes()),
            _ => std::iter::once(0..n).collect(),
        };
        let mut all = Self {
            sums: [0.0; 2],
            counts: [0; 2],
            by_range: Vec::new(),
            values: Vec::new(),
            lossless: depth(signal).map(|_| true),
        };
        for range in looked {
            let (mut range_sum, count) = (0.0, range.len());
            let mut first = range.start;
            while first < range.end {
                let block = first..(first + BLOCK).min(range.end);
                first = block.end;
                for sum in all.add(signal, model, block, &is_held)? {
                    range_sum += sum;
                }
            }
            let mse = range_sum / (count * channels).max(1) as f64;
            all.by_range.push(psnr_of_mse(mse, 1.0));
        }
        Ok(all)
    }

    /// Adds a block of samples; returns its sums of squares.
    fn add(
        &mut self,
        signal: &Signal,
        model: &Model,
        block: std::ops::Range<usize>,
        is_held: &[bool],
    ) -> Result<[f64; 2], Failure> {
        let channels = signal.channels();
        let (found, wanted) = both(signal, model, block.clone())?;
        let mut sums = [0.0; 2];
        let pairs = found.chunks(channels).zip(wanted.chunks(channels));
        for (i, (f, w)) in pairs.enumerate() {
            let place = usize::from(is_held.get(block.start + i).is_some_and(|h| *h));
            for (c, (f, w)) in f.iter().zip(w).enumerate() {
                sums[place] += square(signal, c, *f, *w);
                if let Some(depth) = depth(signal) {
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
}

/// The steps of a picture that has steps.
fn depth(signal: &Signal) -> Option<Depth> {
    match signal {
        Signal::Image(p) => p.image.depth(),
        Signal::Video(_) => Some(Depth::Eight),
        _ => None,
    }
}

/// The squared difference that counts.
fn square(signal: &Signal, channel: usize, found: f64, wanted: f64) -> f64 {
    let difference = match signal {
        Signal::Image(_) | Signal::Video(_) => found.clamp(0.0, 1.0) - wanted,
        Signal::Audio { target, .. } => (found - wanted) / f64::from(target.peak),
        Signal::Table(t) => (found - wanted) / t.deviation(channel),
    };
    difference * difference
}

/// The model's values and the signal's, in the model's unit.
fn both(
    signal: &Signal,
    model: &Model,
    block: std::ops::Range<usize>,
) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    let (d, channels) = (signal.dimension(), signal.channels());
    let mut points = vec![0.0; block.len() * d];
    let mut wanted = vec![0.0; block.len() * channels];
    for (i, index) in block.enumerate() {
        let place = &mut wanted[i * channels..(i + 1) * channels];
        let point = &mut points[i * d..(i + 1) * d];
        signal.target(index, place);
        match signal {
            Signal::Table(t) => {
                point.copy_from_slice(&t.table.inputs[index * d..(index + 1) * d]);
                place.copy_from_slice(&t.table.outputs[index * channels..(index + 1) * channels]);
            }
            Signal::Audio { target, .. } => {
                grid::point_into(index, &signal.sizes(), -100.0, 100.0, point);
                let peak = f64::from(target.peak);
                place.iter_mut().for_each(|v| *v *= peak);
            }
            Signal::Image(_) | Signal::Video(_) => {
                grid::point_into(index, &signal.sizes(), -1.0, 1.0, point);
                place.iter_mut().for_each(|v| *v = 0.5 * *v + 0.5);
            }
        }
    }
    let found = model
        .eval(&points)
        .map_err(|e| Failure::new(e.to_string(), "a smaller `--lr` may keep the fit finite"))?;
    Ok((found, wanted))
}

/// Whole frames, at most as many as are worth the time, evenly spread from the first to the last.
fn frames_looked_at([frames, height, width]: [usize; 3]) -> Vec<std::ops::Range<usize>> {
    let pixels = height * width;
    let count = (PIXELS / pixels).clamp(1, frames);
    (0..count)
        .map(|k| {
            if count < 2 {
                0
            } else {
                k * (frames - 1) / (count - 1)
            }
        })
        .map(|f| f * pixels..(f + 1) * pixels)
        .collect()
}
