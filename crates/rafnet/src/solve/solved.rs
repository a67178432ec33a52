//! The answer of a solver: a model with its figures.

use super::eigen::Eigenpair;
use super::reports::Report;
use super::{Options, SolveError};
use crate::domain::{Draw, Sampler};
use crate::expr::larger;
use crate::model::Model;
use crate::posed::{Distance, Exact};
use crate::problem::Problem;
use crate::run::Outcome;

/// Fresh points on which the error against a known solution is measured.
const TEST_POINTS: usize = 10_000;
/// Solutions that are further apart are not the same one, whatever their residuals: conditions may hardly hold it, or allow several. Two with
/// residuals below the other number are both solutions.
pub(super) const SAME: f64 = 0.1;
const SOLVED: f64 = 1e-3;

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
    /// What the relative L2 error is likely to be, from how much independent solutions differ.
    pub error_estimate: f64,
    /// The same of the largest error over the largest value.
    pub linf_estimate: f64,
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

impl Solved {
    /// A model with its errors against what is known, on fresh uniform points; the other figures are filled in by the method.
    pub(super) fn measured(
        model: Model,
        problem: &Problem,
        options: &Options,
    ) -> Result<Self, SolveError> {
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
            linf_estimate: f64::INFINITY,
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

    /// No two solutions have less in common than those of different methods: what they differ by is the error of each, by its share of the
    /// residuals.
    pub(super) fn compare(
        &mut self,
        other: &Self,
        problem: &Problem,
        options: &Options,
    ) -> Result<(), SolveError> {
        let apart = self.distance(other, problem, options)?;
        let share = match self.residual / self.residual.hypot(other.residual) {
            _ if apart.l2 > SAME && self.residual.max(other.residual) < SOLVED => 1.0,
            share => share,
        };
        self.error_estimate = larger(self.error_estimate, share * apart.l2);
        self.linf_estimate = larger(self.linf_estimate, share * apart.linf);
        Ok(())
    }

    /// The relative difference to another solution of the same problem, of the worst unknown.
    fn distance(
        &self,
        other: &Self,
        problem: &Problem,
        options: &Options,
    ) -> Result<Distance, SolveError> {
        let draw = Draw::new(Sampler::Random, options.seed ^ 0xd157).held_out();
        let points = problem.domain.interior(TEST_POINTS / 5, &draw)?;
        let (mine, others) = (self.model.eval(&points)?, other.model.eval(&points)?);
        let outputs = problem.n_own();
        let column = |values: &[f64], u: usize| -> Vec<f64> {
            values.iter().skip(u).step_by(outputs).copied().collect()
        };
        let one = |u: usize| Distance::between(&column(&mine, u), &column(&others, u));
        Ok((0..outputs)
            .map(one)
            .fold(Distance::default(), Distance::max))
    }
}
