//! `Problem::solve`: from a problem to a model with its figures.

use super::eigen::Eigenpair;
use super::exact::Exact;
use super::lsq::{self, Solution, State};
use super::pieces;
use super::reports::{Report, Reports, jets_of_model};
use super::system::{Block, LOST, Residual, System, Worst, rms};
use super::trained::{self, Trained};
use super::{Checkpoint, CheckpointError, Fingerprint, Method, Options, Outcome, POOR, Progress};
use crate::activation::{Activation, ActivationError, Group, Term};
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::EngineError;
use crate::expr::{Expr, Leaf, Scope};
use crate::model::{Model, ModelError, Output, Parts, Region};
use crate::network::{Bias, Inputs, Layer, Network, NetworkError};
use crate::problem::{Condition, Enforce, Problem, Sought};
use std::ops::ControlFlow;
use std::time::Instant;

/// Fresh points on which the error against a known solution is measured.
const TEST_POINTS: usize = 10_000;

/// A solved problem.
pub struct Solved {
    /// The whole function.
    pub model: Model,
    /// The method that found it.
    pub method: &'static str,
    /// How the search ended.
    pub outcome: Outcome,
    /// Whether the time limit or the last step ended it.
    pub expired: bool,
    /// Held-out residual of the worst kind of rows, relative to its terms.
    pub residual: f64,
    /// Root mean squares of the held-out residuals: equations, boundary, initial, data; `None` where there are none.
    pub rms: [Option<f64>; 4],
    /// χ² = Σ (misfit/σ)² over observations with known noise, and how many these are: near each other where equations, noise and
    /// found numbers fit together.
    pub chi_squared: Option<(f64, usize)>,
    /// What the relative error is likely to be, from how much independent solutions differ.
    pub error_estimate: f64,
    /// How much of it is due to the noise of observations, whatever is done.
    pub estimate_by_noise: f64,
    /// The sought parameters.
    pub found: Vec<Found>,
    /// The figures that the problem asks for.
    pub reports: Vec<Report>,
    /// Points of the last solve.
    pub points: usize,
    /// Steps taken, by methods that take steps.
    pub steps: Option<u64>,
    /// The smallest relative L2 error on the way, where the method records it.
    pub best_relative_l2: Option<f64>,
    /// The smallest mean of that error over 100 steps.
    pub best_moving_average: Option<f64>,
    /// Where the held-out residual is largest.
    pub worst: Option<Place>,
    /// What is wrong with the problem itself, in words: what fights, or what is left open.
    pub remark: Option<String>,
    /// What was tried and chosen, in words.
    pub decisions: Vec<String>,
    /// Relative L2 error of each unknown with a known solution, on 10,000 fresh uniform points.
    pub relative_l2_by: Vec<Option<f64>>,
    /// The same in the largest difference over the largest value.
    pub relative_linf_by: Vec<Option<f64>>,
    /// The eigenpairs of an eigenvalue problem; `model` is that of the first.
    pub eigenvalues: Vec<Eigenpair>,
}

/// A place where a solution is worst.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Which equation, condition or observations are missed there, in words.
    pub what: String,
    /// The point.
    pub point: Vec<f64>,
}

/// A sought parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, from the misfit of the observations; NaN where there is none to be had.
    pub sigma: f64,
}

