//! The training, step by step, with looks at held-out samples, checkpoints and a named end.

use super::batch::Batches;
use super::supervision::Misfit;
use super::{FitError, Optimiser, Options, Samples, Supervision};
use crate::engine::{Batch, Engine, Objective, OnDevice, Regression, Streams};
use crate::model::Precision;
use crate::network::Network;
use crate::optimise::{Adam, Muon};
use crate::solve::{Checkpoint, CheckpointError, Fingerprint, Outcome};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// Samples that a look evaluates at once.
const BLOCK: usize = 1 << 16;
/// Above this multiple of the tolerance's square, as a mean square, the largest difference is not asked for.
const FAR: f64 = 0.5;
/// Beside Muon, Adam remembers the size of gradients for fewer steps, and Muon's rate is so many times Adam's.
const BESIDE_MUON: f64 = 0.95;
const MUON_RATE: f64 = 20.0 / 3.0;

/// After every step.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the start.
    pub seconds: f64,
    /// Steps taken.
    pub step: u64,
    /// Steps in all.
    pub steps: u64,
    /// Mean square of the batch before the step, over samples and channels.
    pub loss: f64,
    /// The last look, if there was one.
    pub look: Option<Look>,
}

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Steps taken until then.
    pub step: u64,
    /// Mean square over the held-out samples.
    pub held_out: Option<f64>,
    /// Largest difference over the trained samples, where it was worth asking.
    pub largest: Option<f64>,
}

/// Someone who watches a fit.
pub trait Watch {
    /// Hears of a step and says whether to go on.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Is handed the state every few seconds and when the run ends early.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// φ
    pub network: Network,
    /// Its parameters.
    pub parameters: Vec<f64>,
    /// How the run ended.
    pub outcome: Outcome,
    /// Steps taken.
    pub steps: u64,
    /// Seconds of steps alone, without looks and checkpoints.
    pub step_seconds: f64,
    /// The smallest mean square of a step's batch.
    pub best_loss: f64,
    /// Every look.
    pub looks: Vec<Look>,
}

/// Trains a network on samples, from the start or from a checkpoint of the same signal and options.
///
/// # Errors
/// [`FitError`] says what does not fit together.
pub fn fit(
    samples: &dyn Samples,
    options: &Options,
    from: Option<&Checkpoint>,
    watch: &mut dyn Watch,
) -> Result<Fitted, FitError> {
    match options.precision {
        Precision::F32 => Training::<f32>::new(samples, options, from)?.run(watch),
        Precision::F64 => Training::<f64>::new(samples, options, from)?.run(watch),
    }
}

/// Whether a checkpoint is of this signal with these options: what a run that goes on may change (time limit, target, threads, more steps
/// where nothing depends on their number) does not matter.
///
/// # Errors
/// [`CheckpointError::OtherRun`] says what differs.
pub fn accepts(
    samples: &dyn Samples,
    options: &Options,
    checkpoint: &Checkpoint,
) -> Result<(), CheckpointError> {
    options.run_fingerprint(samples).expect(&checkpoint.run)
}

struct Training<'a, T: OnDevice> {
    samples: &'a dyn Samples,
    options: &'a Options,
    network: Network,
    engine: Box<dyn Engine<T>>,
    batches: Batches<'a, T>,
    trained: Vec<u32>,
    held_out: Vec<u32>,
    theta: Vec<T>,
    gradient: Vec<T>,
    adam: Adam<T>,
    muon: Option<Muon<T>>,
    step: u64,
    best_loss: f64,
    /// The mean square over about the last epoch's worth of steps.
    smoothed: Option<f64>,
    looks: Vec<Look>,
}

impl<'a, T: OnDevice> Training<'a, T> {
    fn new(
        samples: &'a dyn Samples,
        options: &'a Options,
        from: Option<&Checkpoint>,
    ) -> Result<Self, FitError> {
        let (dimension, channels) = (samples.dimension(), samples.channels());
        let (network, parameters) = options.network(dimension, channels)?;
        let (trained, held_out) = options.holdout.split(&samples.sizes(), options.seed);
        let misfit = Misfit {
            supervision: options.supervision,
            dimension,
            channels,
        };
        // plain regression has a residual of its own in the engine
        let residual: Arc<dyn crate::engine::Residual<T>> = match options.supervision {
            Supervision::Value => Arc::new(Regression { outputs: channels }),
            _ => Arc::new(misfit),
        };
        let n = parameters.len();
        let to_real = |v: &[f64]| v.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
        let mut training = Self {
            engine: options
                .device
                .engine(Objective::new(network.clone(), residual), options.threads)?,
            batches: Batches::new(
                samples,
                options.supervision,
                trained.clone(),
                options.batch,
                options.seed,
            )?,
            samples,
            options,
            muon: (options.optimiser == Optimiser::Muon).then(|| Muon::new(&network)),
            network,
            trained,
            held_out,
            theta: to_real(&parameters),
            gradient: vec![T::ZERO; n],
            adam: Adam::new(n),
            step: 0,
            best_loss: f64::INFINITY,
            smoothed: None,
            looks: Vec::new(),
        };
        if let Some(checkpoint) = from {
            training.restore(checkpoint)?;
        }
        if training.muon.is_some() {
            training.adam = training.adam.with_beta_2(BESIDE_MUON);
        }
        Ok(training)
    }

