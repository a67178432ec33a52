//! The points that layers are fitted to: drawn once for all layers of a size, and more of them where the residual is large.

use super::attempt::{Candidate, Way};
use super::tuning::NEAR_HOT;
use crate::activation::random;
use crate::domain::DomainError;
use crate::posed::Block;
use rand::RngExt;
use std::sync::Arc;

/// Which training points: for how many functions, which draw, of which points of interest (0: none), and whether for functions that solve the equations.
pub(super) type Drawn = (usize, u64, u64, bool);

/// Of functions that solve the equations only conditions decide: by so much more there are points on the boundary, and by so much fewer inside.
const MORE: usize = 3;
const FEWER: usize = 2;

impl Way {
    /// The training points for a candidate, drawn once.
    pub(super) fn blocks(&mut self, candidate: &Candidate) -> Result<Arc<Vec<Block>>, DomainError> {
        let focused = candidate.recipe.focus > 0.0;
        let (n, round) = (candidate.n, candidate.points);
        let solving = candidate.recipe.solving >= 1.0;
        let key = (n, round, if focused { self.heated } else { 0 }, solving);
        if let Some((_, known)) = self.blocks.iter().find(|b| b.0 == key) {
            return Ok(Arc::clone(known));
        }
        let problem = &self.system.problem;
        let (unknowns, equations) = (problem.unknowns.len(), problem.equations.len().max(1));
        let [more, fewer] = if solving { [MORE, FEWER] } else { [1; 2] };
        let inside = (2 * n * unknowns / equations / fewer).max(40);
        let edge = if self.system.known.dimension == 1 {
            2
        } else {
            (n * unknowns * more).max(40)
        };
        let draw = self.system.draw(self.seed).round(round);
        let more = if focused {
            self.nearby(inside)
        } else {
            Vec::new()
        };
        let drawn = Arc::new(self.system.blocks(inside, edge, &draw, &more)?);
        if self.blocks.len() > 3 {
            self.blocks.remove(0);
        }
        self.blocks.push((key, Arc::clone(&drawn)));
        Ok(drawn)
    }

    /// `n` points near the points of interest.
    fn nearby(&self, n: usize) -> Vec<f64> {
        let (d, hot) = (self.system.known.dimension, &self.inputs.hot.points);
        let mut random = random(self.seed ^ self.heated);
        let mut points = Vec::with_capacity(n * d);
        let count = hot.len() / d.max(1);
        for i in 0..if count > 0 { n } else { 0 } {
            let centre = &hot[(i * count / n) * d..][..d];
            let near = |k: usize, u: f64| {
                let [low, high] = self.inputs.ranges[k];
                (centre[k] + NEAR_HOT * (high - low) * (2.0 * u - 1.0)).clamp(low, high)
            };
            let x: Vec<f64> = (0..d).map(|k| near(k, random.random::<f64>())).collect();
            let inside = self.system.problem.domain.contains(&x);
            points.extend(if inside { &x[..] } else { centre });
        }
        points
    }

    /// How many points a layer of `n` functions was fitted to.
    pub(super) fn rows(&self, n: usize) -> usize {
        let drawn = self.blocks.iter().rev().find(|b| b.0.0 == n);
        drawn.map_or(0, |(_, blocks)| blocks.iter().map(|b| b.sites.n).sum())
    }
}
