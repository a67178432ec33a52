//! `auto`: `lsq` first; where one frozen layer stalls, `pieces`; where these stall too, a small network is trained by `lm` and grown while that
//! helps.

use super::event::{Event, Tried};
use super::lsq::STALLED;
use super::trained::{self, Start, Trained};
use super::{Method, Options, POOR, SolveError, Solved};
use super::{lsq, pieces};
use crate::activation::Set;
use crate::problem::Problem;
use crate::run::{Checkpoint, CheckpointError, Outcome, Watch};
use std::time::Instant;

/// Above this error estimate a small residual says little: the problem grows errors, and pieces are worth a try where they are fast.
const FAR: f64 = 1e-5;
/// Below this error estimate an answer in pieces is the end whatever its residual, and nothing is trained.
const GOOD: f64 = 1e-4;
/// Estimates of answers that stalled are rough: pieces with this share of a trained network's residual are taken whatever these say.
const CLEARLY: f64 = 0.1;
/// Neurons of a layer, one training after the other, and layers.
const WIDTHS: [usize; 3] = [20, 30, 44];
const DEPTH: usize = 3;
/// A training, or further work, that lowers the residual by less than this factor was the last.
const HELPED: f64 = 0.5;

/// What is tried while the error estimate is poor and there is time: a layer that is not left to others, and pieces with more work and finer
/// first cuts; the last of them only where one before helped.
#[derive(Clone, Copy)]
enum Further {
    Lsq,
    Pieces { patience: usize },
}
/// How many times the usual work that is at first.
const FIRST: usize = 4;
const FURTHER: [Further; 3] = [
    Further::Pieces { patience: FIRST },
    Further::Lsq,
    Further::Pieces { patience: 16 },
];

/// The widths that are trained, one after the other: more where there are more inputs than the narrowest has neurons.
fn widths(problem: &Problem, options: &Options) -> Vec<usize> {
    let inputs = problem.coordinates.len() + problem.features.len();
    let wide_enough = |w: usize| (w * inputs.max(WIDTHS[0])).div_ceil(WIDTHS[0]);
    let usual = WIDTHS.map(wide_enough).to_vec();
    options.width.map_or(usual, |w| vec![w])
}

/// The options of a training.
fn stage(options: &Options, width: usize) -> Options {
    let activation = match options.activation.len() {
        0 => vec![Set::Tanh],
        _ => options.activation.clone(),
    };
    Options {
        method: Method::Lm,
        activation,
        width: Some(width),
        depth: options.depth.or(Some(DEPTH)),
        ..options.clone()
    }
}

/// What `auto` did after frozen features had stalled, and what that left over.
fn after(frozen: &lsq::Solution, next: &'static str, found: Option<f64>) -> Event {
    let (residual, estimate) = frozen.said();
    let tried = Tried::Next {
        residual,
        estimate,
        next,
        found,
    };
    Event::new("auto", tried)
}

/// The same options for the time that is left.
fn limited(options: &Options, started: Instant) -> Options {
    let left = options.time_limit - started.elapsed().as_secs_f64();
    Options {
        time_limit: left.max(0.0),
        ..options.clone()
    }
}

impl Problem {
    /// Whether `auto` trains a network where frozen features stall: not for noisy observations, whose standard errors only `lsq` has.
    pub(super) fn is_trainable(&self) -> bool {
        self.data.iter().all(|o| o.sigma.is_none())
    }

