//! From trained weights to a model with its figures.

use super::Trained;
use crate::posed::{Block, Residual, System};
use crate::problem::{Problem, Sought};
use crate::solve::as_model::{model, without_helpers};
use crate::solve::reports::{Reports, jets_of_model};
use crate::solve::{Found, Options, SolveError, Solved};

impl Trained {
    pub(in crate::solve) fn solved(
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
        let whole = model(&self.problem, self.network, weights.to_vec(), options)?;
        let mut evidence = self.evidence;
        if !problem.reports.is_empty() {
            let reports = Reports::new(&System::new(problem.clone(), options.device))?;
            let jets = |r: &Residual, b: &Block| jets_of_model(&whole, r, b);
            let sums = reports.sums(sought, jets);
            let coarse = reports.coarseness(&sums, sought, jets);
            let best = (sums, self.verdict.residual);
            evidence.reports = reports.judged(&best, &[], &coarse);
        }
        let best = |k: usize| self.best_error.map(|b| b[k]).filter(|b| b.is_finite());
        let model = without_helpers(&self.problem, whole, options)?;
        Ok(Solved {
            method,
            outcome: self.outcome,
            rms: self.verdict.rms,
            chi_squared: self.verdict.chi_squared,
            found: found.collect(),
            points: self.points,
            steps: Some(self.steps),
            best_relative_l2: best(0),
            best_moving_average: best(1),
            worst: self.verdict.worst.as_ref().map(|w| problem.place(w)),
            events: self.events,
            ..Solved::measured(model, evidence, problem, options)?
        })
    }
}
