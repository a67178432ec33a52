//! What Newton's method starts from.

use super::Search;
use super::chosen::longer;
use crate::domain::DomainError;
use crate::engine::ridges::Layer;
use crate::frozen::jets_of;
use crate::halt::Halt;
use crate::posed::Block;
use crate::solve::eigen::form::Unknown;
use crate::solve::eigen::layer::{Recipe, is_closed};
use crate::solve::eigen::newton::State;

impl Search<'_> {
    /// The best solution so far over a longer list of waves, the linear part's eigenfunction, or a constant.
    pub(super) fn start(
        &self,
        recipe: &Recipe,
        layer: &Layer,
        blocks: &[Block],
        halt: &Halt,
    ) -> Result<Option<State>, DomainError> {
        if !recipe.chosen.is_empty() {
            return Ok(self.found.first().map(|best| longer(best, layer)));
        }
        if let Some(linear) = &self.linear {
            let found = linear.attempt(0, recipe, (1, self.eigen.start), None, halt)?;
            if let Some(pair) = found.and_then(|mut found| found.pairs.drain(..).next()) {
                let mean = self.norm.mean(self.unknown, layer, &pair.coefficients);
                let factor = (self.eigen.mean_square / mean).sqrt();
                let coefficients = pair.coefficients.iter().map(|c| c * factor).collect();
                return Ok(Some(State {
                    coefficients,
                    lambda: pair.lambda,
                    merit: f64::INFINITY,
                }));
            }
            let problem = &self.system.problem;
            if !is_closed(problem) || problem.unknowns.len() > 1 {
                return Ok(None);
            }
        }
        // a constant, and λ the mean of the operator there; the first wave of a torus is one
        let mut coefficients = vec![0.0; layer.len()];
        let mut size = 1.0;
        if self.unknown == Unknown::Itself {
            size = self.eigen.mean_square.sqrt();
            coefficients[0] = size;
        }
        let residual = &self.system.residuals[0];
        let jets = jets_of(layer, &coefficients, residual, &blocks[0]);
        let of_one = residual
            .respond(&blocks[0], &jets, &[0.0, 1.0])
            .swap_remove(0);
        let mean = of_one.iter().sum::<f64>() / (of_one.len().max(1) as f64 * size);
        Ok(Some(State {
            coefficients,
            lambda: self.eigen.start.unwrap_or(mean),
            merit: f64::INFINITY,
        }))
    }
}