    /// One method after the other; while the estimate is poor and there is time, those that were left early go on with more work.
    pub(super) fn by_itself(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        let mut best = self.in_turn(options, checkpoint, started, watch)?;
        let mut helped = false;
        for further in FURTHER {
            let limited = limited(options, started);
            let done = best.error_estimate <= POOR || best.remark.is_some();
            let idle =
                matches!(further, Further::Pieces { patience } if patience > FIRST) && !helped;
            if done || idle || best.outcome != Outcome::Converged || limited.time_limit <= 0.0 {
                break;
            }
            let other = match self.further(further, &limited, watch) {
                Ok(Some(other)) => other,
                Err(SolveError::Stopped { .. }) => {
                    best.outcome = Outcome::Stopped;
                    break;
                }
                Ok(None) | Err(SolveError::Diverged { .. } | SolveError::NoTime { .. }) => continue,
                Err(error) => return Err(error),
            };
            let mut events = std::mem::take(&mut best.events);
            let (method, residual) = (other.method, other.residual);
            events.push(Event::new("auto", Tried::More { method, residual }));
            events.extend(other.events.iter().cloned());
            helped |= other.residual < HELPED * best.residual;
            let ended = other.outcome;
            if other.residual < best.residual && other.error_estimate <= best.error_estimate {
                best = other;
            } else if matches!(ended, Outcome::Stopped | Outcome::BudgetSpent) {
                best.outcome = ended; // what else is said of another answer is not said of this one
            }
            best.events = events;
        }
        Ok(best)
    }

    /// A method with more work than it had in its turn; `None` where it has no use for more.
    fn further(
        &self,
        further: Further,
        options: &Options,
        watch: &mut dyn Watch,
    ) -> Result<Option<Solved>, SolveError> {
        match further {
            Further::Lsq => {
                let options = Options {
                    method: Method::Lsq,
                    width: None,
                    ..options.clone()
                };
                let solution = self.by_lsq(&options, watch)?;
                Ok(Some(solution.solved(self, &options)?))
            }
            Further::Pieces { .. } if pieces::obstacle(self).is_some() => Ok(None),
            Further::Pieces { patience } => {
                let solution = self.by_pieces(options, patience, watch)?;
                Ok(Some(solution.solved(self, options, "lsq, then pieces")?))
            }
        }
    }

