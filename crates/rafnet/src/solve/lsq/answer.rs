//! From a solution over one layer to a model with its figures.

use super::tuning::SAME;
use super::{Solution, solve};
use crate::frozen::State;
use crate::model::Model;
use crate::posed::LOST;
use crate::problem::Problem;
use crate::run::Watch;
use crate::solve::as_model::{model, network, parameters};
use crate::solve::{Found, Options, SolveError, Solved};

impl Problem {
    pub(in crate::solve) fn by_lsq(
        &self,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        let nothing = SolveError::diverged(self);
        self.searched(options, watch, nothing, |progress, halt| {
            Ok(solve(self, options, progress, halt)?)
        })
    }
}

/// A state as a model.
fn of_state(problem: &Problem, state: &State, options: &Options) -> Result<Model, SolveError> {
    let outputs = problem.n_own();
    let network = network(problem, &state.layer, outputs)?;
    model(problem, network, parameters(state, outputs), options)
}

impl Solution {
    /// All solutions that were seen, the best first.
    pub(in crate::solve) fn models(&self, options: &Options) -> Result<Vec<Model>, SolveError> {
        let solved = self.verdict.residual < SAME && self.problem.is_nonlinear();
        let best = Some((&self.problem, &self.state)).filter(|_| solved);
        let others = self.others.iter().map(|(problem, state)| (problem, state));
        let all = best.into_iter().chain(others);
        all.map(|(problem, state)| of_state(problem, state, options))
            .collect()
    }

    pub(in crate::solve) fn solved(
        self,
        problem: &Problem,
        options: &Options,
    ) -> Result<Solved, SolveError> {
        let model = of_state(&self.problem, &self.state, options)?;
        let others = self.others.iter();
        let others = others.map(|(problem, state)| of_state(problem, state, options));
        let others = others.collect::<Result<Vec<Model>, _>>()?;
        let compared = self.compared.as_ref();
        let compared = compared.map(|(problem, state)| of_state(problem, state, options));
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
            events: self.events,
            others,
            compared: compared.transpose()?,
            ..Solved::measured(model, self.evidence, problem, options)?
        })
    }
}
