//! A solution over one layer: from its start, led there where that does not do, its mean square corrected by a finer one.
//!
//! ```text
//! τ = 0.1 … 1: the operator from its easy part to itself        mean square ← mean square · coarse / fine
//! ```

use super::{Ground, Search};
use crate::domain::DomainError;
use crate::halt::Halt;
use crate::posed::Purpose;
use crate::solve::eigen::layer::{Recipe, draw};
use crate::solve::eigen::newton::{Newton, State};
use crate::solve::eigen::tuning::{CORRECT, CORRECTIONS, LED, LOST_START};

impl Search<'_> {
    /// The solution over the layer of a recipe, where there is one; none once it is ended.
    pub(super) fn solved(
        &self,
        recipe: Recipe,
        halt: &Halt,
    ) -> Result<Option<Ground>, DomainError> {
        let layer = draw(&self.system.problem, &recipe);
        let edge = match self.system.problem.coordinates.len() {
            1 => 2,
            _ => (recipe.n / 2).max(40),
        };
        let drawn = self.system.draw(recipe.seed).round(Purpose::Solved.round());
        let inside = (3 * recipe.n).max(200);
        let more = self.system.at_places(inside, &drawn)?;
        let blocks = self.system.evenly(inside, edge, &drawn, &more)?;
        let Some(start) = self.start(&recipe, &layer, &blocks, halt)? else {
            return Ok(None);
        };
        let mut newton = Newton {
            system: &self.system,
            units: &self.units,
            unknown: self.unknown,
            layer: &layer,
            blocks: &blocks,
            norm: &self.norm,
            mean_square: self.eigen.mean_square,
            tau: 1.0,
            halt,
        };
        let mut best = newton.solve(&start);
        if best.as_ref().is_none_or(|s| s.merit.sqrt() > LOST_START) {
            let mut led = Some(start);
            for tau in LED {
                newton.tau = tau;
                led = led.and_then(|state| newton.solve(&state));
            }
            let merit = |s: &Option<State>| s.as_ref().map_or(f64::INFINITY, |s| s.merit);
            if merit(&led) < merit(&best) {
                best = led;
            }
        }
        let Some(mut state) = best else {
            return Ok(None);
        };
        newton.tau = 1.0;
        let mut mean_off = 0.0;
        for _ in 0..CORRECTIONS {
            let fine = self.norm.fine_mean(
                &self.system,
                self.unknown,
                &layer,
                &state.coefficients,
                halt,
            )?;
            let Some([mean, off]) = fine else {
                break;
            };
            mean_off = off / mean;
            if (mean / self.eigen.mean_square - 1.0).abs() < CORRECT {
                break;
            }
            let coarse = self.norm.mean(self.unknown, &layer, &state.coefficients);
            newton.mean_square = self.eigen.mean_square * coarse / mean;
            let Some(next) = newton.solve(&state) else {
                break;
            };
            state = next;
        }
        let points = blocks.iter().map(|b| b.sites.n).sum();
        if halt.is_raised() {
            return Ok(None);
        }
        Ok(Some(self.judged(layer, recipe, state, mean_off, points)))
    }
}
