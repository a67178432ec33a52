//! `Problem::solve`: from a problem to a model with its figures.

use super::lsq::{self, Solution};
use super::{Options, Outcome, Progress};
use crate::activation::{Activation, ActivationError, Group, Term};
use crate::domain::{DomainError, Draw, Sampler};
use crate::expr::{Expr, Leaf, Program, Scope};
use crate::model::{Model, ModelError, Output, Parts, Region};
use crate::network::{Bias, Inputs, Layer, Network, NetworkError};
use crate::problem::Problem;
use std::ops::ControlFlow;

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
    /// Held-out residual of the worst kind of rows, relative to its terms.
    pub residual: f64,
    /// Root mean squares of the held-out residuals: equations, boundary, initial, data; `None` where there are none.
    pub rms: [Option<f64>; 4],
    /// What the relative error is likely to be, from how much independent solutions differ.
    pub error_estimate: f64,
    /// The sought parameters.
    pub found: Vec<Found>,
    /// Points of the last solve.
    pub points: usize,
    /// Steps taken, by methods that take steps.
    pub steps: Option<u64>,
    /// The smallest relative L2 error on the way, where the method records it.
    pub best_relative_l2: Option<f64>,
    /// The smallest mean of that error over 100 steps.
    pub best_moving_average: Option<f64>,
    /// What was tried and chosen, in words.
    pub decisions: Vec<String>,
    /// Relative L2 error of each unknown with a known solution, on 10,000 fresh uniform points.
    pub relative_l2_by: Vec<Option<f64>>,
    /// The same in the largest difference over the largest value.
    pub relative_linf_by: Vec<Option<f64>>,
}

/// A sought parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, from the misfit of the observations.
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
    /// It was stopped before there was anything to return.
    #[error("`{problem}` was stopped before there was a first solution")]
    Stopped {
        /// The problem's name.
        problem: String,
    },
    /// No layer gave finite numbers.
    #[error("`{problem}` diverged: no start gave finite residuals")]
    Diverged {
        /// The problem's name.
        problem: String,
    },
    /// Something the solver does not do yet.
    #[error("`{problem}` needs {what}, which no solver here does yet")]
    Unsupported {
        /// The problem's name.
        problem: String,
        /// What it needs.
        what: &'static str,
    },
}

impl Problem {
    /// Solves the problem; `progress` returns whether to go on.
    ///
    /// ```
    /// use rafnet::problem::Problem;
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
        mut progress: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Solved, SolveError> {
        let solution = lsq::solve(self, options, &mut progress)?;
        let solution = solution.ok_or_else(|| SolveError::Diverged {
            problem: self.name.clone(),
        })?;
        let model = model(&solution)?.with_threads(options.threads());
        let points = self.domain.interior(
            TEST_POINTS,
            &Draw::new(Sampler::Random, options.seed ^ 0x7e57).held_out(),
        )?;
        let values = model.eval(&points)?;
        let errors: Vec<Option<[f64; 2]>> = (0..self.unknowns.len())
            .map(|u| self.error(u, &points, &values))
            .collect();
        let pick = |k: usize| errors.iter().map(|e| e.map(|e| e[k])).collect();
        let Solution {
            state,
            verdict,
            error_estimate,
            points,
            outcome,
            decisions,
            ..
        } = solution;
        let sought = self
            .sought
            .iter()
            .zip(state.sought.iter().zip(&state.sigma));
        Ok(Solved {
            model,
            method: "lsq",
            outcome,
            residual: verdict.residual,
            rms: verdict.rms,
            error_estimate,
            found: sought
                .map(|(s, (value, sigma))| Found {
                    name: s.name.clone(),
                    value: *value,
                    sigma: *sigma,
                })
                .collect(),
            points,
            steps: None,
            best_relative_l2: None,
            best_moving_average: None,
            decisions,
            relative_l2_by: pick(0),
            relative_linf_by: pick(1),
        })
    }

    /// [relative L2, relative L∞] of unknown `u` against its known solution.
    fn error(&self, u: usize, points: &[f64], values: &[f64]) -> Option<[f64; 2]> {
        let exact = self.exact[u].as_ref()?;
        let (d, outputs) = (self.coordinates.len(), self.unknowns.len());
        let coordinates: Vec<Vec<f64>> = (0..d)
            .map(|k| points.iter().skip(k).step_by(d).copied().collect())
            .collect();
        let inputs: Vec<Leaf> = (0..d).map(Leaf::Coordinate).collect();
        let program = Program::compile(std::slice::from_ref(exact), &inputs).ok()?;
        let mut truth = vec![0.0; points.len() / d];
        let columns: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
        program.evaluate(&columns, &mut [&mut truth], &mut program.scratch());
        let (mut square, mut total, mut largest, mut most) = (0.0, 0.0, 0.0f64, 0.0f64);
        for (i, truth) in truth.iter().enumerate() {
            let difference = values[i * outputs + u] - truth;
            (square, total) = (square + difference * difference, total + truth * truth);
            (largest, most) = (largest.max(difference.abs()), most.max(truth.abs()));
        }
        Some([(square / total).sqrt(), largest / most])
    }
}

/// The layer as a network, the whole function as a model.
fn model(solution: &Solution) -> Result<Model, SolveError> {
    let (problem, layer) = (&solution.problem, &solution.state.layer);
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
    let network = Network::new(
        inputs,
        vec![hidden, Layer::linear(problem.unknowns.len(), Bias::No)],
    )?;
    let parameters = [
        &layer.weights[..],
        &layer.biases,
        &solution.state.coefficients,
    ]
    .concat();
    let scope = Scope::new(problem.coordinates.iter().map(String::as_str));
    let text = |e: &Expr| e.display(&scope).to_string();
    let outputs = problem
        .unknowns
        .iter()
        .zip(&problem.ansatz)
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
    .with_region(Region::new(problem.domain.bounds().to_vec()));
    if let Some(axis) = problem.time {
        parts = parts.with_time(axis);
    }
    for (name, expression) in &problem.features {
        parts = parts.with_feature(name, text(expression));
    }
    Ok(Model::new(parts)?)
}
