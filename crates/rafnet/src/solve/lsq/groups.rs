//! Functions of few coordinates: in many dimensions most solutions are sums of them.
//!
//! ```text
//! u(x) ≈ Σ_S u_S(x_S),  |S| = 1, 2 or 3       |S|-dimensional waves for every set S of coordinates, more of them where
//! q_ij = √(mean of (u_i(x) − u_i(x′))²)       x′: x with another value of coordinate j; zero where u is a sum in which i and j are apart
//! ```
//!
//! (Analysis of variance: I. M. Sobol', "Sensitivity estimates for nonlinear mathematical models", 1993.) Layers begin with equal shares; a
//! first solution then says which coordinates act together.

use super::attempt::{Attempt, Candidate, Way};
use super::recipe::Family;
use super::search::Search;
use super::tuning::{
    COARSE, GROUP_ROUNDS, GROUP_SCALES, HELPED, LEAST_SET, MANY_INPUTS, MOST_SETS, SLOPE_POINTS,
};
use crate::domain::DomainError;
use crate::expr::{largest, smaller};
use crate::frozen::State;
use crate::halt::Halt;
use crate::posed::Purpose;
use std::sync::Arc;

/// The golden section: its multiples fill an interval evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Sets of inputs with the shares of functions that read them.
#[derive(Debug, PartialEq)]
pub(super) struct Groups {
    sets: Vec<Vec<usize>>,
    /// The sum of the shares up to each set.
    ends: Vec<f64>,
}

impl Groups {
    /// Every set of `size` of the inputs, with its share; none if there are too many.
    pub(super) fn new(
        inputs: usize,
        size: usize,
        share: impl Fn(&[usize]) -> f64,
    ) -> Option<Arc<Self>> {
        let sets = sets(inputs, size);
        if size >= inputs || sets.len() > MOST_SETS {
            return None;
        }
        let shares: Vec<f64> = sets.iter().map(|set| share(set)).collect();
        let total: f64 = shares.iter().sum();
        let mut sum = 0.0;
        let end = |share: &f64| {
            sum += share / total;
            sum
        };
        let ends = shares.iter().map(end).collect();
        Some(Arc::new(Self { sets, ends }))
    }

    /// How many inputs a function reads.
    pub(super) fn size(&self) -> usize {
        self.sets.first().map_or(0, Vec::len)
    }

    /// How many sets there are.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The inputs that function `j` reads.
    pub(super) fn of(&self, j: usize) -> &[usize] {
        let at = ((j as f64 + 0.5) * GOLDEN).fract();
        let set = self.ends.partition_point(|end| *end < at);
        &self.sets[set.min(self.sets.len() - 1)]
    }
}

