//! Other solutions of a nonlinear problem.
//!
//! Solutions that meet everything and differ are different ones where each can be found again with other functions and other points. Where
//! it cannot, what is given leaves something open, and whatever is found is one of infinitely many.
//!
//! Starts of the search may end in different ones. Once it is over a few further steps look for those [beside](super::deflated) what is
//! known, in a small layer; where one is in sight, larger layers are fitted to it.

use super::attempt::{Attempt, Candidate, round};
use super::recipe::Recipe;
use super::search::Search;
use super::tuning::{
    AGAIN, BESIDE, BESIDE_SHARE, BESIDE_WORK, DOUBTFUL, FIT_STEPS, MOST_OTHERS, ROWS_WORK, SAME,
    WALK_STEPS,
};
use crate::domain::DomainError;
use crate::frozen::Start;
use crate::posed::{Distance, EXAMINING, LOST};
use crate::problem::Problem;
use crate::solve::solved::DIFFERENT;

/// How far two attempts are apart in one unknown, over its size in the first; `sizes` are what the data imply of each.
pub(super) fn apart_in(u: usize, one: &Attempt, other: &Attempt, sizes: &[f64]) -> Distance {
    let n = one.values.len() / sizes.len();
    let mine = u * n..(u + 1) * n;
    Distance::apart(&one.values[mine.clone()], &other.values[mine], sizes[u])
}

/// The same, the most of all unknowns.
pub(super) fn apart(one: &Attempt, other: &Attempt, sizes: &[f64]) -> Distance {
    let each = (0..sizes.len()).map(|u| apart_in(u, one, other, sizes));
    each.fold(Distance::default(), Distance::max)
}

/// Whether an attempt meets what is given.
fn is_met(attempt: &Attempt) -> bool {
    attempt.verdict.residual < SAME
}

/// Whether an attempt meets what is given and is another solution than a given one.
pub(super) fn is_another(one: &Attempt, than: &Attempt, sizes: &[f64]) -> bool {
    is_met(one) && apart(than, one, sizes).l2 > DIFFERENT
}

/// Whether one of several attempts with a residual below a limit is the same solution as a given one.
fn is_found_again(one: &Attempt, others: &[Attempt], limit: f64, sizes: &[f64]) -> bool {
    let mut met = others.iter().filter(|a| a.verdict.residual < limit);
    met.any(|a| apart(one, a, sizes).l2 < AGAIN)
}

/// Whether a problem may have several solutions, each alone: not what follows from a beginning, and not where observations decide.
fn may_have_several(problem: &Problem) -> bool {
    let fixed = problem.sought.is_empty() && problem.data.is_empty();
    fixed && problem.time.is_none()
}

