//! From a solution over pieces to a model with its figures.

use super::{Solution, obstacle, solve};
use crate::problem::Problem;
use crate::run::Watch;
use crate::solve::as_model::piecewise;
use crate::solve::{Options, Progress, SolveError, Solved};

impl Problem {
    pub(in crate::solve) fn by_pieces(
        &self,
        options: &Options,
        patience: usize,
        watch: &mut dyn Watch<Progress>,
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
        Ok(Solved {
            method,
            outcome: self.outcome,
            rms: self.verdict.rms,
            points: self.points,
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            decisions: self.decisions,
            ..Solved::measured(
                piecewise(problem, self.whole)?,
                self.evidence,
                problem,
                options,
            )?
        })
    }
}
