//! A signal fitted: a picture, a sound, a video; SIREN's shape and weights, Adam, a cosine over all steps.
//!
//! Figures: `psnr`, `ssim` (pictures), `mse`, `psnr_best` (the best of all steps), `psnr_between` (of pixels that were not trained on),
//! `frames_mean` and `frames_deviation` (video). The curve `loss` is the mean square of each step's batch.

use super::super::data;
use crate::record::{Made, rounded};
use crate::state::State;
use crate::{Asked, PaperError, Rate, Track, Watch};
use rafnet::fit::{Holdout, Kind, Options, Progress, Recipe, Signal, Sound};
use rafnet::optimise::Schedule;
use rafnet::run::{self, Checkpoint, Preset};
use rafnet_signal::audio::{Audio, AudioTarget};
use rafnet_signal::image::{Depth, Filter, Image};
use rafnet_signal::metrics::psnr_of_mse;
use rafnet_signal::sample;
use rafnet_signal::video::{Clip, Frame};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Seconds between states that are kept.
const KEPT_EVERY: f64 = 30.0;
/// Frames, rows and columns of the paper's video.
const VIDEO: [usize; 3] = [250, 272, 640];

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
    /// Parity: the paper's Adam and schedule; open: the defaults of `raf fit`.
    pub(crate) track: Track,
    /// Whether the published code is followed where it differs from the text.
    pub(crate) code: bool,
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

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::Picture { .. } | Self::Between { .. } => Kind::Image,
            Self::Sound { .. } => Kind::Audio,
            Self::Video { .. } => Kind::Video,
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn unread(error: rafnet_signal::Error) -> PaperError {
    PaperError::run(error.to_string())
}

impl Fit {
    pub(super) fn settings(&self, asked: &Asked) -> Value {
        let file = data::path(asked, self.piece.file());
        let mut settings = json!({
            "signal": format!("{:?}", self.piece), "network": self.network, "width": self.width, "batch": self.batch, "steps": self.steps,
            "full_steps": self.full_steps, "seed": self.seed, "embedded": file.is_none(), "track": self.track.name(),
        });
        if self.code {
            settings["preset"] = json!("code");
        }
        settings
    }

