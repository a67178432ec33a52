//! Waves chosen one by one, in many dimensions, where all waves up to a length are too many.
//!
//! ```text
//! next are the k with the largest |r̂(k)| / |k|²,     r̂(k) = mean r(x) e^(−ik·x) over a lattice, r the residual of the best solution
//! ```
//!
//! since a wave c e^(ik·x) that is added to w changes the residual by about |k|² c.

use super::{Ground, Search};
use crate::domain::{DomainError, Draw, Sampler};
use crate::engine::ridges::Layer;
use crate::frozen::jets_of;
use crate::halt::Halt;
use crate::posed::{Block, Purpose};
use crate::simd::{cosines, sines};
use crate::solve::Progress;
use crate::solve::eigen::layer::{base, longest, numbers};
use crate::solve::eigen::newton::State;
use crate::solve::eigen::tuning::{CANDIDATES, CHOSEN_HELPED, CHOSEN_POINTS, GROWTH, MOST_CHOSEN};
use std::collections::HashSet;
use std::ops::ControlFlow;

impl Search<'_> {
    /// Longer and longer lists of waves, while that helps.
    pub(super) fn choose(
        &mut self,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
        halt: &Halt,
    ) -> Result<(), DomainError> {
        let most = self.options.width.unwrap_or(MOST_CHOSEN);
        while !self.over() {
            let Some(best) = self.found.first() else {
                break;
            };
            let (before, mut recipe) = (best.residual, best.recipe.clone());
            // a wave is a sine and a cosine, and the first a constant
            let whole = recipe.n % 2 == 1;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of functions"
            )]
            let wanted = ((GROWTH * recipe.n as f64) as usize).min(most);
            if before <= self.options.goal() || wanted <= recipe.n || !whole {
                break;
            }
            recipe.chosen = self.ranked(best, wanted.div_ceil(2))?;
            recipe.n = 2 * recipe.chosen.len() - 1;
            self.attempt_with(recipe, progress, halt)?;
            if self.found[0].residual > CHOSEN_HELPED * before {
                break;
            }
        }
        Ok(())
    }

    /// The waves of the best solution, and those that its residual asks for, `count` in all.
    fn ranked(&self, best: &Ground, count: usize) -> Result<Vec<Vec<i32>>, DomainError> {
        let problem = &self.system.problem;
        let lattice = Draw::new(Sampler::Lattice, self.options.seed).round(Purpose::Suited.round());
        let points = problem.domain.interior(CHOSEN_POINTS, &lattice)?;
        let block = Block::new(0, self.system.known.sites(&points));
        let equation = &self.system.residuals[0];
        let jets = jets_of(&best.layer, &best.state.coefficients, equation, &block);
        let parameters = [best.state.lambda, 1.0];
        let residual = equation.respond(&block, &jets, &parameters).swap_remove(0);
        let mut chosen = numbers(problem, &best.recipe);
        chosen.truncate(best.recipe.n.div_ceil(2));
        let known: HashSet<&Vec<i32>> = chosen.iter().collect();
        let around = base(problem);
        let x = &block.sites.coordinates;
        let (mut phase, mut wave) = (vec![0.0; CHOSEN_POINTS], vec![0.0; CHOSEN_POINTS]);
        let mut asked: Vec<(f64, Vec<i32>)> = Vec::new();
        for numbers in longest(problem, CANDIDATES) {
            if known.contains(&numbers) {
                continue;
            }
            let k: Vec<f64> = numbers
                .iter()
                .zip(&around)
                .map(|(n, b)| f64::from(*n) * b)
                .collect();
            phase.fill(0.0);
            for (k, x) in k.iter().zip(x).filter(|(k, _)| **k != 0.0) {
                phase.iter_mut().zip(x).for_each(|(p, x)| *p += k * x);
            }
            let mut part = |map: fn(&[f64], &mut [f64])| -> f64 {
                map(&phase, &mut wave);
                wave.iter().zip(&residual).map(|(w, r)| w * r).sum()
            };
            let [c, s] = [part(cosines), part(sines)];
            let square: f64 = k.iter().map(|k| k * k).sum();
            asked.push((c.hypot(s) / square, numbers));
        }
        drop(known);
        // ties by the numbers themselves
        asked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let more = count.saturating_sub(chosen.len());
        chosen.extend(asked.into_iter().take(more).map(|(_, numbers)| numbers));
        Ok(chosen)
    }
}

/// A solution over a longer list of waves that begins with its own: new ones have no share yet.
pub(super) fn longer(best: &Ground, layer: &Layer) -> State {
    let mut state = best.state.clone();
    state.coefficients.resize(layer.len(), 0.0);
    state
}
