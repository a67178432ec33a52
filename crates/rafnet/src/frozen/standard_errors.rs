//! How well sought parameters are known.

use super::balance::unit_of_noise;
use crate::optimise::LeastSquares;
use crate::posed::{Block, JetColumns, Kind, System};
use crate::problem::Sought;

impl System {
    /// Standard errors of the sought parameters, from the noise of the observations or, where that is not known or larger, their misfit.
    pub(super) fn standard_errors(
        &self,
        factored: &LeastSquares,
        blocks: &[Block],
        jets: &[JetColumns],
        sought: &[f64],
        scales: &[f64],
    ) -> Vec<f64> {
        if sought.is_empty() {
            return Vec::new();
        }
        let squares = self.squares(blocks, jets, sought, scales);
        let known = unit_of_noise(blocks, scales);
        let seen = |b: &Block| match known {
            Some(_) => b.noise.is_some(),
            None => self.residuals[b.residual].kind == Kind::Data,
        };
        let observations = blocks.iter().zip(&squares).filter(|(b, _)| seen(b));
        let (sum, count) = observations.fold((0.0, 0), |(sum, count), (b, square)| {
            (sum + square, count + b.sites.n)
        });
        let free = count.saturating_sub(sought.len()).max(1);
        let misfit = (sum / free as f64).sqrt();
        // a misfit larger than the noise doubts the equations or the noise, a smaller one is luck
        let noise = known.map_or(misfit, |unit| misfit.max(unit));
        let at_bound = |(p, s): (&f64, &Sought)| s.bounds().contains(p);
        let held = sought.iter().zip(&self.problem.sought).map(at_bound);
        let errors = factored.trailing_errors(&held.collect::<Vec<bool>>());
        errors.iter().map(|error| noise * error).collect()
    }
}