    /// 6 FLOP a weight and sample of a step, 2 of the frames that are looked at in the end.
    pub(super) fn seconds(&self, rate: Rate) -> f64 {
        let (samples, looked_at) = match self.piece {
            Piece::Picture { side, .. } | Piece::Between { side, .. } => (side * side, 0),
            Piece::Sound { samples, .. } => (samples.min(540_000), 0),
            Piece::Video { every, .. } => {
                let apart = every.iter().product::<usize>() * self.frames_apart();
                (self.batch, VIDEO.iter().product::<usize>() / apart)
            }
        };
        let weights = 3.0 * (self.width * self.width) as f64;
        let taken = samples.min(self.batch) as f64 * self.steps as f64;
        let flop = weights * (6.0 * taken + 2.0 * looked_at as f64);
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
                let image = image.resize(side, side, Filter::Bilinear);
                Ok(Signal::Image(image.map_err(unread)?))
            }
            Piece::Sound { samples, .. } => {
                let audio = match path {
                    Some(path) => Audio::open(path).map_err(unread)?,
                    None => sample::chord(16_000, 2.0).map_err(unread)?,
                };
                let mut values = audio.mono().to_target().values;
                values.truncate(samples);
                // the largest amplitude is the unit of the figures too
                let target = AudioTarget { values, peak: 1.0 };
                let sound = Sound::new(target, 1, audio.rate());
                sound.map(Signal::Audio).map_err(unread)
            }
            Piece::Video { every, .. } => {
                let clip = if let Some(path) = path {
                    Clip::open(path).map_err(unread)?
                } else {
                    let frames = sample::scene(96, 64, 50).map_err(unread)?;
                    Clip::from_frames(25.0, frames.map(Ok)).map_err(unread)?
                };
                thinned(&clip, every).map(Signal::Video).map_err(unread)
            }
        }
    }

    pub(super) fn perform(
        &self,
        asked: &Asked,
        state: &State,
        watch: &mut dyn Watch,
    ) -> Result<Made, PaperError> {
        let signal = self.signal(asked)?;
        let samples: usize = signal.sizes().iter().product();
        let kind = self.piece.kind();
        let recipe = Recipe::named(self.network).map_err(|e| PaperError::run(e.to_string()))?;
        let (preset, schedule) = match self.track {
            Track::Open => (Preset::Default, "descents"),
            _ if self.code => (Preset::Code, "cosine"),
            _ => (Preset::Paper, "cosine"),
        };
        let options = Options {
            width: self.width,
            batch: self.batch.min(samples),
            steps: self.steps,
            schedule: Schedule::named(schedule, self.steps).unwrap_or(Schedule::Constant),
            seed: self.seed,
            holdout: match self.piece {
                Piece::Between { .. } => Holdout::Grid(2),
                _ => Holdout::None,
            },
            displaced: 0.0, // every pixel at its place on every track
            look: self.steps.max(1),
            device: asked.device,
            threads: asked.threads,
            checkpoint: KEPT_EVERY,
            ..Options::usual(kind, preset, samples)
        }
        .with_recipe(recipe);
        let (checkpoint, losses) = state.resumed(|c| signal.accepts(&options, c).is_ok());
        let mut heard = Heard {
            watch,
            state,
            losses,
            stopped: false,
        };
        let trained = signal.train(&options, checkpoint.as_ref(), &mut heard);
        let trained = trained.map_err(|e| PaperError::run(e.to_string()))?;
        if heard.stopped {
            return Err(PaperError::Stopped);
        }
        let fitted = &trained.fitted;
        let mut made = Made::default();
        made.put("steps", fitted.steps);
        made.put("parameters", fitted.network.n_parameters());
        made.put("seconds_per_step", rounded(trained.seconds_per_step()));
        made.put("outcome", fitted.outcome.name());
        let range = if kind == Kind::Audio { 1.0 } else { 2.0 };
        made.put("psnr_best", psnr_of_mse(fitted.best_loss, range));
        made.put_curve("loss", &heard.losses);
        let between = fitted.looks.last().and_then(|l| l.held_out);
        made.put("psnr_between", between.map(|mse| psnr_of_mse(mse, 2.0)));
        self.measure(&signal, &trained.model, &options, heard.watch, &mut made)?;
        state.clear();
        Ok(made)
    }
}

/// Every so-manieth frame, row and column.
fn thinned(clip: &Clip, every: [usize; 3]) -> rafnet_signal::Result<Clip> {
    let [frames, height, width] = clip.sizes();
    let frame = |t: usize| {
        let rgb = clip.frame(t);
        let mut thin = Vec::new();
        for row in (0..height).step_by(every[1]) {
            for column in (0..width).step_by(every[2]) {
                thin.extend_from_slice(&rgb[3 * (row * width + column)..][..3]);
            }
        }
        Frame::new(width.div_ceil(every[2]), height.div_ceil(every[1]), thin)
    };
    let frames = (0..frames).step_by(every[0]).map(frame);
    Clip::from_frames(clip.frames_per_second(), frames)
}

struct Heard<'a> {
    watch: &'a mut dyn Watch,
    state: &'a State,
    losses: Vec<f64>,
    stopped: bool,
}

impl run::Watch for Heard<'_> {
    fn progress(&mut self, p: &Progress) -> ControlFlow<()> {
        let (steps, loss) = (p.steps.unwrap_or(p.step), p.loss.unwrap_or(f64::NAN));
        // a device takes several steps and says the last one's loss
        let before = usize::try_from(p.step.saturating_sub(1)).unwrap_or(0);
        self.losses.resize(before.max(self.losses.len()), f64::NAN);
        self.losses.push(loss);
        let said = format!("step {}, mean square {loss:.2e}", p.step);
        self.stopped = !self.watch.going_on(p.step as f64 / steps as f64, &said);
        if self.stopped {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.state.save(checkpoint, &self.losses);
    }
}