/// Why a problem could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// No points could be drawn.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The answer does not make a model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The layer does not make a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The layer does not make an activation.
    #[error(transparent)]
    Activation(#[from] ActivationError),
    /// Something that was asked for does not fit into memory.
    #[error(transparent)]
    Memory(#[from] rafnet_memory::NotEnough),
    /// It was stopped before there was anything to return.
    #[error("`{problem}` was stopped before there was a first solution")]
    Stopped {
        /// The problem's name.
        problem: String,
    },
    /// The time limit came before anything to return.
    #[error("`{problem}` has no first solution after {limit} s, the time limit; give it more time")]
    NoTime {
        /// The problem's name.
        problem: String,
        /// The limit in seconds.
        limit: f64,
    },
    /// No layer gave finite numbers.
    #[error("`{problem}` diverged: no start gave finite residuals")]
    Diverged {
        /// The problem's name.
        problem: String,
    },
    /// No layer has as many real eigenvalues.
    #[error("`{problem}` has no {count} real eigenvalues that could be found")]
    NoEigenvalues {
        /// The problem's name.
        problem: String,
        /// How many were asked for.
        count: usize,
    },
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A checkpoint that does not fit.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// Something the solver does not do yet.
    #[error("`{problem}` needs {what}")]
    Unsupported {
        /// The problem's name.
        problem: String,
        /// What it needs.
        what: &'static str,
    },
}

impl SolveError {
    pub(crate) fn unsupported(problem: &Problem, what: &'static str) -> Self {
        Self::Unsupported {
            problem: problem.name.clone(),
            what,
        }
    }
}

/// Someone who watches a run.
pub trait Watch {
    /// Hears of progress and says whether to go on.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Is handed the state of a trained run every few seconds and when it is stopped.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
}

/// A callback as a watcher.
struct Callback<F>(F);

impl<F: FnMut(&Progress) -> ControlFlow<()>> Watch for Callback<F> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        (self.0)(progress)
    }
}

/// A watcher who is handed checkpoints that say what run they are of.
struct Stamped<'a> {
    watch: &'a mut dyn Watch,
    run: Fingerprint,
}

impl Watch for Stamped<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.watch.progress(progress)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.watch.checkpoint(&Checkpoint {
            run: self.run.clone(),
            ..checkpoint.clone()
        });
    }
}