impl Search<'_> {
    /// How large the data imply each unknown to be; zero where they say nothing.
    pub(super) fn sizes(&self) -> Vec<f64> {
        let system = &self.ways[0].system;
        let nothing = || vec![0.0; system.problem.unknowns.len()];
        system.sizes().map_or_else(|_| nothing(), <[f64]>::to_vec)
    }

    /// Looks for further solutions beside the best attempt, where that was found again; what is known stays as it is.
    pub(super) fn other_solutions(&mut self, problem: &Problem) -> Result<(), DomainError> {
        let sizes = self.sizes();
        let Some((best, rest)) = self.attempts.split_first() else {
            return Ok(());
        };
        let sure = is_met(best) && is_found_again(best, rest, SAME, &sizes);
        let one = !self.ways[0].system.nonlinear() || !may_have_several(problem);
        if !sure || one || self.stopped || self.expired {
            return Ok(());
        }
        let best = best.clone();
        let drawn = self.elsewhere(best.candidate.way, 0, 1.0)?;
        for start in [None, Some(drawn)] {
            while self.others.len() < MOST_OTHERS {
                let Some(seen) = self.in_sight(&best, start.as_ref())? else {
                    break;
                };
                let Some(found) = self.fitted(seen)? else {
                    break;
                };
                if !self.is_new(&found, &best) {
                    break;
                }
                self.others.push(found);
            }
        }
        Ok(())
    }

    /// A layer of sines for another solution: as many as can be factored so many times, at most a number of them.
    fn affordable(&self, way: usize, steps: usize, most: usize) -> Candidate {
        let work = (BESIDE_SHARE * self.work).max(BESIDE_WORK);
        let columns = (work / (ROWS_WORK * steps as f64)).cbrt();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let columns = columns as usize;
        let unknowns = self.ways[0].system.problem.unknowns.len();
        Candidate {
            way,
            n: (columns / unknowns.max(1)).clamp(1, most),
            recipe: Recipe::sines(self.data_scales(way), self.options.seed),
            points: 1,
            start: 0,
        }
    }

    /// Where a walk beside the solutions that are known ends, if that may be near another one.
    fn in_sight(
        &mut self,
        best: &Attempt,
        start: Option<&Start>,
    ) -> Result<Option<Attempt>, DomainError> {
        let of_search = |a: &Attempt| self.ways[a.candidate.way].values(&a.state, self.halt);
        let all = std::iter::once(best).chain(&self.others);
        let known: Vec<Vec<f64>> = all.map(of_search).collect();
        let way = best.candidate.way;
        let candidate = self.affordable(way, WALK_STEPS, self.few_functions());
        let blocks = self.ways[way].blocks(&candidate)?;
        let seen = self.ways[way].beside(candidate, &blocks, start, &known, self.halt);
        Ok(seen.filter(|a| a.verdict.residual < LOST))
    }

    /// The solution near an attempt, in the best of several layers; `None` where these do not agree on one.
    fn fitted(&mut self, seen: Attempt) -> Result<Option<Attempt>, DomainError> {
        let way = seen.candidate.way;
        let mut candidates = vec![self.affordable(way, FIT_STEPS, self.most()); BESIDE.len()];
        for (k, (family, scale, steepness)) in BESIDE.into_iter().enumerate() {
            let Candidate { recipe, points, .. } = &mut candidates[k];
            (recipe.family, recipe.steepness) = (family, steepness);
            recipe.scales.iter_mut().for_each(|s| *s *= scale);
            // other points, too: what agrees then is no accident of these
            *points = 20 + k as u64;
        }
        let start = Start {
            state: seen.state,
            until: None,
        };
        let starts: Vec<Option<&Start>> = vec![Some(&start); self.ways.len()];
        let (threads, halt) = (self.options.threads(), self.halt);
        let done = round(&mut self.ways, &candidates, &starts, threads, true, |_| {
            halt.why()
        })?;
        let done: Vec<Attempt> = done.into_iter().flatten().collect();
        let mut examined = self.ways[way].examine(&done, EXAMINING, self.crew())?;
        examined.sort_by(|a, b| a.verdict.residual.total_cmp(&b.verdict.residual));
        let sizes = self.sizes();
        if halt.is_raised() || examined.is_empty() {
            return Ok(None);
        }
        let found = examined.remove(0);
        let sure = is_met(&found) && is_found_again(&found, &examined, DOUBTFUL, &sizes);
        Ok(Some(found).filter(|_| sure))
    }

    /// Whether an attempt is a solution that differs from the first one and from the others that are known.
    fn is_new(&self, found: &Attempt, first: &Attempt) -> bool {
        let sizes = self.sizes();
        let differs = |known: &Attempt| is_another(found, known, &sizes);
        differs(first) && self.others.iter().all(differs)
    }

    /// Which of the attempts behind the best one are other solutions: they say nothing of its error. None where the best one was not found again.
    pub(super) fn are_others(&self) -> Vec<bool> {
        let system = &self.ways[0].system;
        let sizes = self.sizes();
        let Some((best, rest)) = self.attempts.split_first() else {
            return Vec::new();
        };
        let again = is_found_again(best, rest, SAME, &sizes);
        let sure = again && is_met(best) && system.nonlinear();
        let other = |a| sure && is_another(a, best, &sizes);
        rest.iter().map(other).collect()
    }

    /// Takes other solutions out of the attempts.
    pub(super) fn set_others_apart(&mut self) {
        let mut others = self.are_others().into_iter();
        let Some(best) = self.best().cloned() else {
            return;
        };
        let mut all = std::mem::take(&mut self.attempts).into_iter();
        self.attempts.extend(all.next());
        for attempt in all {
            if others.next() != Some(true) {
                self.attempts.push(attempt);
            } else if self.is_new(&attempt, &best) {
                self.others.push(attempt);
            }
        }
    }
}
