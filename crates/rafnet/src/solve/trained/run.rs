//! A trained run: what every method shares — looking at held-out points, recording, checkpoints, ending.

use super::record::Record;
use super::setting::Setting;
use super::tuning::{LOOK_ADAM, REMEMBERED};
use crate::domain::{Draw, Sampler};
use crate::engine::Cloud;
use crate::posed::{
    Distance, EXAMINING, Exact, Judge, Purpose, Sample, Terms, Verdict, error_estimate,
};
use crate::problem::Problem;
use crate::run::{Budget, Checkpoint, CheckpointError, Outcome};
use crate::solve::event::{Event, notes};
use crate::solve::figures::Evidence;
use crate::solve::watched::Pulse;
use crate::solve::{Method, Options, Progress, SolveError};
use std::time::Instant;

pub(super) struct Run<'a> {
    pub(super) terms: Terms,
    pub(super) setting: Setting,
    pub(super) options: &'a Options,
    pub(super) outcome: Option<Outcome>,
    pub(super) decisions: Vec<String>,
    pub(super) record: Record,
    method: Method,
    judge: Judge,
    exact: Option<Exact>,
    inside: Vec<f64>,
    looks: Vec<(f64, Vec<f64>)>,
    last: f64,
    /// The residual of the first look.
    first: f64,
    budget: Budget,
    /// When who watches last heard of it.
    heard: f64,
    pub(super) pulse: Pulse<'a>,
    /// The best state by its held-out residual.
    pub(super) best: Option<(Vec<f64>, Verdict)>,
}

/// What a trained run found.
pub(crate) struct Trained {
    pub(crate) problem: Problem,
    pub(crate) network: crate::network::Network,
    pub(crate) theta: Vec<f64>,
    pub(crate) verdict: Verdict,
    /// The held-out residual at the start.
    pub(crate) first: f64,
    pub(crate) evidence: Evidence,
    pub(crate) points: usize,
    pub(crate) steps: u64,
    pub(crate) best_error: Option<[f64; 2]>,
    pub(crate) outcome: Outcome,
    pub(crate) events: Vec<Event>,
}

