//! The training, step by step, with looks at held-out samples, checkpoints and a named end.

mod look;
mod saved;

use super::batch::Batches;
use super::supervision::Misfit;
use super::{FitError, Optimiser, Options, Samples, Supervision};
use crate::engine::{Batch, Engine, Objective, OnDevice, Regression};
use crate::model::Precision;
use crate::network::Network;
use crate::optimise::{Adam, Muon};
use crate::run::{Budget, Checkpoint, CheckpointError, Look, Outcome, Progress, Watch};
use std::sync::Arc;
use std::time::Instant;

/// Beside Muon, Adam remembers the size of gradients for fewer steps, and Muon's rate is so many times Adam's.
const BESIDE_MUON: f64 = 0.95;
const MUON_RATE: f64 = 20.0 / 3.0;

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

    fn run(mut self, watch: &mut dyn Watch) -> Result<Fitted, FitError> {
        let options = self.options;
        let mut budget = Budget::new(Instant::now(), options.time_limit, options.checkpoint);
        let (mut step_seconds, mut outcome, mut run) = (0.0, None, None);
        let epoch = self.batches.steps_per_epoch().max(1);
        while self.step < options.steps && outcome.is_none() {
            let began = Instant::now();
            let Some(loss) = self.advance()? else {
                outcome = Some(Outcome::Diverged);
                break;
            };
            let smoothed = self.smoothed;
            let mean = smoothed.map_or(loss, |old| old + (loss - old) / epoch as f64);
            self.smoothed = Some(mean);
            step_seconds += began.elapsed().as_secs_f64();
            if self.step.is_multiple_of(options.look) || self.step == options.steps {
                let look = self.look(mean)?;
                let within = look.largest.is_some_and(|l| l < options.tolerance);
                if within || (mean <= options.target && self.step >= epoch) {
                    outcome = Some(Outcome::TargetReached);
                }
                if look.held_out.is_some() || look.largest.is_some() {
                    self.looks.push(look);
                }
            }
            let progress = Progress {
                seconds: budget.seconds(),
                step: self.step,
                steps: Some(options.steps),
                width: self.network.layers()[0].width,
                loss: Some(loss),
                look: self.looks.last().copied(),
                ..Progress::START
            };
            let stopped = watch.progress(&progress).is_break();
            if outcome.is_some() {
                break; // at its target: resumed from here it would take steps that it never took
            }
            outcome = budget.ended(progress.seconds, stopped);
            if budget.save_is_due(outcome.is_some()) {
                let run = run.get_or_insert_with(|| options.run_fingerprint(self.samples));
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

    /// One step: its loss, the mean square of the batch before it; `None` where numbers are not finite any more, and nothing moves.
    fn advance(&mut self) -> Result<Option<f64>, FitError> {
        let options = self.options;
        let (d, channels) = (self.samples.dimension(), self.samples.channels());
        let columns = options.supervision.columns(d, channels);
        let share = 1.0 / columns as f64;
        self.batches
            .load(self.step, options.displaced_at(self.step));
        let batch = Batch::points(&self.batches.points).with_data(&self.batches.given);
        let sum = self
            .engine
            .loss_and_gradient(&self.theta, &batch, &mut self.gradient)?;
        let loss = share * sum;
        if !loss.is_finite() || self.gradient.iter().any(|g| !g.to_f64().is_finite()) {
            return Ok(None);
        }
        if columns > 1 {
            let share = T::from_f64(share);
            self.gradient.iter_mut().for_each(|g| *g *= share);
        }
        let frozen = options.frozen(&self.network);
        self.gradient[frozen].fill(T::ZERO); // Adam does not move what has no gradient
        let rate = options.schedule.rate(options.lr, self.step);
        if let Some(muon) = &mut self.muon {
            let (theta, gradient) = (&mut self.theta, &mut self.gradient);
            muon.step(MUON_RATE * rate, theta, gradient, options.threads);
        }
        self.adam.step(rate, &mut self.theta, &self.gradient);
        self.step += 1;
        self.best_loss = self.best_loss.min(loss);
        Ok(Some(loss))
    }
}