    /// Takes up what [`checkpoint`](Self::checkpoint) left.
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        accepts(self.samples, self.options, checkpoint)?;
        let n = self.theta.len();
        let to_real = |v: &[f64]| v.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
        self.theta = to_real(checkpoint.vector("theta", n)?);
        self.adam = checkpoint.adam(n)?;
        self.best_loss = checkpoint.vector("best", 1)?[0];
        self.smoothed = Some(checkpoint.vector("smoothed", 1)?[0]);
        let most = usize::try_from(checkpoint.step).unwrap_or(usize::MAX);
        let looks = checkpoint.rows("looks", 3, most)?.chunks_exact(3);
        self.looks = looks.map(Look::from_numbers).collect();
        self.step = checkpoint.step;
        if let Some(muon) = &mut self.muon {
            let length = muon.state().len();
            let state = checkpoint.rows("muon", length.max(1), 1)?;
            let restored = muon.clone().with_state(&to_real(state));
            *muon = restored.ok_or(CheckpointError::Missing { vector: "muon" })?;
        }
        Ok(())
    }

    fn run(mut self, watch: &mut dyn Watch) -> Result<Fitted, FitError> {
        let started = Instant::now();
        let (mut saved, mut step_seconds) = (started, 0.0);
        let columns = self
            .options
            .supervision
            .columns(self.samples.dimension(), self.samples.channels());
        let share = 1.0 / columns as f64;
        let frozen = self.options.frozen(&self.network);
        let (mut outcome, mut run) = (None, None);
        let epoch = self.batches.steps_per_epoch().max(1);
        while self.step < self.options.steps && outcome.is_none() {
            let began = Instant::now();
            self.batches
                .load(self.step, self.options.displaced_at(self.step));
            let batch = Batch::points(&self.batches.points).with_data(&self.batches.given);
            let sum = self
                .engine
                .loss_and_gradient(&self.theta, &batch, &mut self.gradient)?;
            let loss = share * sum;
            let finite = loss.is_finite() && self.gradient.iter().all(|g| g.to_f64().is_finite());
            if !finite {
                outcome = Some(Outcome::Diverged);
                break;
            }
            if columns > 1 {
                let share = T::from_f64(share);
                self.gradient.iter_mut().for_each(|g| *g *= share);
            }
            self.gradient[frozen.clone()].fill(T::ZERO); // Adam does not move what has no gradient
            let rate = self.options.schedule.rate(self.options.lr, self.step);
            if let Some(muon) = &mut self.muon {
                let (theta, gradient) = (&mut self.theta, &mut self.gradient);
                muon.step(MUON_RATE * rate, theta, gradient, self.options.threads);
            }
            self.adam.step(rate, &mut self.theta, &self.gradient);
            self.step += 1;
            self.best_loss = self.best_loss.min(loss);
            let smoothed = self.smoothed;
            let mean = smoothed.map_or(loss, |old| old + (loss - old) / epoch as f64);
            self.smoothed = Some(mean);
            step_seconds += began.elapsed().as_secs_f64();
            if self.step.is_multiple_of(self.options.look) || self.step == self.options.steps {
                let look = self.look(mean)?;
                let within = look.largest.is_some_and(|l| l < self.options.tolerance);
                if within || (mean <= self.options.target && self.step >= epoch) {
                    outcome = Some(Outcome::TargetReached);
                }
                if look.held_out.is_some() || look.largest.is_some() {
                    self.looks.push(look);
                }
            }
            let progress = Progress {
                seconds: started.elapsed().as_secs_f64(),
                step: self.step,
                steps: self.options.steps,
                loss,
                look: self.looks.last().copied(),
            };
            let stopped = watch.progress(&progress).is_break();
            if outcome.is_some() {
                break; // at its target: resumed from here it would take steps that it never took
            }
            if stopped {
                outcome = Some(Outcome::Stopped);
            } else if progress.seconds > self.options.time_limit {
                outcome = Some(Outcome::BudgetSpent);
            }
            if outcome.is_some() || saved.elapsed().as_secs_f64() >= self.options.checkpoint {
                saved = Instant::now();
                let run = run.get_or_insert_with(|| self.options.run_fingerprint(self.samples));
                watch.checkpoint(&self.checkpoint(run));
            }
        }
        Ok(Fitted {
            network: self.network,
            parameters: self.theta.iter().map(|t| t.to_f64()).collect(),
            outcome: outcome.unwrap_or(Outcome::BudgetSpent),
            steps: self.step,
            step_seconds,
            best_loss: self.best_loss,
            looks: self.looks,
        })
    }

    /// Looks at held-out samples, and at the largest difference where it can be within the tolerance.
    fn look(&mut self, mean: f64) -> Result<Look, FitError> {
        let mut look = Look {
            step: self.step,
            held_out: None,
            largest: None,
        };
        if self.options.supervision != Supervision::Value {
            return Ok(look);
        }
        if !self.held_out.is_empty() {
            let held_out = std::mem::take(&mut self.held_out);
            look.held_out = Some(self.differences(&held_out)?.0);
            self.held_out = held_out;
        }
        if mean < FAR * self.options.tolerance.powi(2) {
            let trained = std::mem::take(&mut self.trained);
            look.largest = Some(self.differences(&trained)?.1);
            self.trained = trained;
        }
        Ok(look)
    }

    /// Mean square and largest difference over samples.
    fn differences(&mut self, chosen: &[u32]) -> Result<(f64, f64), FitError> {
        let (d, channels) = (self.samples.dimension(), self.samples.channels());
        let mut engine = self.options.device.engine::<T>(
            Objective::new(
                self.network.clone(),
                Arc::new(Regression { outputs: channels }),
            ),
            self.options.threads,
        )?;
        let (mut point, mut given) = (vec![0.0; d], vec![0.0; channels]);
        let (mut sum, mut largest) = (0.0, 0.0f64);
        for block in chosen.chunks(BLOCK) {
            let mut points = Vec::with_capacity(block.len() * d);
            let mut wanted = Vec::with_capacity(block.len() * channels);
            for &index in block {
                self.samples.sample(index as usize, &mut point, &mut given);
                points.extend(point.iter().map(|x| T::from_f64(*x)));
                wanted.extend_from_slice(&given);
            }
            let mut values = vec![T::ZERO; block.len() * channels];
            engine.evaluate(&self.theta, &points, &Streams::value(), &mut values)?;
            let mut block_sum = 0.0;
            for (i, wanted) in wanted.chunks(channels).enumerate() {
                for (c, wanted) in wanted.iter().enumerate() {
                    // beyond white and black nothing is seen, but tables have no such ends
                    let difference = values[c * block.len() + i].to_f64() - wanted;
                    block_sum += difference * difference;
                    largest = largest.max(difference.abs());
                }
            }
            sum += block_sum;
        }
        Ok((sum / (chosen.len() * channels).max(1) as f64, largest))
    }

    fn checkpoint(&self, run: &Fingerprint) -> Checkpoint {
        let from_real = |v: &[T]| v.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let (m, v, _) = self.adam.state();
        let looks: Vec<f64> = self.looks.iter().flat_map(|l| l.to_numbers()).collect();
        let mut vectors = vec![
            ("best".to_owned(), vec![self.best_loss]),
            ("looks".to_owned(), looks),
            ("m".to_owned(), from_real(m)),
            (
                "muon".to_owned(),
                self.muon
                    .as_ref()
                    .map_or(Vec::new(), |m| from_real(&m.state())),
            ),
            ("theta".to_owned(), from_real(&self.theta)),
            ("v".to_owned(), from_real(v)),
            ("smoothed".to_owned(), self.smoothed.into_iter().collect()),
        ];
        vectors.retain(|(_, v)| !v.is_empty());
        Checkpoint {
            method: "fit".to_owned(),
            step: self.step,
            run: run.clone(),
            vectors,
        }
    }
}

impl Look {
    fn to_numbers(self) -> [f64; 3] {
        let or_none = |v: Option<f64>| v.unwrap_or(-1.0);
        [
            self.step as f64,
            or_none(self.held_out),
            or_none(self.largest),
        ]
    }

    fn from_numbers(numbers: &[f64]) -> Self {
        let or_none = |v: f64| (v >= 0.0).then_some(v);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of steps"
        )]
        Self {
            step: numbers[0] as u64,
            held_out: or_none(numbers[1]),
            largest: or_none(numbers[2]),
        }
    }
}
