//! The run: fresh paths at every step, Adam in TensorFlow's form, a moving average of the mean square with its bias taken out.
//!
//! ```text
//! m ← β₁m + (1−β₁)g    v ← β₂v + (1−β₂)g²    θ ← θ − lr √(1−β₂ᵗ)/(1−β₁ᵗ) m / (√v + ε)
//! b ← δb + (1−δ) mean y²,   ma = b / (1 − δᵗ)
//! ```
//!
//! The paths of a step depend on the seed and the step alone, so that a run that goes on from a checkpoint ends in the same bits.

mod answer;

use super::drift::{self, Drift};
use super::loss::{Average, Figures, Loss};
use super::paths::Paths;
use super::setting::Setting;
use super::state::State;
use crate::engine::Objective;
use crate::network::{Bias, Init, Inputs, Layer, Network, Weights};
use crate::posed::Exact;
use crate::problem::{Eigen, Problem};
use crate::run::{Budget, Checkpoint, Outcome, Watch};
use crate::solve::solved::Solved;
use crate::solve::{Mode, Options, Progress, SolveError};
use answer::{scale, values};
use std::sync::Mutex;
use std::time::Instant;

/// Steps between looks at the validation paths.
const LOOK: u64 = 100;
/// Seeds of validation paths and of z's weights, beside the run's.
const VALIDATION: u64 = 0x7a11;
const OF_Z: u64 = 0x5eed;
/// Runs of other seeds have other paths.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The stochastic method, a step at a time; [`Problem::solve`] with [`Method::Bsde`](crate::solve::Method) makes all of them.
///
/// ```
/// use rafnet::Problem;
/// use rafnet::solve::{Options, RandomPaths};
/// let problem = Problem::builtin("schrodinger-d2")?;
/// let options = Options { points: Some(32), ..Options::default() };
/// let mut paths = RandomPaths::new(&problem, &options)?;
/// assert!(paths.step()? > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RandomPaths {
    problem: Problem,
    options: Options,
    setting: Setting,
    /// y's network.
    network: Network,
    loss: Loss,
    state: State,
    paths: Paths,
    /// Where the validation paths start.
    validation: Vec<f64>,
    /// What the last batch said, and the error at the last look.
    figures: Figures,
    error: Option<f64>,
    gradient: Vec<f64>,
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
        let mut paths = RandomPaths::resumed(self, eigen, options, checkpoint)?;
        let outcome = paths.run(watch)?;
        paths.told(outcome)
    }
}

impl RandomPaths {
    /// For a problem with an eigenvalue.
    ///
    /// # Errors
    /// [`SolveError`] where the method does not apply, or there is no room for so many paths.
    pub fn new(problem: &Problem, options: &Options) -> Result<Self, SolveError> {
        let eigen = problem.eigen.as_ref();
        let eigen = eigen.ok_or_else(|| {
            SolveError::unsupported(problem, "an `[eigenvalue]` for `--method bsde`")
        })?;
        Self::resumed(problem, eigen, options, None)
    }

    /// One step; its loss.
    ///
    /// # Errors
    /// [`SolveError`] if a weight is not finite any more.
    pub fn step(&mut self) -> Result<f64, SolveError> {
        self.advance()?;
        Ok(self.figures.loss)
    }

