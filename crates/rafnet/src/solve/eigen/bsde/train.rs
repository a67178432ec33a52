//! The run: fresh paths at every step, Adam in TensorFlow's form, a moving average of the mean square with its bias taken out.
//!
//! ```text
//! m ← β₁m + (1−β₁)g    v ← β₂v + (1−β₂)g²    θ ← θ − lr √(1−β₂ᵗ)/(1−β₁ᵗ) m / (√v + ε)
//! b ← δb + (1−δ) mean y²,   ma = b / (1 − Π δ)
//! ```
//!
//! The paths of a step depend on the seed and the step alone, so that a run that goes on from a checkpoint ends in the same bits.

use super::drift::Drift;
use super::loss::{Average, Figures, Loss};
use super::paths::Paths;
use super::setting::Setting;
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

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// The moving average before the first step.
const AT_FIRST: f64 = 100.0;
/// Steps between looks at the validation paths.
const LOOK: u64 = 100;
/// The share of all steps at the end whose λ are compared.
const LAST: f64 = 0.1;
/// Seeds of validation paths and of z's weights, beside the run's.
const VALIDATION: u64 = 0x7a11;
const OF_Z: u64 = 0x5eed;

/// What changes from step to step.
struct State {
    /// Weights of y, of z, and λ.
    theta: Vec<f64>,
    m: Vec<f64>,
    v: Vec<f64>,
    /// The biased average, the product of all decays, and the average.
    biased: f64,
    decayed: f64,
    average: f64,
    /// λ at every look.
    lambdas: Vec<f64>,
    step: u64,
}

impl State {
    fn new(theta: Vec<f64>) -> Self {
        Self {
            m: vec![0.0; theta.len()],
            v: vec![0.0; theta.len()],
            theta,
            biased: 0.0,
            decayed: 1.0,
            average: AT_FIRST,
            lambdas: Vec::new(),
            step: 0,
        }
    }

    fn restored(checkpoint: &Checkpoint, n: usize) -> Result<Self, SolveError> {
        let numbers = checkpoint.vector("average", 3)?;
        Ok(Self {
            theta: checkpoint.vector("theta", n)?.to_vec(),
            m: checkpoint.vector("m", n)?.to_vec(),
            v: checkpoint.vector("v", n)?.to_vec(),
            biased: numbers[0],
            decayed: numbers[1],
            average: numbers[2],
            lambdas: checkpoint.get("lambdas").unwrap_or_default().to_vec(),
            step: checkpoint.step,
        })
    }

    fn saved(&self) -> Checkpoint {
        let vector = |name: &str, values: &[f64]| (name.to_owned(), values.to_vec());
        let mut vectors = vec![
            vector("theta", &self.theta),
            vector("m", &self.m),
            vector("v", &self.v),
            vector("average", &[self.biased, self.decayed, self.average]),
        ];
        if !self.lambdas.is_empty() {
            vectors.push(vector("lambdas", &self.lambdas));
        }
        Checkpoint {
            method: "bsde".into(),
            step: self.step,
            vectors,
            ..Checkpoint::default()
        }
    }

    fn lambda(&self) -> f64 {
        self.theta[self.theta.len() - 1]
    }

    fn adam(&mut self, rate: f64, gradient: &[f64]) {
        let t = (self.step + 1) as f64;
        let rate = rate * (1.0 - BETA_2.powf(t)).sqrt() / (1.0 - BETA_1.powf(t));
        let moments = self.m.iter_mut().zip(&mut self.v);
        for ((theta, g), (m, v)) in self.theta.iter_mut().zip(gradient).zip(moments) {
            *m = BETA_1 * *m + (1.0 - BETA_1) * g;
            *v = BETA_2 * *v + (1.0 - BETA_2) * g * g;
            *theta -= rate * *m / (v.sqrt() + EPSILON);
        }
    }

    fn average(&mut self, decay: f64, batch: f64) {
        self.biased = decay * self.biased + (1.0 - decay) * batch;
        self.decayed *= decay;
        self.average = self.biased / (1.0 - self.decayed);
    }
}

