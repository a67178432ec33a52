//! A solution at points that no solve has seen.

use super::{Ground, Search};
use crate::engine::ridges::Layer;
use crate::expr::larger;
use crate::frozen::jets_of;
use crate::posed::{Kind, Worst, rms};
use crate::solve::eigen::form::Unknown;
use crate::solve::eigen::layer::Recipe;
use crate::solve::eigen::newton::State;

impl Search<'_> {
    /// A solution at held-out points.
    pub(super) fn judged(
        &self,
        layer: Layer,
        recipe: Recipe,
        state: State,
        mean_off: f64,
        points: usize,
    ) -> Ground {
        let unknowns = self.system.problem.unknowns.len();
        // over logarithms equations are relative to u already
        let size = match self.unknown {
            Unknown::Itself => self.eigen.mean_square.sqrt(),
            Unknown::Logarithm => 1.0,
        };
        let (mut residual, mut all, mut worst) = (0.0, [None; 2], None);
        for block in &self.held_out {
            let of = &self.system.residuals[block.residual];
            let jets = jets_of(&layer, &state.coefficients, of, block);
            let off = of
                .respond(block, &jets, &[state.lambda, 1.0])
                .swap_remove(0);
            let (unit, place) = match of.kind {
                Kind::Equation => (self.units.operator + state.lambda.abs(), 0),
                _ => (self.units.conditions[block.residual - unknowns], 1),
            };
            let off_by = rms(&off);
            let relative = off_by / (unit * size);
            if relative > residual || relative.is_nan() {
                residual = if relative.is_nan() {
                    f64::INFINITY
                } else {
                    relative
                };
                let largest = (0..off.len()).max_by(|i, j| off[*i].abs().total_cmp(&off[*j].abs()));
                worst = largest.map(|i| Worst {
                    residual: block.residual,
                    point: block.sites.coordinates.iter().map(|x| x[i]).collect(),
                });
            }
            all[place] = Some(larger(all[place].unwrap_or(0.0), off_by));
        }
        let value = |r| jets_of(&layer, &state.coefficients, r, &self.inside).swap_remove(0);
        let values = self.norm.values().iter().flat_map(value);
        let values = values.map(|w| self.unknown.value(w)).collect();
        Ground {
            layer,
            recipe,
            state,
            residual,
            rms: all,
            worst,
            values,
            mean_off,
            points,
        }
    }
}
