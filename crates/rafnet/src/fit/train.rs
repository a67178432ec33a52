//! The training, step by step, with looks at held-out samples, checkpoints and a named end.

mod look;
mod saved;

use super::batch::Batches;
use super::supervision::Misfit;
use super::{FitError, Optimiser, Options, Samples, Supervision};
use crate::engine::{
    Cloud, Descent, Engine, EngineError, Meanwhile, Objective, OnDevice, Regression, Rule, Source,
    Steps,
};
use crate::model::Precision;
use crate::network::Network;
use crate::optimise::{Adam, Muon};
use crate::run::{Budget, Checkpoint, CheckpointError, Look, Outcome, Progress, Watch};
use crate::simd::Real;
use std::ops::Range;
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

/// What every step does: a batch of samples, Muon on the square matrices where it is asked for, Adam on the rest.
struct Fitting<'a, T> {
    options: &'a Options,
    batches: Batches<'a, T>,
    /// One over the numbers of a sample: a loss is a mean over them.
    share: [f64; 1],
    /// Parameters that do not move.
    frozen: Range<usize>,
    adam: Adam<T>,
    muon: Option<Muon<T>>,
}

impl<T: Real> Rule<T> for Fitting<'_, T> {
    fn draw(&mut self, step: u64) -> Result<(&[Cloud<T>], &[f64]), EngineError> {
        let displaced = self.options.displaced_at(step);
        Ok((self.batches.load(step, displaced), &self.share))
    }

    fn steps(&mut self, step: u64, most: u64) -> Result<Option<Steps<'_, T>>, EngineError> {
        // Muon's products are the host's, and so are samples that are displaced
        let moves = |step: u64| self.options.displaced_at(step) > 0.0;
        if self.muon.is_some() || moves(step) {
            return Ok(None);
        }
        let alike = (step..step + most).take_while(|&s| !moves(s)).count();
        let (source, meanwhile) = if self.batches.is_full() {
            let all = &self.batches.load(step, 0.0)[0];
            (Source::Same(all), Meanwhile::default())
        } else {
            let (each, prepare) = self.batches.load_ahead(step, alike);
            (Source::Each(each), Meanwhile(Some(Box::new(prepare))))
        };
        let rates =
            (step..step + alike as u64).map(|s| self.options.schedule.rate(self.options.lr, s));
        Ok(Some(Steps {
            sources: vec![source],
            weights: self.share.to_vec(),
            decay: 0.0,
            still: vec![self.frozen.clone()],
            adam: self.adam.as_data(rates).into(),
            watched: None,
            meanwhile,
        }))
    }

    fn taken(&mut self, steps: u64) {
        self.adam.taken(steps);
    }

    fn update(&mut self, step: u64, parameters: &mut [T], gradient: &mut [T]) {
        gradient[self.frozen.clone()].fill(T::ZERO); // Adam does not move what has no gradient
        let rate = self.options.schedule.rate(self.options.lr, step);
        if let Some(muon) = &mut self.muon {
            muon.step(MUON_RATE * rate, parameters, gradient, self.options.threads);
        }
        self.adam.step(rate, parameters, gradient);
    }
}

struct Training<'a, T: OnDevice> {
    samples: &'a dyn Samples,
    options: &'a Options,
    network: Network,
    engine: Box<dyn Engine<T>>,
    rule: Fitting<'a, T>,
    descent: Descent<T>,
    trained: Vec<u32>,
    held_out: Vec<u32>,
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
            rule: Fitting {
                batches: Batches::new(
                    samples,
                    options.supervision,
                    trained.clone(),
                    options.batch,
                    options.seed,
                    options.threads,
                )?,
                share: [1.0 / options.supervision.columns(dimension, channels) as f64],
                frozen: options.frozen(&network),
                adam: Adam::new(n),
                muon: (options.optimiser == Optimiser::Muon).then(|| Muon::new(&network)),
                options,
            },
            descent: Descent::new(to_real(&parameters), 0),
            samples,
            options,
            network,
            trained,
            held_out,
            best_loss: f64::INFINITY,
            smoothed: None,
            looks: Vec::new(),
        };
        if let Some(checkpoint) = from {
            training.restore(checkpoint)?;
        }
        if training.rule.muon.is_some() {
            training.rule.adam = training.rule.adam.with_beta_2(BESIDE_MUON);
        }
        Ok(training)
    }

    fn run(mut self, watch: &mut dyn Watch) -> Result<Fitted, FitError> {
        let options = self.options;
        let mut budget = Budget::new(Instant::now(), options.time_limit, options.checkpoint);
        let (mut step_seconds, mut outcome, mut run) = (0.0, None, None);
        let epoch = self.rule.batches.steps_per_epoch().max(1);
        while self.descent.step < options.steps && outcome.is_none() {
            let (began, before) = (Instant::now(), self.descent.step);
            let Some(loss) = self.advance()? else {
                outcome = Some(Outcome::Diverged);
                break;
            };
            let smoothed = self.smoothed;
            let share = ((self.descent.step - before) as f64 / epoch as f64).min(1.0);
            let mean = smoothed.map_or(loss, |old| old + (loss - old) * share);
            self.smoothed = Some(mean);
            step_seconds += began.elapsed().as_secs_f64();
            if self.descent.step.is_multiple_of(options.look) || self.descent.step == options.steps
            {
                let look = self.look(mean)?;
                let within = look.largest.is_some_and(|l| l < options.tolerance);
                if within || (mean <= options.target && self.descent.step >= epoch) {
                    outcome = Some(Outcome::TargetReached);
                }
                if look.held_out.is_some() || look.largest.is_some() {
                    self.looks.push(look);
                }
            }
            let progress = Progress {
                seconds: budget.seconds(),
                step: self.descent.step,
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
            parameters: self.descent.parameters.iter().map(|t| t.to_f64()).collect(),
            outcome: outcome.unwrap_or(Outcome::BudgetSpent),
            steps: self.descent.step,
            step_seconds,
            best_loss: self.best_loss,
            looks: self.looks,
        })
    }

    /// Steps that a device may take before who watches is heard: some tenths of a second of one that multiplies 10¹⁴ times a second, and where
    /// every step has a batch of its own some megabytes of these. Counted and not timed, for where a device begins is part of its bits.
    fn alone(&self) -> u64 {
        const WORK: usize = 20_000_000_000_000;
        const NUMBERS: usize = 1 << 23;
        let batches = &self.rule.batches;
        let each = batches
            .given()
            .saturating_mul(6 * self.descent.parameters.len());
        let steps = WORK / each.max(1);
        let held = if batches.is_full() {
            steps
        } else {
            NUMBERS / batches.numbers().max(1)
        };
        steps.min(held).max(1) as u64
    }

    /// One step, or as many as a device takes by itself up to the next look: the last one's loss, the mean square of the batch before it; `None`
    /// where numbers are not finite any more, and nothing moves.
    fn advance(&mut self) -> Result<Option<f64>, FitError> {
        let (step, options) = (self.descent.step, self.options);
        let until = |every: u64| every - step % every;
        let most = until(options.look)
            .min(until(self.alone()))
            .min(options.steps - step);
        let came = self
            .engine
            .descend(&mut self.descent, &mut self.rule, most)?;
        if !came.is_finite {
            return Ok(None);
        }
        self.engine.fetch(&mut self.descent)?;
        self.best_loss = self.best_loss.min(came.least);
        Ok(Some(came.loss))
    }
}