    /// `lsq`, then `pieces`, then `lm`, each where the ones before stalled, and the best of them.
    fn in_turn(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Solved, SolveError> {
        if let Some(checkpoint) = checkpoint {
            // refused now and not after the search
            self.begun(options, checkpoint)?;
        }
        let frozen = match self.by_lsq(options, watch) {
            // not one layer in its share of the time, or none with finite numbers
            Err(SolveError::NoTime { .. } | SolveError::Diverged { .. }) if pieces::suits(self) => {
                let solution = self.by_pieces(&limited(options, started), 1, watch);
                let solution = solution.map_err(|error| match error {
                    // the limit of all of it, not what of it was left
                    SolveError::NoTime { problem, .. } => SolveError::NoTime {
                        problem,
                        limit: options.time_limit,
                    },
                    error => error,
                })?;
                return solution.solved(self, options, "pieces");
            }
            found => found?,
        };
        let ended = match frozen.outcome {
            Outcome::Converged => true,
            Outcome::BudgetSpent => limited(options, started).time_limit > 0.0,
            _ => false,
        };
        let ended = ended && frozen.open.is_none();
        let stalled = ended && frozen.verdict.residual > STALLED;
        let suits = ended && pieces::suits(self);
        let far = suits && frozen.said().1 > FAR;
        let on_a_line = suits && self.coordinates.len() == 1;
        if !stalled && !far && !on_a_line {
            return frozen.solved(self, options);
        }
        let mut frozen = frozen;
        let cut = self.in_pieces(&mut frozen, options, started, watch)?;
        let (residual, estimate) = frozen.said();
        let is_better = |c: &Solved| c.residual < residual && c.error_estimate < estimate;
        let better = cut.as_ref().filter(|c| is_better(c));
        let good = |c: &Solved| c.error_estimate < GOOD || c.residual <= STALLED;
        let end = |c: &Solved| good(c) || c.outcome != Outcome::Converged;
        let ended = better.is_some_and(end) || frozen.outcome == Outcome::Stopped;
        if ended || !stalled || estimate < GOOD || !self.is_trainable() {
            return match cut.filter(is_better) {
                Some(cut) => Ok(cut),
                None => frozen.solved(self, options),
            };
        }
        let trained = self.grown(options, checkpoint, started, watch)?;
        let residuals = [residual, trained.verdict.residual];
        let mut events = frozen.events.clone();
        events.push(after(&frozen, "lm", Some(residuals[1])));
        events.extend(trained.events.iter().cloned());
        let outcome = trained.outcome;
        let frozen = frozen.solved(self, options)?;
        let trained = trained.solved(self, options, "lsq, then lm")?;
        let (mut solved, other) = if residuals[1] < residuals[0] {
            (trained, frozen)
        } else {
            (frozen, trained)
        };
        solved.compare(&other, self, options)?;
        (solved.events, solved.outcome) = (events, outcome);
        let Some(mut cut) = cut else {
            return Ok(solved);
        };
        let taken = is_better(&cut)
            && (cut.error_estimate < solved.error_estimate
                || cut.residual < CLEARLY * solved.residual);
        if taken {
            cut.compare(&solved, self, options)?;
            cut.events = solved.events;
            return Ok(cut);
        }
        solved.compare(&cut, self, options)?;
        Ok(solved)
    }

    /// Where one frozen layer stalled, many small ones; `None` where these found nothing, which is noted in the layer's events.
    fn in_pieces(
        &self,
        frozen: &mut lsq::Solution,
        options: &Options,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Option<Solved>, SolveError> {
        if pieces::obstacle(self).is_some() {
            return Ok(None);
        }
        let limited = limited(options, started);
        let found = frozen.in_pieces.take();
        let solution = match found.map_or_else(|| self.by_pieces(&limited, 1, watch), Ok) {
            Ok(solution) => solution,
            Err(SolveError::Stopped { .. }) => {
                frozen.outcome = Outcome::Stopped;
                return Ok(None);
            }
            Err(SolveError::Diverged { .. } | SolveError::NoTime { .. }) => {
                frozen.events.push(after(frozen, "pieces", None));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let residual = Some(solution.verdict.residual);
        frozen.events.push(after(frozen, "pieces", residual));
        let mut solved = solution.solved(self, options, "lsq, then pieces")?;
        frozen.events.append(&mut solved.events);
        solved.events.clone_from(&frozen.events);
        solved.keep_others(frozen.models(options)?, self, options)?;
        Ok(Some(solved))
    }

    /// Trains a small network, then wider ones around it.
    fn grown(
        &self,
        options: &Options,
        checkpoint: Option<&Checkpoint>,
        started: Instant,
        watch: &mut dyn Watch,
    ) -> Result<Trained, SolveError> {
        // a checkpoint of a wider network holds what the narrower ones found
        let begun = checkpoint.map_or(Ok(0), |c| self.begun(options, c))?;
        let (mut best, mut events): (Option<Trained>, _) = (None, Vec::new());
        for (k, width) in widths(self, options).into_iter().enumerate().skip(begun) {
            let stage = stage(options, width);
            let mine = checkpoint.filter(|_| k == begun);
            let start = match &best {
                Some(narrower) => {
                    let network = narrower.network.clone();
                    Start::Grown(network, narrower.theta.clone(), narrower.steps)
                }
                None => Start::Fresh,
            };
            let trained = trained::solve(self, &stage, Method::Lm, start, mine, started, watch)?;
            let residual = trained.verdict.residual;
            events.push(Event::new("lm", Tried::Network { width, residual }));
            events.extend(trained.events.iter().cloned());
            let go_on = trained.outcome == Outcome::Converged
                && residual < HELPED * trained.first
                && trained.network.can_grow();
            best = Some(trained);
            if !go_on {
                break;
            }
        }
        let mut best = best.expect("there is a width to train");
        best.events = events;
        Ok(best)
    }

    /// Which of the widths a checkpoint is of.
    fn begun(&self, options: &Options, checkpoint: &Checkpoint) -> Result<usize, SolveError> {
        let vector = "theta";
        let saved = checkpoint.get(vector);
        let found = saved.ok_or(CheckpointError::Missing { vector })?.len();
        let mut lengths = Vec::new();
        for width in widths(self, options) {
            lengths.push(trained::n_unknowns(self, &stage(options, width))?);
        }
        let place = lengths.iter().position(|length| *length == found);
        place.ok_or_else(|| {
            let expected: Vec<String> = lengths.iter().map(usize::to_string).collect();
            let expected = expected.join(" or ");
            SolveError::Checkpoint(CheckpointError::Length {
                vector,
                found,
                expected,
            })
        })
    }
}

#[cfg(test)]
mod tests;