    fn resumed(
        problem: &Problem,
        eigen: &Eigen,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Self, SolveError> {
        let d = problem.coordinates.len();
        let setting = Setting::new(d, options);
        let network = |outputs: usize| {
            let mut layers = vec![Layer::dense(setting.hidden()); setting.depth];
            layers.push(Layer::linear(outputs, Bias::Yes));
            Network::new(Inputs::periodic(d, setting.order), layers)
        };
        let of_y = network(1)?;
        let of_z = match options.mode {
            Mode::Consistent => Some(network(d)?),
            Mode::Gradient => None,
        };
        let engine = |network: &Network| {
            let objective = Objective::values(network.clone());
            options.device.engine(objective, options.threads())
        };
        let z = of_z.as_ref();
        let drift = Drift::of(problem, eigen);
        let loss = Loss {
            drift: drift.map_err(|what| SolveError::unsupported(problem, what))?,
            y: engine(&of_y)?,
            z: z.map(engine).transpose()?,
            sizes: [of_y.n_parameters(), z.map_or(0, Network::n_parameters)],
            rooms: Mutex::default(),
        };
        let batch = (setting.paths, setting.path_steps);
        let what = format_args!("{} paths of {} steps", batch.0, batch.1);
        rafnet_memory::require(what, &[2 * batch.0, batch.1 + 1, d, 8])?;
        let mut paths = Paths::new(d, batch, setting.duration);
        paths.draw((options.seed ^ VALIDATION, 0), options.threads());
        let validation = paths.at(0);
        let mut theta: Vec<f64> = of_y.init(Init::new(Weights::Glorot, options.seed));
        if let Some(z) = z {
            theta.extend(z.init::<f64>(Init::new(Weights::Glorot, options.seed ^ OF_Z)));
        }
        theta.push(first_lambda(eigen, &loss.drift, &validation));
        let state = match checkpoint {
            Some(checkpoint) => State::restored(checkpoint, theta.len())?,
            None => State::new(theta),
        };
        Ok(Self {
            problem: problem.clone(),
            options: options.clone(),
            gradient: vec![0.0; state.theta.len()],
            setting,
            network: of_y,
            loss,
            state,
            paths,
            validation,
            figures: Figures::default(),
            error: None,
        })
    }

    /// Steps until the last, or until someone ends it.
    fn run(&mut self, watch: &mut dyn Watch) -> Result<Outcome, SolveError> {
        let options = &self.options;
        let mut budget = Budget::new(Instant::now(), options.time_limit, options.checkpoint);
        let exact = Exact::new(&self.problem);
        while self.state.step < self.setting.steps {
            if !self.advance()? {
                return Ok(Outcome::Diverged);
            }
            if self.state.step.is_multiple_of(LOOK) {
                self.look(exact.as_ref())?;
            }
            let mismatch = self.figures.mismatch.sqrt();
            let told = Progress {
                seconds: budget.seconds(),
                step: self.state.step,
                steps: Some(self.setting.steps),
                width: self.setting.width,
                loss: Some(self.figures.loss),
                error: self.error,
                residual: mismatch,
                best: mismatch,
                ..Progress::START
            };
            let ended = budget.ended(told.seconds, watch.progress(&told).is_break());
            if budget.save_is_due(ended.is_some()) {
                watch.checkpoint(&self.state.saved());
            }
            if let Some(outcome) = ended {
                return Ok(outcome);
            }
        }
        Ok(Outcome::BudgetSpent)
    }

    /// One step; whether its numbers were finite.
    fn advance(&mut self) -> Result<bool, SolveError> {
        let state = &mut self.state;
        let (rate, decay) = self.setting.at(state.step);
        let seed = self.options.seed.wrapping_mul(SPREAD);
        self.paths.draw((seed, state.step), self.options.threads());
        let average = Average {
            mean: state.average,
            decay,
        };
        self.figures =
            self.loss
                .gradient(&state.theta, &self.paths, average, &mut self.gradient)?;
        if !self.figures.loss.is_finite() || self.gradient.iter().any(|g| !g.is_finite()) {
            return Ok(false);
        }
        state.adam(rate, &self.gradient);
        state.average(decay, self.figures.batch);
        state.step += 1;
        Ok(true)
    }

    /// λ is written down and, where the exact solution is known, the error on the validation paths' starts.
    fn look(&mut self, exact: Option<&Exact>) -> Result<(), SolveError> {
        self.state.lambdas.push(self.state.lambda());
        if let Some(exact) = exact {
            let points = &self.validation;
            let y = values(&mut self.loss, &self.state, points)?;
            let s = scale(&y, self.state.average);
            let errors = exact.errors(points, |i, _| s * y[i]);
            self.error = errors.first().map(|(_, e)| e[0]);
        }
        Ok(())
    }
}

/// Where λ starts: at the number given, or at the mean of what the operator makes of 1.
fn first_lambda(eigen: &Eigen, drift: &Drift, points: &[f64]) -> f64 {
    if let Some(start) = eigen.start {
        return start;
    }
    let ones = vec![1.0; points.len() / drift.dimension()];
    let mut room = drift::Room::default();
    drift.prepare(points, &mut room);
    drift.evaluate((0, 1), &ones, &mut room);
    -room.f.iter().sum::<f64>() / ones.len() as f64
}
