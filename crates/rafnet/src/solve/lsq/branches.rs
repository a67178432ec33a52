//! Other solutions of a nonlinear problem.
//!
//! Solutions that meet everything and differ are different ones where each can be found again with other functions and other points. Where
//! it cannot, what is given leaves something open, and whatever is found is one of infinitely many.

use super::attempt::{Attempt, Candidate};
use super::newton::State;
use super::search::Search;
use super::start::Start;
use super::tuning::{AGAIN, BRANCH_SIZES, DIFFERENT, SAME};
use crate::domain::DomainError;
use crate::expr::largest;
use crate::posed::{Distance, rms};

/// How far two attempts are apart, over the size of the first: the most of all unknowns.
fn apart(one: &Attempt, other: &Attempt, unknowns: usize) -> f64 {
    let n = one.values.len() / unknowns.max(1);
    let pairs = one.values.chunks(n).zip(other.values.chunks(n));
    let each = pairs.map(|(x, y)| Distance::between(x, y).l2);
    largest(each)
}

/// So many times a solution: others are often like it and larger.
fn multiple(of: &Attempt, factor: f64) -> Start {
    let mut state = of.state.clone();
    state.coefficients.iter_mut().for_each(|c| *c *= factor);
    Start { state, until: None }
}

impl Search<'_> {
    /// Newton's method from other starts once a solution is known, on a line, where that takes next to nothing. What is known stays as it is.
    pub(super) fn other_solutions(&mut self) -> Result<(), DomainError> {
        let system = &self.ways[0].system;
        let on_a_line = system.known.dimension == 1 && system.problem.time.is_none();
        let over = self.stopped || self.expired;
        let solved = self.residual() < SAME;
        if over || !solved || !on_a_line || !system.nonlinear() {
            return Ok(());
        }
        let expired = self.expired;
        let known = std::mem::take(&mut self.attempts);
        let candidate = known[0].candidate.clone();
        let turns = BRANCH_SIZES.iter().flat_map(|size| [*size, -size]);
        for (number, factor) in turns.enumerate() {
            let starts = (0..self.ways.len()).map(|way| {
                let start = self.elsewhere(way, number / 2, factor.abs())?;
                Ok(self.as_large(way, start, &known[0], factor))
            });
            let drawn: Vec<Start> = starts.collect::<Result<_, DomainError>>()?;
            let multiples = vec![multiple(&known[0], factor); self.ways.len()];
            for starts in [multiples, drawn] {
                self.starts = starts.into_iter().map(Some).collect();
                self.round(std::slice::from_ref(&candidate))?;
                let found = std::mem::take(&mut self.attempts);
                if let Some(found) = found.into_iter().next()
                    && self.is_new(&found, &known[0])
                {
                    self.confirm(found, &candidate)?;
                }
            }
        }
        self.starts.clear();
        self.attempts = known;
        // the search itself was done
        self.expired = expired;
        Ok(())
    }

    /// A start that is so many times as large as a solution, at least as it was drawn.
    fn as_large(&self, way: usize, mut start: Start, than: &Attempt, factor: f64) -> Start {
        let way = &self.ways[way];
        let nothing = State {
            coefficients: vec![0.0; start.state.coefficients.len()],
            ..start.state.clone()
        };
        let [drawn, lift] = [&start.state, &nothing].map(|state| way.values(state));
        let unknowns = way.system.problem.unknowns.len();
        let (n, functions) = (drawn.len() / unknowns, start.state.layer.len());
        let coefficients = start.state.coefficients.chunks_mut(functions);
        for (u, coefficients) in coefficients.enumerate() {
            let mine = u * n..(u + 1) * n;
            let off = drawn[mine.clone()].iter().zip(&lift[mine.clone()]);
            let off: Vec<f64> = off.map(|(d, l)| d - l).collect();
            let wanted = factor.abs() * rms(&than.values[mine]);
            let larger = (wanted / rms(&off)).max(1.0) * factor.signum();
            let larger = if larger.is_finite() { larger } else { 1.0 };
            coefficients.iter_mut().for_each(|c| *c *= larger);
        }
        start
    }

    /// Whether an attempt is a solution that differs from the first one and from the others that are known.
    fn is_new(&self, found: &Attempt, first: &Attempt) -> bool {
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let differs = |known: &Attempt| apart(known, found, unknowns) > DIFFERENT;
        found.verdict.residual < SAME && differs(first) && self.others.iter().all(differs)
    }

    /// Keeps a solution that is found again from itself with other functions at other points.
    fn confirm(&mut self, found: Attempt, candidate: &Candidate) -> Result<(), DomainError> {
        let mut fresh = candidate.clone();
        fresh.recipe.seed = fresh.recipe.seed.wrapping_add(77);
        fresh.points = 11;
        self.attempts = vec![found.clone()];
        self.round(&[fresh])?;
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let again = std::mem::take(&mut self.attempts);
        let again = again.iter().filter(|a| a.candidate.points == 11);
        let mut again = again.filter(|a| a.verdict.residual < SAME);
        if again.any(|a| apart(&found, a, unknowns) < AGAIN) {
            self.others.push(found);
        }
        Ok(())
    }

    /// Takes solutions that differ from the best one out of the attempts: they say nothing of its error. Not where the best one was not
    /// found again.
    pub(super) fn set_others_apart(&mut self) {
        let system = &self.ways[0].system;
        let unknowns = system.problem.unknowns.len();
        let Some((best, rest)) = self.attempts.split_first() else {
            return;
        };
        let is_met = |a: &Attempt| a.verdict.residual < SAME;
        let mut met = rest.iter().filter(|a| is_met(a));
        let again = met.any(|a| apart(best, a, unknowns) < AGAIN);
        if !again || !is_met(best) || !system.nonlinear() {
            return;
        }
        let others = rest
            .iter()
            .filter(|a| is_met(a) && apart(best, a, unknowns) > DIFFERENT);
        let others: Vec<Attempt> = others.cloned().collect();
        let best = best.clone();
        self.attempts
            .retain(|a| !is_met(a) || apart(&best, a, unknowns) <= DIFFERENT);
        for other in others {
            if self.is_new(&other, &best) {
                self.others.push(other);
            }
        }
    }
}
