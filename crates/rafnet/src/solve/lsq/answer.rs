//! From a solution over one layer to a model with its figures.

use super::{Solution, solve};
use crate::posed::LOST;
use crate::problem::Problem;
use crate::run::Watch;
use crate::solve::as_model::{model, network, parameters};
use crate::solve::{Found, Options, Progress, SolveError, Solved};

impl Problem {
    pub(in crate::solve) fn by_lsq(
        &self,
        options: &Options,
        watch: &mut dyn Watch<Progress>,
    ) -> Result<Solution, SolveError> {
        let nothing = SolveError::diverged(self);
        self.searched(options, watch, nothing, |progress, halt| {
            Ok(solve(self, options, progress, halt)?)
        })
    }
}

impl Solution {
    pub(in crate::solve) fn solved(
        self,
        problem: &Problem,
        options: &Options,
    ) -> Result<Solved, SolveError> {
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
            rms: self.verdict.rms,
            chi_squared: self.verdict.chi_squared,
            found: found.collect(),
            points: self.points,
            steps: None,
            best_relative_l2: None,
            best_moving_average: None,
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            remark: problem.remark(&self.fighting, self.open),
            decisions: self.decisions,
            ..Solved::measured(model, self.evidence, problem, options)?
        })
    }
}