/// The step of Adam at which held-out points are looked at next: 1, 2, 4, … and then every few hundred. What is watched is then never old next to
/// what was done, and a run of a few steps has looks to compare.
pub(super) fn next_look(step: u64) -> u64 {
    if step < LOOK_ADAM {
        (step + 1).next_power_of_two().min(LOOK_ADAM)
    } else {
        (step / LOOK_ADAM + 1) * LOOK_ADAM
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        terms: Terms,
        setting: Setting,
        options: &'a Options,
        method: Method,
        started: Instant,
        pulse: Pulse<'a>,
    ) -> Result<Self, SolveError> {
        let draw = terms.system.draw(options.seed);
        let judge = Judge::new(&terms.system, EXAMINING, &draw)?;
        let inside = terms
            .system
            .problem
            .domain
            .interior(EXAMINING, &draw.round(Purpose::Compared.round()).held_out())?;
        Ok(Self {
            exact: Exact::new(&terms.system.problem),
            terms,
            record: Record::new(setting.test_every),
            setting,
            options,
            outcome: None,
            decisions: Vec::new(),
            method,
            judge,
            inside,
            looks: Vec::new(),
            last: f64::INFINITY,
            first: f64::INFINITY,
            budget: Budget::new(started, options.time_limit, options.checkpoint),
            heard: 0.0,
            pulse,
            best: None,
        })
    }

    /// What held-out points say of a state: the verdict, and every unknown where solutions are compared.
    fn seen(&mut self, theta: &[f64]) -> Result<(Verdict, Vec<f64>), SolveError> {
        let verdict = self.terms.judged(&self.judge, theta);
        let unknowns = self.terms.system.problem.unknowns.len();
        let n = self.inside.len() / self.terms.system.known.dimension;
        let mut values = vec![0.0; n * unknowns];
        self.terms.values(theta, &self.inside, &mut values)?;
        Ok((verdict, values))
    }

    /// Looks at held-out points, remembers the best, and says whether the target is reached.
    pub(super) fn look(&mut self, theta: &[f64]) -> Result<f64, SolveError> {
        let (verdict, values) = self.seen(theta)?;
        Ok(self.remember(theta, verdict, values))
    }

    fn remember(&mut self, theta: &[f64], verdict: Verdict, values: Vec<f64>) -> f64 {
        let residual = verdict.residual;
        self.last = residual;
        if self.best.is_none() {
            self.first = residual;
        }
        if residual.is_finite() {
            self.looks.push((residual, values));
            self.looks.sort_by(|a, b| a.0.total_cmp(&b.0));
            self.looks.truncate(REMEMBERED);
        }
        if self.best.as_ref().is_none_or(|b| residual < b.1.residual) {
            self.best = Some((theta.to_vec(), verdict));
        }
        if residual <= self.options.goal() {
            self.outcome = Some(Outcome::TargetReached);
        }
        residual
    }

    /// A step was taken, or several whose errors a device has `recorded`: the error is recorded, the caller is asked whether to go on. `steps`
    /// counts them.
    pub(super) fn stepped(
        &mut self,
        steps: u64,
        loss: f64,
        theta: &[f64],
        recorded: &mut Vec<Vec<f64>>,
    ) -> Result<(), SolveError> {
        let due = steps.is_multiple_of(self.setting.test_every) && recorded.is_empty();
        if let Some(exact) = self.exact.as_ref().filter(|_| due) {
            let problem = &self.terms.system.problem;
            let n = self.setting.test_points;
            let draw = Draw::new(Sampler::Random, self.options.seed).held_out();
            let points = problem.domain.interior(n, &draw.round(steps))?;
            let mut values = vec![0.0; n * problem.unknowns.len()];
            self.terms.values(theta, &points, &mut values)?;
            let errors = exact.errors(&points, |i, u| values[u * n + i]);
            self.record.add(errors.iter().map(|(_, e)| e[0]));
        }
        let now = self.budget.seconds();
        let (before, many) = (self.heard, recorded.len().max(1));
        self.heard = now;
        let mut errors = recorded.drain(..);
        let mut stopped = false;
        // who watches hears of every step, those of a device spread evenly over its time
        for behind in (0..many).rev() {
            if let Some(errors) = errors.next() {
                self.record.add(errors.into_iter());
            }
            let progress = Progress {
                seconds: now - (now - before) * behind as f64 / many as f64,
                step: steps - behind as u64,
                steps: Some(self.setting.warm_up + self.setting.steps),
                width: self.setting.network.layers()[0].width,
                loss: Some(loss),
                error: self.exact.is_some().then_some(self.record.last()),
                residual: self.last,
                best: self.best.as_ref().map_or(f64::INFINITY, |b| b.1.residual),
                ..Progress::START
            };
            stopped |= self.pulse.says_stop(&progress);
        }
        // a run that ended by itself at this step is not also stopped at it: resumed, it would take steps that it never took
        if self.outcome.is_none() {
            self.outcome = self.budget.ended(now, stopped);
        }
        Ok(())
    }

    /// Saves the state every few seconds, and whenever the run is about to end early.
    pub(super) fn save(
        &mut self,
        step: u64,
        state: impl FnOnce() -> Vec<(&'static str, Vec<f64>)>,
    ) {
        let ended = match self.outcome {
            Some(Outcome::Stopped | Outcome::BudgetSpent) => true,
            Some(_) => return, // it ended by itself: there is nothing to go on with
            None => false,
        };
        if !self.budget.save_is_due(ended) {
            return;
        }
        let mut vectors: Vec<(String, Vec<f64>)> = state()
            .into_iter()
            .map(|(n, v)| (n.to_owned(), v))
            .collect();
        vectors.push(("record".into(), self.record.to_numbers()));
        if let Some((theta, _)) = &self.best {
            vectors.push(("best".into(), theta.clone()));
        }
        vectors.push((
            "look_residuals".into(),
            self.looks.iter().map(|l| l.0).collect(),
        ));
        vectors.push((
            "look_values".into(),
            self.looks.iter().flat_map(|l| l.1.clone()).collect(),
        ));
        vectors.push(("last".into(), vec![self.last, self.first]));
        vectors.push(("weights".into(), self.terms.weights()));
        vectors.retain(|(_, v)| !v.is_empty());
        vectors.sort_by(|a, b| a.0.cmp(&b.0));
        let method = self.method.name().to_owned();
        self.pulse.watch.checkpoint(&Checkpoint {
            method,
            step,
            vectors,
            ..Checkpoint::default()
        });
    }

    /// Begins from a state, or from what [`save`](Self::save) left: then its terms keep the weights they had.
    pub(super) fn begin(
        &mut self,
        theta: &[f64],
        points: &[Cloud<f64>],
        from: Option<&Checkpoint>,
    ) -> Result<(), SolveError> {
        match from {
            Some(checkpoint) => Ok(self.restore(checkpoint)?),
            None => Ok(self.terms.balance(theta, points)?),
        }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if checkpoint.method != self.method.name() {
            return Err(CheckpointError::Method {
                found: checkpoint.method.clone(),
                expected: self.method.name(),
            });
        }
        let weights = checkpoint.vector("weights", self.terms.weights().len())?;
        self.terms.set_weights(weights);
        self.record = Record::restored(checkpoint, self.setting.test_every)?;
        let last = checkpoint.vector("last", 2)?;
        (self.last, self.first) = (last[0], last[1]);
        let residuals = checkpoint.rows("look_residuals", 1, REMEMBERED)?;
        let points = self.inside.len() / self.terms.system.known.dimension;
        let width = points * self.terms.system.problem.unknowns.len();
        let values = match residuals {
            [] => checkpoint.rows("look_values", width, 0)?,
            some => checkpoint.vector("look_values", some.len() * width)?,
        };
        let values = values.chunks_exact(width).map(<[f64]>::to_vec);
        self.looks = residuals.iter().copied().zip(values).collect();
        if let Some(theta) = checkpoint.optional("best", self.terms.n_unknowns())? {
            let verdict = self.terms.judged(&self.judge, theta);
            self.best = Some((theta.to_vec(), verdict));
        }
        Ok(())
    }

    /// Ends the run with a state.
    pub(super) fn finish(mut self, theta: Vec<f64>, steps: u64) -> Result<Trained, SolveError> {
        let (verdict, values) = self.seen(&theta)?;
        self.remember(&theta, verdict.clone(), values.clone());
        let problem = &self.terms.system.problem;
        let unknowns = problem.n_own();
        let own = values.len() / problem.unknowns.len() * unknowns;
        let best = Sample {
            values: &values[..own],
            residual: verdict.residual,
            slow: verdict.slow,
        };
        let others = self
            .looks
            .iter()
            .filter(|l| l.1 != values)
            .map(|(residual, values)| Sample {
                values: &values[..own],
                residual: *residual,
                slow: f64::INFINITY,
            });
        let system = &self.terms.system;
        let sizes = system.sizes().unwrap_or_default();
        let estimate = error_estimate(
            best,
            others,
            Distance::both(1.0),
            unknowns,
            sizes,
            system.nonlinear(),
        );
        let recorded = self
            .record
            .best
            .is_finite()
            .then_some([self.record.best, self.record.best_average]);
        Ok(Trained {
            network: self.setting.network.clone(),
            first: self.first,
            evidence: Evidence::new(&verdict, estimate),
            points: self.setting.points,
            steps,
            best_error: recorded,
            outcome: self.outcome.unwrap_or(Outcome::BudgetSpent),
            events: notes(self.method.name(), self.decisions),
            problem: self.terms.system.problem.clone(),
            theta,
            verdict,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::next_look;

    /// From any step, as after a resume, the looks are those of an undisturbed run.
    #[test]
    fn looks_follow_from_the_step_alone() {
        let looks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 1000, 1500];
        for step in 0..1500 {
            assert_eq!(Some(next_look(step)), looks.into_iter().find(|l| *l > step));
        }
    }
}
