//! Other solutions of a nonlinear problem.
//!
//! Solutions that meet everything and differ are different ones where each can be found again with other functions and other points. Where
//! it cannot, what is given leaves something open, and whatever is found is one of infinitely many.

use super::attempt::Attempt;
use super::search::Search;
use super::tuning::{AGAIN, DIFFERENT, SAME};
use crate::expr::largest;
use crate::posed::Distance;

/// How far two attempts are apart, over the size of the first: the most of all unknowns.
fn apart(one: &Attempt, other: &Attempt, unknowns: usize) -> f64 {
    let n = one.values.len() / unknowns.max(1);
    let pairs = one.values.chunks(n).zip(other.values.chunks(n));
    let each = pairs.map(|(x, y)| Distance::between(x, y).l2);
    largest(each)
}

impl Search<'_> {
    /// Whether an attempt is a solution that differs from the first one and from the others that are known.
    fn is_new(&self, found: &Attempt, first: &Attempt) -> bool {
        let unknowns = self.ways[0].system.problem.unknowns.len();
        let differs = |known: &Attempt| apart(known, found, unknowns) > DIFFERENT;
        found.verdict.residual < SAME && differs(first) && self.others.iter().all(differs)
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
