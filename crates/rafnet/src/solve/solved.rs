//! The answer of a solver: a model with its figures.

use super::event::Event;
use super::figures::{Evidence, Figures, POOR};
use super::reports::Report;
use super::{Options, SolveError};
use crate::domain::{Draw, Sampler};
use crate::expr::larger;
use crate::model::Model;
use crate::posed::{Distance, Exact};
use crate::problem::Problem;
use crate::run::Outcome;
use std::time::Instant;

/// Fresh points on which the error against a known solution is measured.
const TEST_POINTS: usize = 10_000;
/// Solutions that are further apart are not the same one, whatever their residuals: conditions may hardly hold it, or allow several. Two with
/// residuals below the other number are both solutions.
pub(super) const SAME: f64 = 0.1;
const SOLVED: f64 = 1e-3;
/// Solutions that meet everything and differ by more than this of their size are different functions.
pub(super) const DIFFERENT: f64 = 0.03;

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
    /// Seconds it took.
    pub seconds: f64,
    /// What was asked for, by the problem's file too.
    pub options: Options,
    /// Where the answer is poor: where it is worst, and what may help.
    pub advice: Option<String>,
    /// Held-out residual of the worst kind of rows, relative to its terms; here and in the estimates ∞ where nothing is known.
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
    /// Other solutions of a nonlinear problem that were seen on the way.
    pub others: Vec<Model>,
    /// The solution nearest in quality that the search saw beside this one: where the two differ, the error is likely to be.
    pub compared: Option<Model>,
    /// What was tried, in order.
    pub events: Vec<Event>,
    /// Relative L2 error of each unknown with a known solution, on 10,000 fresh uniform points.
    pub relative_l2_by: Vec<Option<f64>>,
    /// The same in the largest difference over the largest value.
    pub relative_linf_by: Vec<Option<f64>>,
    /// The eigenpairs of an eigenvalue problem; `model` is that of the first.
    pub eigenvalues: Vec<Eigenpair>,
    /// Where texts of the problem change within a small part of the domain.
    pub features: Vec<Feature>,
    /// Whether the texts have no other such places, to one per cent of what each varies by.
    pub excluded: bool,
    /// What the figures were settled from.
    pub(super) evidence: Evidence,
}

/// An eigenvalue with its function.
#[derive(Clone, Debug)]
pub struct Eigenpair {
    /// λ
    pub value: f64,
    /// What its error is likely to be.
    pub error_estimate: f64,
    /// How many of the eigenvalues found cannot be told apart from it, itself included.
    pub multiplicity: usize,
    /// What the relative error of u is likely to be.
    pub function_estimate: f64,
    /// Held-out residual, relative to its terms.
    pub residual: f64,
    /// u
    pub model: Model,
}

/// A place where a solution is worst.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Which equation, condition or observations are missed there, in words.
    pub what: String,
    /// The point.
    pub point: Vec<f64>,
}