/// Every set of `size` numbers below `n`, ascending.
fn sets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| -> Vec<Vec<usize>> {
            let from = set.last().map_or(0, |last| last + 1);
            (from..n).map(|k| [&set[..], &[k]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
        all.truncate(MOST_SETS + 1);
    }
    all
}

impl Way {
    /// How much coordinates i and j act together: `[i][j]`, the largest 1.
    fn interactions(&self, state: &State, halt: &Halt) -> Result<Vec<Vec<f64>>, DomainError> {
        let d = self.system.known.dimension;
        let draw = self.system.draw(self.seed).round(Purpose::Groups.round());
        let points = self.system.problem.domain.interior(SLOPE_POINTS, &draw)?;
        let here = self.slopes(state, &points, halt);
        let mut together = vec![vec![0.0f64; d]; d];
        for j in 0..d {
            let mut moved = points.clone();
            for i in 0..SLOPE_POINTS {
                moved[i * d + j] = points[(i + 1) % SLOPE_POINTS * d + j];
            }
            let there = self.slopes(state, &moved, halt);
            for (at, (a, b)) in here.iter().zip(&there).enumerate() {
                let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
                let sum: f64 = a.iter().zip(b).map(square).sum();
                let k = at % d;
                together[k][j] = together[k][j].max(sum.sqrt());
                together[j][k] = together[j][k].max(sum.sqrt());
            }
        }
        let apart = |i: usize| together[i].iter().enumerate().filter(move |(j, _)| *j != i);
        let largest = largest((0..d).flat_map(apart).map(|(_, q)| *q));
        if largest > 0.0 && largest.is_finite() {
            together.iter_mut().flatten().for_each(|q| *q /= largest);
        }
        Ok(together)
    }
}

impl Search<'_> {
    /// More functions for the coordinates that act together, while that helps.
    pub(super) fn regroup(&mut self) -> Result<(), DomainError> {
        for _ in 0..GROUP_ROUNDS {
            let before = self.residual();
            let candidates = self.regrouped()?;
            if candidates.is_empty() || self.over() {
                break;
            }
            self.round(&candidates)?;
            self.say("by interactions");
            if self.residual() > HELPED * before {
                break;
            }
        }
        Ok(())
    }

    /// How many functions the best layer has.
    fn width(&self) -> Option<usize> {
        self.best().map(|b| b.candidate.n)
    }

    fn regrouped(&self) -> Result<Vec<Candidate>, DomainError> {
        // functions of one coordinate each know nothing of what acts together
        let knows = |a: &&Attempt| {
            a.candidate
                .recipe
                .groups
                .as_ref()
                .is_none_or(|g| g.size() > 1)
        };
        let Some((best, n)) = self.attempts.iter().find(knows).zip(self.width()) else {
            return Ok(Vec::new());
        };
        let way = &self.ways[best.candidate.way];
        let plain = way.inputs.ranges.len() - way.inputs.corners;
        let d = way.system.known.dimension;
        if plain < MANY_INPUTS || best.candidate.recipe.frame.is_some() {
            return Ok(Vec::new());
        }
        let together = way.interactions(&best.state, self.halt)?;
        // of a set the weakest pair; what is no coordinate may act together with anything
        let share = |set: &[usize]| {
            let pairs = set.iter().flat_map(|i| set.iter().map(move |j| (*i, *j)));
            let pairs = pairs.filter(|(i, j)| i < j && *j < d);
            let least = pairs.map(|(i, j)| together[i][j]).fold(1.0, smaller);
            least.max(LEAST_SET)
        };
        let mut candidates = Vec::new();
        for size in [2, 3] {
            let Some(groups) = Groups::new(plain, size, share) else {
                continue;
            };
            for scale in &GROUP_SCALES[if self.residual() > COARSE { 0 } else { 2 }..] {
                let mut candidate = best.candidate.clone();
                candidate.n = n;
                let recipe = &mut candidate.recipe;
                let fewer = recipe.groups.as_ref().map_or(d, |g| g.size());
                let factor = scale * (fewer as f64 / size as f64).sqrt();
                recipe.scales[..plain].iter_mut().for_each(|s| *s *= factor);
                (recipe.family, recipe.focus) = (Family::Sine, 0.0);
                recipe.groups = Some(Arc::clone(&groups));
                candidates.push(candidate);
            }
        }
        Ok(candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::{Groups, sets};

    #[test]
    fn every_set_once() {
        assert_eq!(sets(4, 2).len(), 6);
        assert_eq!(sets(5, 3).len(), 10);
        assert_eq!(sets(3, 2), [[0, 1], [0, 2], [1, 2]]);
    }

    /// Functions are shared out as the shares say, to within the few by which multiples of the golden section are uneven.
    #[test]
    fn shares_are_kept() {
        let share = |set: &[usize]| if set == [0, 1] { 3.0 } else { 1.0 };
        let groups = Groups::new(4, 2, share).expect("few sets");
        let n = 800;
        for (k, set) in sets(4, 2).iter().enumerate() {
            let count = (0..n).filter(|j| groups.of(*j) == set).count();
            let expected = if k == 0 { 300 } else { 100 };
            assert!(count.abs_diff(expected) <= 4, "{set:?}: {count}");
        }
    }

    #[test]
    fn too_many_sets_are_none() {
        assert!(Groups::new(100, 2, |_| 1.0).is_none());
        assert!(Groups::new(2, 2, |_| 1.0).is_none());
    }
}
