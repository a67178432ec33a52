//! The run: fresh paths at every step, Adam in TensorFlow's form, a moving average of the mean square with its bias taken out.
//!
//! ```text
//! m ← β₁m + (1−β₁)g    v ← β₂v + (1−β₂)g²    θ ← θ − lr √(1−β₂ᵗ)/(1−β₁ᵗ) m / (√v + ε)
//! b ← δb + (1−δ) mean y²,   ma = b / (1 − δᵗ)
//! ```
//!
//! The paths of a step depend on the seed and the step alone, so that a run that goes on from a checkpoint ends in the same bits.

use super::drift::Drift;
use super::loss::{Average, Figures, Loss};
use super::paths::Paths;
use super::setting::Setting;
use super::state::State;
use crate::domain::{Draw, Sampler};
use crate::engine::{Objective, Regression, Streams};
use crate::model::{Model, Output, Parts, Region};
use crate::network::{Bias, Init, Inputs, Layer, Network, Weights};
use crate::problem::{Eigen, Problem};
use crate::solve::eigen::Eigenpair;
use crate::solve::exact::Exact;
use crate::solve::solved::Solved;
use crate::solve::{Checkpoint, Options, Outcome, Progress, SolveError, Watch};
use std::sync::Arc;
use std::time::Instant;

/// Steps between looks at the validation paths.
const LOOK: u64 = 100;
/// Points at which the answer is normalised.
const POINTS: usize = 1 << 14;
/// Seeds of validation paths and of z's weights, beside the run's.
const VALIDATION: u64 = 0x7a11;
const OF_Z: u64 = 0x5eed;
/// Runs of other seeds have other paths.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A run.
struct Training<'a> {
    problem: &'a Problem,
    options: &'a Options,
    setting: Setting,
    /// y's network.
    network: Network,
    loss: Loss,
    state: State,
    validation: Paths,
    /// What the last batch said, and the error at the last look.
    figures: Figures,
    error: Option<f64>,
}

impl Problem {
    /// The leading eigenpair by random paths.
    pub(in crate::solve) fn by_bsde(
        &self,
        eigen: &Eigen,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let mut training = Training::new(self, eigen, options, checkpoint)?;
        let outcome = training.run(watch)?;
        training.told(outcome)
    }
}

impl<'a> Training<'a> {
    fn new(
        problem: &'a Problem,
        eigen: &Eigen,
        options: &'a Options,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Self, SolveError> {
        let d = problem.coordinates.len();
        let setting = Setting::new(d, options);
        let network = |outputs: usize| {
            let mut layers = vec![Layer::dense(setting.hidden()); setting.depth];
            layers.push(Layer::linear(outputs, Bias::Yes));
            Network::new(Inputs::periodic(d, setting.order), layers)
        };
        let (of_y, of_z) = (network(1)?, network(d)?);
        let engine = |network: &Network, outputs: usize| {
            let objective = Objective::new(network.clone(), Arc::new(Regression { outputs }));
            options.device.engine(objective, options.threads())
        };
        let drift = Drift::of(problem, eigen);
        let mut loss = Loss {
            drift: drift.map_err(|what| SolveError::unsupported(problem, what))?,
            y: engine(&of_y, 1)?,
            z: engine(&of_z, d)?,
            sizes: [of_y.n_parameters(), of_z.n_parameters()],
        };
        let batch = (setting.paths, setting.path_steps);
        let what = format_args!("{} paths of {} steps", batch.0, batch.1);
        rafnet_memory::require(what, &[batch.0, batch.1, d, 8])?;
        let validation = Paths::draw(d, batch, setting.duration, options.seed ^ VALIDATION);
        let mut theta: Vec<f64> = of_y.init(Init::new(Weights::Glorot, options.seed));
        theta.extend(of_z.init::<f64>(Init::new(Weights::Glorot, options.seed ^ OF_Z)));
        theta.push(first_lambda(eigen, &mut loss.drift, &validation));
        let state = match checkpoint {
            Some(checkpoint) => State::restored(checkpoint, theta.len())?,
            None => State::new(theta),
        };
        Ok(Self {
            problem,
            options,
            setting,
            network: of_y,
            loss,
            state,
            validation,
            figures: Figures::default(),
            error: None,
        })
    }

    /// Steps until the last, or until someone ends it.
    fn run(&mut self, watch: &mut dyn Watch) -> Result<Outcome, SolveError> {
        let (started, mut saved) = (Instant::now(), Instant::now());
        let exact = Exact::new(self.problem);
        let mut gradient = vec![0.0; self.state.theta.len()];
        while self.state.step < self.setting.steps {
            if !self.step(&mut gradient)? {
                return Ok(Outcome::Diverged);
            }
            if self.state.step.is_multiple_of(LOOK) {
                self.look(exact.as_ref())?;
            }
            let mismatch = self.figures.mismatch.sqrt();
            let told = Progress {
                seconds: started.elapsed().as_secs_f64(),
                step: self.state.step,
                steps: Some(self.setting.steps),
                width: self.setting.width,
                loss: Some(self.figures.loss),
                error: self.error,
                residual: mismatch,
                best: mismatch,
            };
            let ended = match () {
                () if watch.progress(&told).is_break() => Some(Outcome::Stopped),
                () if told.seconds > self.options.time_limit => Some(Outcome::BudgetSpent),
                () => None,
            };
            if ended.is_some() || saved.elapsed().as_secs_f64() > self.options.checkpoint {
                watch.checkpoint(&self.state.saved());
                saved = Instant::now();
            }
            if let Some(outcome) = ended {
                return Ok(outcome);
            }
        }
        Ok(Outcome::BudgetSpent)
    }