impl Problem {
    /// Solves the problem; `progress` says whether to go on.
    ///
    /// ```
    /// use rafnet::Problem;
    /// let solved = Problem::builtin("logistic")?.solve(&Default::default(), |progress| progress.go_on())?;
    /// assert!(solved.relative_l2_by[0].is_some_and(|error| error < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolveError`] says what is missing.
    pub fn solve(
        &self,
        options: &Options,
        progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Solved, SolveError> {
        self.solve_from(options, None, &mut Callback(progress))
    }

    /// Solves the problem with a watcher, from the start or from a checkpoint of the same problem and options: then it goes on
    /// exactly where it stopped.
    ///
    /// # Errors
    /// [`SolveError`] says what is missing, or why the checkpoint does not fit.
    pub fn solve_from(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let started = Instant::now();
        self.check(options)?;
        if let Some(checkpoint) = checkpoint {
            self.accepts(options, checkpoint)?;
        }
        let run = self.run_fingerprint(options);
        let watch = &mut Stamped { watch, run };
        let split = self.second_order();
        let problem = split.as_ref().unwrap_or(self);
        let mut solved = match options.method {
            _ if let Some(eigen) = &self.eigen => self.by_eigen(eigen, options, checkpoint, watch),
            Method::Bsde => {
                let what = "an `[eigenvalue]` for `--method bsde`";
                Err(SolveError::unsupported(self, what))
            }
            Method::Lsq => problem.by_lsq(options, watch)?.solved(problem, options),
            Method::Pieces => problem
                .by_pieces(options, watch)?
                .solved(problem, options, "pieces"),
            Method::Auto => problem.by_itself(options, checkpoint, started, watch),
            method => {
                let fresh = trained::Start::Fresh;
                trained::solve(problem, options, method, fresh, checkpoint, started, watch)?.solved(
                    problem,
                    options,
                    method.name(),
                )
            }
        }?;
        // noise is no fault of the answer
        let (all, noise) = (solved.error_estimate, solved.estimate_by_noise);
        let estimate = (all * all - noise * noise).max(0.0).sqrt();
        let asked = options.asks_for_target();
        let missed = if asked {
            solved.residual > options.target
        } else {
            solved.outcome == Outcome::TargetReached && estimate > POOR
        };
        solved.expired = solved.outcome == Outcome::BudgetSpent;
        solved.outcome = solved.outcome.settled(estimate, missed);
        Ok(solved)
    }

    /// A place where a residual is largest, in words.
    pub(super) fn place(&self, worst: &Worst) -> Place {
        let what = self.name_of_residual(worst.residual);
        let point = worst.point.clone();
        Place { what, point }
    }

    /// What is wrong with the problem itself: residuals that fight, an unknown that is left open.
    fn remark(&self, fighting: &[usize], open: Option<usize>) -> Option<String> {
        if let Some(unknown) = open {
            let name = &self.unknowns[unknown];
            return Some(format!(
                "under-determined: functions `{name}` that differ meet every equation and condition; give more of `{name}`"
            ));
        }
        let names = fighting.iter().map(|r| self.name_of_residual(*r));
        let names: Vec<String> = names.collect();
        let (last, before) = names.split_last()?;
        let names = format!("{} and {last}", before.join(", "));
        Some(format!(
            "no function meets {names} together; correct or remove one of them"
        ))
    }

    /// What a residual is called in sentences, by its place in a system's list.
    fn name_of_residual(&self, residual: usize) -> String {
        let (equations, conditions) = (self.equations.len(), self.conditions.len());
        let own = equations - self.helpers;
        match residual {
            0 if own == 1 => "the equation".into(),
            k if k < own => format!("equation {}", k + 1),
            k if k < equations => format!("`{}`", self.unknowns[self.n_own() + k - own]),
            k if k < equations + conditions => self.called(k - equations),
            k if k < equations + conditions + self.data.len() => "observations".into(),
            k => format!(
                "`[[condition]]` {}",
                k + 1 - equations - conditions - self.data.len()
            ),
        }
    }

    /// Whether a checkpoint is of this problem with these options: what a run that goes on may change (time limit, target, threads, more
    /// steps where no rate depends on their number) does not matter.
    ///
    /// # Errors
    /// [`CheckpointError::OtherRun`] says what differs.
    pub fn accepts(
        &self,
        options: &Options,
        checkpoint: &Checkpoint,
    ) -> Result<(), CheckpointError> {
        self.run_fingerprint(options).expect(&checkpoint.run)
    }

    /// Refuses what no method can do.
    fn check(&self, options: &Options) -> Result<(), SolveError> {
        let inputs = self.coordinates.len() + self.features.len();
        let frozen = matches!(options.method, Method::Lsq | Method::Pieces);
        let skips = !frozen && options.depth != Some(1);
        let narrow = skips && options.width.is_some_and(|w| w < inputs);
        if narrow {
            let what = "a `width` of at least one neuron for each coordinate and feature";
            return Err(SolveError::unsupported(self, what));
        }
        let exactly = |c: &&Condition| c.enforce == Enforce::Exact && !c.initial;
        let held = lsq::held_exactly(self);
        let ansatz = held.as_ref().map_or(&self.ansatz, |p| &p.ansatz);
        for condition in self.conditions.iter().filter(exactly) {
            let unknown = condition.dirichlet.as_ref().map(|d| d.0);
            if unknown.is_none_or(|u| ansatz[u].is_none()) {
                let what = "values held exactly where there is no factor for them; leave `enforce` out or make it \"penalty\"";
                return Err(SolveError::unsupported(self, what));
            }
        }
        let texts = self
            .equations
            .iter()
            .chain(self.conditions.iter().map(|c| &c.residual));
        let texts: Vec<&Expr> = texts.chain(self.data.iter().map(|o| &o.observe)).collect();
        let used = |k: usize| {
            texts
                .iter()
                .any(|e| e.leaves().contains(&Leaf::Parameter(k)))
        };
        if (0..self.sought.len()).any(|k| !used(k)) {
            let what =
                "every parameter that is to be found in an equation, a condition or an observation";
            return Err(SolveError::unsupported(self, what));
        }
        Ok(())
    }

    pub(super) fn by_pieces(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<pieces::Solution, SolveError> {
        if let Some(what) = pieces::obstacle(self) {
            return Err(SolveError::unsupported(self, what));
        }
        self.searched(options, watch, self.diverged(), |progress| {
            Ok(pieces::solve(self, options, progress)?)
        })
    }

    /// What a search finds; where that is nothing, why: it was stopped, its time was over, or else `nothing`.
    pub(super) fn searched<T>(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
        nothing: SolveError,
        search: impl FnOnce(
            &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        ) -> Result<Option<T>, SolveError>,
    ) -> Result<T, SolveError> {
        let (started, mut stopped) = (Instant::now(), false);
        let found = search(&mut |p: &Progress| {
            let flow = watch.progress(p);
            stopped |= flow.is_break();
            flow
        })?;
        let (problem, limit) = (self.name.clone(), options.time_limit);
        found.ok_or_else(|| {
            if stopped {
                SolveError::Stopped { problem }
            } else if started.elapsed().as_secs_f64() > limit {
                SolveError::NoTime { problem, limit }
            } else {
                nothing
            }
        })
    }

    fn diverged(&self) -> SolveError {
        let problem = self.name.clone();
        SolveError::Diverged { problem }
    }

    pub(super) fn by_lsq(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        self.searched(options, watch, self.diverged(), |progress| {
            Ok(lsq::solve(self, options, progress)?)
        })
    }
}

impl Solution {
    pub(super) fn solved(self, problem: &Problem, options: &Options) -> Result<Solved, SolveError> {
        let outputs = self.problem.n_own();
        let network = network(&self.problem, &self.state.layer, outputs)?;
        let model = model(&self.problem, network, parameters(&self.state, outputs))?;
        let sought = problem
            .sought
            .iter()
            .zip(self.state.sought.iter().zip(&self.state.sigma));
        // where nothing was found a standard error says nothing
        let lost = self.verdict.residual > LOST;
        let found = sought.map(|(s, (value, sigma))| Found {
            name: s.name.clone(),
            value: *value,
            sigma: if lost { f64::NAN } else { *sigma },
        });
        Ok(Solved {
            method: "lsq",
            outcome: self.outcome,
            residual: self.verdict.residual,
            rms: self.verdict.rms,
            chi_squared: self.verdict.chi_squared,
            error_estimate: self.error_estimate,
            estimate_by_noise: self.by_noise,
            found: found.collect(),
            reports: self.reports,
            points: self.points,
            steps: None,
            best_relative_l2: None,
            best_moving_average: None,
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            remark: problem.remark(&self.fighting, self.open),
            decisions: self.decisions,
            ..Solved::measured(model, problem, options)?
        })
    }
}

impl pieces::Solution {
    pub(super) fn solved(
        self,
        problem: &Problem,
        options: &Options,
        method: &'static str,
    ) -> Result<Solved, SolveError> {
        Ok(Solved {
            method,
            outcome: self.outcome,
            residual: self.verdict.residual,
            rms: self.verdict.rms,
            error_estimate: self.error_estimate,
            reports: self.reports,
            points: self.points,
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            decisions: self.decisions,
            ..Solved::measured(piecewise(problem, self.pieced)?, problem, options)?
        })
    }
}

impl Trained {
    pub(super) fn solved(
        self,
        problem: &Problem,
        options: &Options,
        method: &'static str,
    ) -> Result<Solved, SolveError> {
        let n = self.network.n_parameters();
        let (weights, sought) = self.theta.split_at(n);
        let within = sought.iter().zip(problem.sought.iter().map(Sought::bounds));
        let within = within.map(|(p, [low, high])| p.clamp(low, high));
        let sought = &within.collect::<Vec<f64>>();
        let found = problem.sought.iter().zip(sought).map(|(s, value)| Found {
            name: s.name.clone(),
            value: *value,
            sigma: f64::NAN,
        });
        let whole = model(&self.problem, self.network, weights.to_vec())?;
        let reports = if problem.reports.is_empty() {
            Vec::new()
        } else {
            let reports = Reports::new(&System::new(problem.clone()))?;
            let jets = |r: &Residual, b: &Block| jets_of_model(&whole, r, b);
            let sums = reports.sums(sought, jets);
            let coarse = reports.coarseness(&sums, sought, jets);
            let best = (sums, self.verdict.residual);
            reports.judged(&best, &[], &coarse, self.error_estimate)
        };
        let best = |k: usize| self.best_error.map(|b| b[k]).filter(|b| b.is_finite());
        let model = without_helpers(&self.problem, whole)?;
        Ok(Solved {
            method,
            outcome: self.outcome,
            residual: self.verdict.residual,
            rms: self.verdict.rms,
            chi_squared: self.verdict.chi_squared,
            error_estimate: self.error_estimate,
            found: found.collect(),
            reports,
            points: self.points,
            steps: Some(self.steps),
            best_relative_l2: best(0),
            best_moving_average: best(1),
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            decisions: self.decisions,
            ..Solved::measured(model, problem, options)?
        })
    }
}

impl Solved {
    /// A model with its errors against what is known, on fresh uniform points; the other figures are filled in by the method.
    fn measured(model: Model, problem: &Problem, options: &Options) -> Result<Self, SolveError> {
        let model = model
            .with_device(options.device)
            .with_threads(options.threads());
        let draw = Draw::new(Sampler::Random, options.seed ^ 0x7e57).held_out();
        let points = problem.domain.interior(TEST_POINTS, &draw)?;
        let values = model.eval(&points)?;
        let outputs = problem.n_own();
        let mut errors: Vec<Option<[f64; 2]>> = vec![None; outputs];
        if let Some(exact) = Exact::new(problem) {
            for (u, error) in exact.errors(&points, |i, u| values[i * outputs + u]) {
                errors[u] = Some(error);
            }
        }
        let pick = |k: usize| errors.iter().map(|e| e.map(|e| e[k])).collect();
        Ok(Self {
            model,
            method: "",
            outcome: Outcome::Converged,
            expired: false,
            residual: f64::INFINITY,
            rms: [None; 4],
            chi_squared: None,
            error_estimate: f64::INFINITY,
            estimate_by_noise: 0.0,
            found: Vec::new(),
            reports: Vec::new(),
            points: 0,
            steps: None,
            best_relative_l2: None,
            best_moving_average: None,
            worst: None,
            remark: None,
            decisions: Vec::new(),
            relative_l2_by: pick(0),
            relative_linf_by: pick(1),
            eigenvalues: Vec::new(),
        })
    }

    /// The same of an eigenfunction, whose sign is a convention: its errors are those of the nearer of u and −u.
    pub(super) fn measured_up_to_sign(
        model: Model,
        problem: &Problem,
        options: &Options,
    ) -> Result<Self, SolveError> {
        let mut other = problem.clone();
        for exact in other.exact.iter_mut().flatten() {
            *exact = -exact.clone();
        }
        let turned = Self::measured(model.clone(), &other, options)?;
        let mut solved = Self::measured(model, problem, options)?;
        if turned.relative_l2_by.iter().flatten().sum::<f64>()
            < solved.relative_l2_by.iter().flatten().sum()
        {
            solved.relative_l2_by = turned.relative_l2_by;
            solved.relative_linf_by = turned.relative_linf_by;
        }
        Ok(solved)
    }

    pub(super) fn with_eigenvalues(self, eigenvalues: Vec<Eigenpair>) -> Self {
        Self {
            eigenvalues,
            ..self
        }
    }
}

impl Solved {
    /// The relative difference to another solution of the same problem, of the worst unknown.
    pub(super) fn distance(
        &self,
        other: &Self,
        problem: &Problem,
        options: &Options,
    ) -> Result<f64, SolveError> {
        let draw = Draw::new(Sampler::Random, options.seed ^ 0xd157).held_out();
        let points = problem.domain.interior(TEST_POINTS / 5, &draw)?;
        let (mine, others) = (self.model.eval(&points)?, other.model.eval(&points)?);
        let outputs = problem.n_own();
        let column = |values: &[f64], u: usize| -> Vec<f64> {
            values.iter().skip(u).step_by(outputs).copied().collect()
        };
        let one = |u: usize| {
            let (x, y) = (column(&mine, u), column(&others, u));
            let off: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
            rms(&off) / rms(&x).max(f64::MIN_POSITIVE)
        };
        Ok((0..outputs).map(one).fold(0.0, f64::max))
    }
}

/// The frozen layer and the weights of the first outputs, flat.
fn parameters(state: &State, outputs: usize) -> Vec<f64> {
    [
        &state.layer.weights[..],
        &state.layer.biases,
        &state.coefficients[..outputs * state.layer.len()],
    ]
    .concat()
}

/// The frozen layer as a network.
pub(super) fn network(
    problem: &Problem,
    layer: &lsq::Layer,
    outputs: usize,
) -> Result<Network, SolveError> {
    let mut groups: Vec<Group> = Vec::new();
    for &basis in &layer.bases {
        match groups.last_mut() {
            Some(group) if group.terms[0].basis == basis => group.neurons += 1,
            _ => groups.push(Group {
                neurons: 1,
                terms: vec![Term::plain(basis)],
            }),
        }
    }
    let inputs =
        Inputs::coordinates(problem.coordinates.len()).with_features(problem.features.len());
    let hidden = Layer::dense(Activation::new(groups)?);
    let layers = vec![hidden, Layer::linear(outputs, Bias::No)];
    Ok(Network::new(inputs, layers)?)
}

/// A function made of pieces as a model: the hidden layer is every piece's, in the coordinates of its box.
fn piecewise(problem: &Problem, pieced: pieces::Pieced) -> Result<Model, SolveError> {
    let (layer, boxes, coefficients) = pieced.into_parts();
    let own = problem.n_own();
    let network = network(problem, &layer, own)?;
    let all = problem.unknowns.len() * layer.len();
    let kept = coefficients
        .chunks_exact(all)
        .map(|piece| &piece[..own * layer.len()]);
    let parameters: Vec<f64> = [&layer.weights[..], &layer.biases]
        .into_iter()
        .chain(kept)
        .flatten()
        .copied()
        .collect();
    let whole = parts(problem, network, parameters).with_pieces(boxes);
    Ok(Model::new(whole)?)
}

/// A trained model with the file's own unknowns alone: the last layer without the rows of helpers.
fn without_helpers(problem: &Problem, whole: Model) -> Result<Model, SolveError> {
    let outputs = problem.n_own();
    if problem.helpers == 0 {
        return Ok(whole);
    }
    let Parts {
        network,
        parameters,
        ..
    } = whole.parts();
    let mut layers = network.layers().to_vec();
    let last = layers.len() - 1;
    let places = &network.layout().layers[last];
    let weights = places.weight..places.weight + outputs * network.fan_in(last);
    let mut kept = parameters[..weights.end].to_vec();
    if let Some(bias) = places.bias {
        kept.extend_from_slice(&parameters[bias..bias + outputs]);
    }
    layers[last] = Layer::linear(outputs, layers[last].bias);
    let narrower = Network::new(*network.inputs(), layers)?;
    model(problem, narrower, kept)
}

/// The whole function of as many unknowns as the network has outputs.
pub(super) fn model(
    problem: &Problem,
    network: Network,
    parameters: Vec<f64>,
) -> Result<Model, SolveError> {
    Ok(Model::new(parts(problem, network, parameters))?)
}

fn parts(problem: &Problem, network: Network, parameters: Vec<f64>) -> Parts {
    let scope = Scope::new(problem.coordinates.iter().map(String::as_str));
    let text = |e: &Expr| e.display(&scope).to_string();
    let outputs = problem.unknowns.iter().zip(&problem.ansatz);
    let outputs = outputs
        .take(network.n_outputs())
        .map(|(name, ansatz)| match ansatz {
            Some((factor, lift)) => Output::new(name)
                .with_factor(text(factor))
                .with_lift(text(lift)),
            None => Output::new(name),
        });
    let mut parts = Parts::new(
        problem.coordinates.iter().map(String::as_str),
        outputs.collect(),
        network,
        parameters,
    )
    .with_region(region(problem));
    if let Some(axis) = problem.time {
        parts = parts.with_time(axis);
    }
    for (name, expression) in &problem.features {
        parts = parts.with_feature(name, text(expression));
    }
    parts
}

/// Where the answer means something: a box, and in it the shape of any other domain.
fn region(problem: &Problem) -> Region {
    let domain = &problem.domain;
    let region = Region::new(domain.bounds().to_vec());
    match domain.as_cuboid() {
        Some(_) => region,
        None => region.with_description(domain.shape().description().to_string()),
    }
}