/// A place where a text of the problem changes within a small part of the domain: points of solvers and judges gather there.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The text.
    pub text: String,
    /// For each coordinate where it is; `None` where the text does not depend on it.
    pub at: Vec<Option<f64>>,
    /// The distance over which half of its height is lost, both sides together.
    pub width: Vec<Option<f64>>,
    /// What it is, in words.
    pub sentence: String,
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
    /// Its models know the problem's parameters, found ones among them: texts about a solution, such as `-k*u_x`, may use their names.
    pub(super) fn name_parameters(&mut self, numbers: &[(String, f64)]) {
        let found = self.found.iter().map(|f| (f.name.clone(), f.value));
        let all = numbers.iter().cloned().chain(found);
        let all: Vec<(String, f64)> = all.filter(|(_, value)| value.is_finite()).collect();
        let pairs = self.eigenvalues.iter_mut().map(|pair| &mut pair.model);
        let models = std::iter::once(&mut self.model).chain(&mut self.others);
        for model in models.chain(&mut self.compared).chain(pairs) {
            model.name_constants(&all);
        }
    }

    /// A model with its errors against what is known, on fresh uniform points, and what the evidence allows to be said; the rest is filled in
    /// by the method.
    pub(super) fn measured(
        model: Model,
        evidence: Evidence,
        problem: &Problem,
        options: &Options,
    ) -> Result<Self, SolveError> {
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
        let Figures {
            residual,
            estimate,
            by_noise,
            reports,
        } = evidence.figures();
        let pick = |k: usize| errors.iter().map(|e| e.map(|e| e[k])).collect();
        Ok(Self {
            model,
            method: "",
            outcome: Outcome::Converged,
            expired: false,
            seconds: 0.0,
            options: options.clone(),
            advice: None,
            residual,
            rms: [None; 4],
            chi_squared: None,
            error_estimate: estimate.l2,
            linf_estimate: estimate.linf,
            estimate_by_noise: by_noise,
            found: Vec::new(),
            reports,
            points: 0,
            steps: None,
            best_relative_l2: None,
            best_moving_average: None,
            worst: None,
            remark: problem.remark(&[], None),
            others: Vec::new(),
            compared: None,
            events: Vec::new(),
            relative_l2_by: pick(0),
            relative_linf_by: pick(1),
            eigenvalues: Vec::new(),
            features: Vec::new(),
            excluded: false,
            evidence,
        })
    }

    /// The same of an eigenfunction, whose sign is a convention: its errors are those of the nearer of u and −u.
    pub(super) fn measured_up_to_sign(
        model: Model,
        evidence: Evidence,
        problem: &Problem,
        options: &Options,
    ) -> Result<Self, SolveError> {
        let mut other = problem.clone();
        for exact in other.exact.iter_mut().flatten() {
            *exact = -exact.clone();
        }
        let turned = Self::measured(model.clone(), evidence.clone(), &other, options)?;
        let mut solved = Self::measured(model, evidence, problem, options)?;
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
        let apart = self.distance(&other.model, problem, options)?;
        let both = self.residual.max(other.residual) < SOLVED;
        // errors are in proportion to residuals near a solution only
        let neither = self.residual > SOLVED && problem.is_nonlinear();
        let share = match self.residual / self.residual.hypot(other.residual) {
            _ if apart.l2 > SAME && (both || neither) => 1.0,
            share => share,
        };
        self.widen(apart.map(|d| share * d));
        self.compared = Some(other.model.clone());
        Ok(())
    }

    /// The figures once more, with a solution that lies so far away.
    fn widen(&mut self, apart: Distance) {
        self.evidence.likely = self.evidence.likely.max(apart);
        let figures = self.evidence.figures();
        (self.error_estimate, self.linf_estimate) = (figures.estimate.l2, figures.estimate.linf);
        self.reports = figures.reports;
    }

    /// The same answer where another one so far away is as good.
    pub(super) fn apart_by(mut self, apart: Distance) -> Self {
        self.widen(apart);
        self
    }

    /// The same at the end of a run that began then: its end called by its name, and what may help where the answer is poor.
    pub(super) fn settled(self, problem: &Problem, options: &Options, began: Instant) -> Self {
        let figures = self.evidence.figures();
        let settled = Self {
            expired: self.outcome == Outcome::BudgetSpent,
            outcome: figures.outcome(self.outcome, options.target),
            seconds: began.elapsed().as_secs_f64(),
            options: options.clone(),
            events: self.events.into_iter().map(|e| e.since(began)).collect(),
            ..self
        };
        let poor = matches!(settled.outcome, Outcome::Stalled | Outcome::Contradictory)
            || settled.error_estimate > POOR.max(2.0 * settled.estimate_by_noise);
        Self {
            advice: poor.then(|| problem.advice(&settled)),
            ..settled
        }
    }

    /// What was tried and chosen, in words.
    pub fn decisions(&self) -> Vec<String> {
        self.events.iter().map(Event::to_string).collect()
    }

    /// Whether the run came to an end by itself and reached what was asked: the target, or where none was named an answer that is not poor.
    pub fn succeeded(&self) -> bool {
        let failed = matches!(
            self.outcome,
            Outcome::Stopped | Outcome::Diverged | Outcome::Stalled | Outcome::Contradictory
        );
        !failed && self.options.target.is_none_or(|t| self.residual <= t)
    }

    /// The largest relative L2 error of all unknowns with a known solution.
    pub fn relative_l2(&self) -> Option<f64> {
        self.relative_l2_by.iter().flatten().copied().reduce(larger)
    }

    /// The same in the largest difference over the largest value.
    pub fn relative_linf(&self) -> Option<f64> {
        self.relative_linf_by
            .iter()
            .flatten()
            .copied()
            .reduce(larger)
    }

    /// How many different solutions were seen; none where there is no solution yet.
    pub fn solutions(&self) -> usize {
        if self.residual < SOLVED && self.outcome != Outcome::Contradictory {
            1 + self.others.len()
        } else {
            0
        }
    }

    /// Keeps those of other solutions that differ from this one.
    pub(super) fn keep_others(
        &mut self,
        others: Vec<Model>,
        problem: &Problem,
        options: &Options,
    ) -> Result<(), SolveError> {
        for other in others {
            if self.distance(&other, problem, options)?.l2 > DIFFERENT {
                self.others.push(other);
            }
        }
        Ok(())
    }

    /// The relative difference to another solution of the same problem, of the worst unknown.
    fn distance(
        &self,
        other: &Model,
        problem: &Problem,
        options: &Options,
    ) -> Result<Distance, SolveError> {
        let draw = Draw::new(Sampler::Random, options.seed ^ 0xd157).held_out();
        let points = problem.domain.interior(TEST_POINTS / 5, &draw)?;
        let (mine, others) = (self.model.eval(&points)?, other.eval(&points)?);
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
