//! A signal fitted: a picture, a sound, a video; SIREN's shape and weights, Adam, a cosine over all steps.
//!
//! Figures: `psnr`, `ssim` (pictures), `mse`, `psnr_best` (the best of all steps), `psnr_between` (of pixels that were not trained on),
//! `frames_mean` and `frames_deviation` (video). The curve `loss` is the mean square of each step's batch.

use super::super::data;
use crate::record::{Made, rounded};
use crate::{Asked, PaperError, Rate, Watch};
use rafnet::fit::{self, Fitted, Holdout, Kind, Options, Progress, Recipe, Samples};
use rafnet::model::{Output, Parts, Precision};
use rafnet::optimise::Schedule;
use rafnet::{Model, solve};
use rafnet_signal::audio::Audio;
use rafnet_signal::image::{Depth, Filter, Image};
use rafnet_signal::metrics::{psnr_of_mse, ssim};
use rafnet_signal::video::Clip;
use rafnet_signal::{grid, sample};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A picture made grey, at so many pixels a side.
    Picture { file: &'static str, side: usize },
    /// Every so-manieth pixel of a picture is trained on, the others are looked at.
    Between { file: &'static str, side: usize },
    /// The first so many samples of a sound.
    Sound { file: &'static str, samples: usize },
    /// Every so-manieth frame, row and column of a video.
    Video {
        file: &'static str,
        every: [usize; 3],
    },
}

/// A fit.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) piece: Piece,
    pub(crate) network: &'static str,
    pub(crate) width: usize,
    pub(crate) batch: usize,
    pub(crate) steps: u64,
    pub(crate) full_steps: u64,
    pub(crate) seed: u64,
}

impl Piece {
    fn file(self) -> &'static str {
        match self {
            Self::Picture { file, .. }
            | Self::Between { file, .. }
            | Self::Sound { file, .. }
            | Self::Video { file, .. } => file,
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::Picture { .. } | Self::Between { .. } => Kind::Image,
            Self::Sound { .. } => Kind::Audio,
            Self::Video { .. } => Kind::Video,
        }
    }
}

/// Numbers on a regular grid.
struct Signal {
    sizes: Vec<usize>,
    channels: usize,
    /// Half the extent of the coordinates.
    reach: f64,
    values: Vec<f32>, // (samples, channels)
}

impl Samples for Signal {
    fn sizes(&self) -> Vec<usize> {
        self.sizes.clone()
    }
    fn dimension(&self) -> usize {
        self.sizes.len()
    }
    fn channels(&self) -> usize {
        self.channels
    }
    fn sample(&self, index: usize, point: &mut [f64], given: &mut [f64]) {
        grid::point_into(index, &self.sizes, -self.reach, self.reach, point);
        let values = &self.values[index * self.channels..];
        for (to, from) in given.iter_mut().zip(values) {
            *to = f64::from(*from);
        }
    }
}

fn unread(error: rafnet_signal::Error) -> PaperError {
    PaperError::run(error.to_string())
}

impl Fit {
    pub(super) fn settings(&self, asked: &Asked) -> Value {
        let file = data::path(asked, self.piece.file());
        json!({
            "signal": format!("{:?}", self.piece), "network": self.network, "width": self.width, "batch": self.batch, "steps": self.steps,
            "full_steps": self.full_steps, "seed": self.seed, "embedded": file.is_none(),
        })
    }

    /// 6 FLOP a weight and sample.
    pub(super) fn seconds(&self, rate: &Rate) -> f64 {
        let samples = match self.piece {
            Piece::Picture { side, .. } | Piece::Between { side, .. } => side * side,
            Piece::Sound { samples, .. } => samples.min(540_000),
            Piece::Video { .. } => self.batch,
        };
        let weights = 3.0 * (self.width * self.width) as f64;
        let flop = 6.0 * weights * samples.min(self.batch) as f64 * self.steps as f64;
        // single precision is twice as fast; activations take as long again
        rate.seconds(flop)
    }

