//! From a solution over pieces to a model with its figures.

use super::{Solution, Whole, obstacle, solve};
use crate::model::Model;
use crate::problem::Problem;
use crate::run::Watch;
use crate::solve::as_model::{made, network, parts};
use crate::solve::{Options, SolveError, Solved};

impl Problem {
    pub(in crate::solve) fn by_pieces(
        &self,
        options: &Options,
        patience: usize,
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        if let Some(what) = obstacle(self) {
            return Err(SolveError::unsupported(self, what));
        }
        let nothing = SolveError::diverged(self);
        self.searched(options, watch, nothing, |progress, halt| {
            Ok(solve(self, options, patience, progress, halt)?)
        })
    }
}

impl Solution {
    pub(in crate::solve) fn solved(
        self,
        problem: &Problem,
        options: &Options,
        method: &'static str,
    ) -> Result<Solved, SolveError> {
        let compared = self
            .compared
            .map(|whole| piecewise(problem, whole, options));
        Ok(Solved {
            method,
            outcome: self.outcome,
            rms: self.verdict.rms,
            compared: compared.transpose()?,
            points: self.points,
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            events: self.events,
            ..Solved::measured(
                piecewise(problem, self.whole, options)?,
                self.evidence,
                problem,
                options,
            )?
        })
    }
}

/// A function made of pieces as a model: the hidden layer is every piece's, in the coordinates of its box.
fn piecewise(problem: &Problem, whole: Whole, options: &Options) -> Result<Model, SolveError> {
    let Whole {
        layer,
        features,
        boxes,
        coefficients,
    } = whole;
    let problem = &Problem {
        features,
        ..problem.clone()
    };
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
    made(
        parts(problem, network, parameters).with_pieces(boxes),
        options,
    )
}