impl Problem {
    /// The leading eigenpair by random paths.
    pub(in crate::solve) fn by_bsde(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let started = Instant::now();
        let Some(eigen) = &self.eigen else {
            let what = "an `[eigenvalue]` for `--method bsde`";
            return Err(SolveError::unsupported(self, what));
        };
        let d = self.coordinates.len();
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
        let drift = Drift::of(self, eigen).map_err(|what| SolveError::unsupported(self, what))?;
        let mut loss = Loss {
            y: engine(&of_y, 1)?,
            z: engine(&of_z, d)?,
            drift,
            sizes: [of_y.n_parameters(), of_z.n_parameters()],
        };
        let mut theta: Vec<f64> = of_y.init(Init::new(Weights::Glorot, options.seed));
        theta.extend(of_z.init::<f64>(Init::new(Weights::Glorot, options.seed ^ OF_Z)));
        let batch = (setting.paths, setting.path_steps);
        let validation = Paths::draw(d, batch, setting.duration, options.seed ^ VALIDATION);
        theta.push(first_lambda(eigen, &mut loss.drift, &validation));
        let n = theta.len();
        let mut state = match checkpoint {
            Some(checkpoint) => State::restored(checkpoint, n)?,
            None => State::new(theta),
        };
        let exact = Exact::new(self);
        let (mut gradient, mut outcome) = (vec![0.0; n], None);
        let (mut figures, mut error) = (Figures::default(), None);
        let mut saved = Instant::now();
        while state.step < setting.steps && outcome.is_none() {
            let (rate, decay) = setting.at(state.step);
            let seed = options
                .seed
                .wrapping_mul(0x9e37_79b9)
                .wrapping_add(state.step);
            let paths = Paths::draw(d, batch, setting.duration, seed);
            let average = Average {
                mean: state.average,
                decay,
            };
            figures = loss.gradient(&state.theta, &paths, average, &mut gradient)?;
            if !figures.loss.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
                outcome = Some(Outcome::Diverged);
                break;
            }
            state.adam(rate, &gradient);
            state.average(decay, figures.batch);
            state.step += 1;
            if state.step.is_multiple_of(LOOK) {
                state.lambdas.push(state.lambda());
                if let Some(exact) = &exact {
                    let y = values(&mut loss, &state, &validation.start)?;
                    let s = scale(&y, state.average);
                    let of = exact.errors(&validation.start, |i, _| s * y[i]);
                    error = of.first().map(|(_, e)| e[0]);
                }
            }
            let told = Progress {
                seconds: started.elapsed().as_secs_f64(),
                step: state.step,
                steps: Some(setting.steps),
                width: setting.width,
                loss: Some(figures.loss),
                error,
                residual: figures.mismatch.sqrt(),
                best: figures.mismatch.sqrt(),
            };
            if watch.progress(&told).is_break() {
                outcome = Some(Outcome::Stopped);
            } else if told.seconds > options.time_limit {
                outcome = Some(Outcome::BudgetSpent);
            }
            let due = saved.elapsed().as_secs_f64() > options.checkpoint;
            if due || outcome.is_some() {
                watch.checkpoint(&state.saved());
                saved = Instant::now();
            }
        }
        let y = values(&mut loss, &state, &validation.start)?;
        let model = self.of_network(of_y, &state.theta, scale(&y, state.average))?;
        let outcome = outcome.unwrap_or(Outcome::Converged);
        let mismatch = figures.mismatch.sqrt();
        let pair = Eigenpair {
            value: state.lambda(),
            error_estimate: spread(&state).max(mismatch * mismatch),
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
            points: setting.paths * setting.path_steps,
            steps: Some(state.step),
            ..Solved::measured_up_to_sign(model, self, options)?
        }
        .with_eigenvalues(vec![pair]))
    }

    /// u = s y as a model.
    fn of_network(&self, network: Network, theta: &[f64], s: f64) -> Result<Model, SolveError> {
        let output = Output::new(&self.unknowns[0]).with_scale(s);
        let parameters = theta[..network.n_parameters()].to_vec();
        let names = self.coordinates.iter().map(String::as_str);
        let parts = Parts::new(names, vec![output], network, parameters)
            .with_region(Region::new(self.domain.bounds().to_vec()));
        Ok(Model::new(parts)?)
    }
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

/// How far λ moved over the last looks.
fn spread(state: &State) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of looks"
    )]
    let looks = ((LAST * state.lambdas.len() as f64) as usize).max(2);
    let last = state.lambdas.iter().rev().take(looks);
    let (low, high) = last.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), l| {
        (low.min(*l), high.max(*l))
    });
    if high >= low {
        high - low
    } else {
        f64::INFINITY
    }
}