    /// One step; whether its numbers were finite.
    fn step(&mut self, gradient: &mut [f64]) -> Result<bool, SolveError> {
        let (d, state, setting) = (
            self.problem.coordinates.len(),
            &mut self.state,
            &self.setting,
        );
        let (rate, decay) = setting.at(state.step);
        let seed = self
            .options
            .seed
            .wrapping_mul(SPREAD)
            .wrapping_add(state.step);
        let batch = (setting.paths, setting.path_steps);
        let paths = Paths::draw(d, batch, setting.duration, seed);
        let average = Average {
            mean: state.average,
            decay,
        };
        self.figures = self
            .loss
            .gradient(&state.theta, &paths, average, gradient)?;
        if !self.figures.loss.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
            return Ok(false);
        }
        state.adam(rate, gradient);
        state.average(decay, self.figures.batch);
        state.step += 1;
        Ok(true)
    }

    /// λ is written down and, where the exact solution is known, the error on the validation paths' starts.
    fn look(&mut self, exact: Option<&Exact>) -> Result<(), SolveError> {
        self.state.lambdas.push(self.state.lambda());
        if let Some(exact) = exact {
            let points = &self.validation.start;
            let y = values(&mut self.loss, &self.state, points)?;
            let s = scale(&y, self.state.average);
            let errors = exact.errors(points, |i, _| s * y[i]);
            self.error = errors.first().map(|(_, e)| e[0]);
        }
        Ok(())
    }

    /// What came out. The average of few batches is what the experiment has; the answer is normalised at many points.
    fn told(mut self, outcome: Outcome) -> Result<Solved, SolveError> {
        let lattice = Draw::new(Sampler::Lattice, self.options.seed);
        let many = self.problem.domain.interior(POINTS, &lattice);
        let many = many.unwrap_or_else(|_| self.validation.start.clone());
        let y = values(&mut self.loss, &self.state, &many)?;
        let mean = y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
        let s = scale(&y, mean);
        let lambdas = &self.state.lambdas;
        let tenths = lambdas.chunks(lambdas.len().div_ceil(10).max(1));
        let tenths = tenths.filter_map(<[f64]>::last);
        let on_the_way: Vec<String> = tenths.map(|l| format!("{l:.4}")).collect();
        let model = of_network(self.problem, self.network, &self.state.theta, s)?;
        let mismatch = self.figures.mismatch.sqrt();
        let pair = Eigenpair {
            value: self.state.lambda(),
            error_estimate: self.state.spread().max(mismatch),
            multiplicity: 1,
            function_estimate: mismatch,
            residual: mismatch,
            model: model.clone(),
        };
        Ok(Solved {
            method: "bsde",
            outcome,
            residual: mismatch,
            error_estimate: mismatch,
            points: self.setting.paths * self.setting.path_steps,
            decisions: vec![format!("λ on the way: {}", on_the_way.join(", "))],
            steps: Some(self.state.step),
            ..Solved::measured_up_to_sign(model, self.problem, self.options)?
        }
        .with_eigenvalues(vec![pair]))
    }
}

/// u = s y as a model.
fn of_network(
    problem: &Problem,
    network: Network,
    theta: &[f64],
    s: f64,
) -> Result<Model, SolveError> {
    let output = Output::new(&problem.unknowns[0]).with_scale(s);
    let parameters = theta[..network.n_parameters()].to_vec();
    let names = problem.coordinates.iter().map(String::as_str);
    let parts = Parts::new(names, vec![output], network, parameters)
        .with_region(Region::new(problem.domain.bounds().to_vec()));
    Ok(Model::new(parts)?)
}

/// y at points.
fn values(loss: &mut Loss, state: &State, points: &[f64]) -> Result<Vec<f64>, SolveError> {
    let dimension = loss.y.objective().network.inputs().dimension;
    let mut y = vec![0.0; points.len() / dimension];
    let of_y = &state.theta[..loss.sizes[0]];
    loss.y.evaluate(of_y, points, &Streams::value(), &mut y)?;
    Ok(y)
}

/// s with the moving average, as on validation.
fn scale(y: &[f64], average: f64) -> f64 {
    let sign = if y.iter().sum::<f64>() < 0.0 {
        -1.0
    } else {
        1.0
    };
    sign / average.sqrt()
}

/// Where λ starts: at the number given, or at the mean of what the operator makes of 1.
fn first_lambda(eigen: &Eigen, drift: &mut Drift, paths: &Paths) -> f64 {
    if let Some(start) = eigen.start {
        return start;
    }
    let (d, m) = (paths.dimension, paths.len());
    let x: Vec<Vec<f64>> = (0..d)
        .map(|i| paths.start.iter().skip(i).step_by(d).copied().collect())
        .collect();
    let (mut f, mut slope) = (vec![0.0; m], vec![0.0; m]);
    drift.evaluate(&x, &vec![1.0; m], [&mut f, &mut slope]);
    -f.iter().sum::<f64>() / m as f64
}