    fn signal(&self, asked: &Asked) -> Result<Signal, PaperError> {
        let path = data::path(asked, self.piece.file());
        match self.piece {
            Piece::Picture { side, .. } | Piece::Between { side, .. } => {
                let image = match path {
                    Some(path) => Image::open(path).map_err(unread)?.to_grey(),
                    None => sample::picture(256, 256)
                        .map_err(unread)?
                        .to_grey()
                        .to_depth(Depth::Eight),
                };
                let side = if matches!(self.piece, Piece::Between { .. }) {
                    2 * side
                } else {
                    side
                };
                let image = image.resize(side, side, Filter::Bilinear).map_err(unread)?;
                Ok(Signal {
                    sizes: vec![side; 2],
                    channels: 1,
                    reach: 1.0,
                    values: image.to_target(),
                })
            }
            Piece::Sound { samples, .. } => {
                let audio = match path {
                    Some(path) => Audio::open(path).map_err(unread)?,
                    None => sample::chord(16_000, 2.0).map_err(unread)?,
                };
                let mut values = audio.mono().to_target().values;
                values.truncate(samples);
                Ok(Signal {
                    sizes: vec![values.len()],
                    channels: 1,
                    reach: 100.0,
                    values,
                })
            }
            Piece::Video { every, .. } => {
                let clip = match path {
                    Some(path) => Clip::open(path).map_err(unread)?,
                    None => {
                        let frames = sample::scene(96, 64, 50).map_err(unread)?;
                        Clip::from_frames(25.0, frames.map(Ok)).map_err(unread)?
                    }
                };
                Ok(thinned(&clip, every))
            }
        }
    }

    pub(super) fn perform(&self, asked: &Asked, watch: &mut dyn Watch) -> Result<Made, PaperError> {
        let signal = self.signal(asked)?;
        let samples: usize = signal.sizes.iter().product();
        let kind = self.piece.kind();
        let recipe = Recipe::named(self.network).map_err(|e| PaperError::run(e.to_string()))?;
        let options = Options {
            width: self.width,
            batch: self.batch.min(samples),
            steps: self.steps,
            schedule: Schedule::named("cosine", self.steps).unwrap_or(Schedule::Constant),
            seed: self.seed,
            holdout: match self.piece {
                Piece::Between { .. } => Holdout::Grid(2),
                _ => Holdout::None,
            },
            look: self.steps.max(1),
            device: asked.device,
            threads: asked.threads,
            checkpoint: f64::INFINITY,
            ..Options::usual(kind, solve::Preset::Paper, samples)
        }
        .with_recipe(recipe);
        let mut heard = Heard {
            watch,
            losses: Vec::new(),
            stopped: false,
        };
        let fitted = fit::fit(&signal, &options, None, &mut heard);
        let fitted = fitted.map_err(|e| PaperError::run(e.to_string()))?;
        if heard.stopped {
            return Err(PaperError::Stopped);
        }
        let losses = heard.losses;
        let mut made = Made::default();
        made.put("steps", fitted.steps);
        made.put("parameters", fitted.network.n_parameters());
        made.put(
            "seconds_per_step",
            rounded(fitted.step_seconds / fitted.steps.max(1) as f64),
        );
        made.put("outcome", fitted.outcome.name());
        let range = if kind == Kind::Audio { 1.0 } else { 2.0 };
        made.put("psnr_best", psnr_of_mse(fitted.best_loss, range));
        made.put_curve("loss", &losses);
        let between = fitted.looks.last().and_then(|l| l.held_out);
        made.put("psnr_between", between.map(|mse| psnr_of_mse(mse, 2.0)));
        self.measure(&signal, fitted, asked, &mut made)?;
        Ok(made)
    }

    /// Evaluates the whole fit against the signal.
    fn measure(
        &self,
        signal: &Signal,
        fitted: Fitted,
        asked: &Asked,
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
        for first in (0..n).step_by(frame) {
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

/// Every so-manieth frame, row and column.
fn thinned(clip: &Clip, every: [usize; 3]) -> Signal {
    let all = clip.sizes();
    let sizes: Vec<usize> = all.iter().zip(every).map(|(n, k)| n.div_ceil(k)).collect();
    let mut values = Vec::with_capacity(3 * sizes.iter().product::<usize>());
    for t in (0..all[0]).step_by(every[0]) {
        for row in (0..all[1]).step_by(every[1]) {
            for column in (0..all[2]).step_by(every[2]) {
                let pixel = (t * all[1] + row) * all[2] + column;
                values.extend((0..3).map(|c| clip.target_at(3 * pixel + c)));
            }
        }
    }
    Signal {
        sizes,
        channels: 3,
        reach: 1.0,
        values,
    }
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
        made.put(&format!("{name}_low"), ends(f64::min));
        made.put(&format!("{name}_high"), ends(f64::max));
    }
}

struct Heard<'a> {
    watch: &'a mut dyn Watch,
    losses: Vec<f64>,
    stopped: bool,
}

impl fit::Watch for Heard<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        self.losses.push(p.loss);
        let said = format!("step {}, mean square {:.2e}", p.step, p.loss);
        self.stopped = !self.watch.going_on(p.step as f64 / p.steps as f64, &said);
        if self.stopped {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
