//! Where a solution is worst: points drawn by its squared residual, each with the direction in which the solution is steepest.
//!
//! Fresh training points gather there (residual-adaptive resampling), and so do ridge functions, along the gradient as fronts are.

use super::attempt::Way;
use super::tuning::{HOT_DRAWN, HOT_POOL, HOT_UNIFORM};
use crate::domain::DomainError;
use crate::expr::{Expr, Leaf};
use crate::frozen::State;
use crate::frozen::jets_unless;
use crate::halt::Halt;
use crate::posed::{Block, Kind, Purpose, Residual};

/// Points of interest.
#[derive(Clone, Debug, Default)]
pub(super) struct Hot {
    /// n × d
    pub(super) points: Vec<f64>,
    /// n × d: unit vectors in coordinates scaled to (−1, 1).
    pub(super) directions: Vec<f64>,
}

impl Way {
    /// Draws points by the residual of a solution; of no use once it is ended.
    pub(super) fn heat(&mut self, state: &State, halt: &Halt) -> Result<(), DomainError> {
        let system = &self.system;
        let (d, unknowns) = (system.known.dimension, system.problem.unknowns.len());
        let domain = &system.problem.domain;
        let points = domain.interior(
            HOT_POOL,
            &system.draw(self.seed).round(Purpose::Hot.round()),
        )?;
        let mut weights = vec![0.0; HOT_POOL];
        for r in 0..system.problem.equations.len() {
            let block = Block::new(r, system.known.sites(&points));
            let residual = &system.residuals[r];
            let State {
                layer,
                coefficients,
                ..
            } = state;
            let jets = jets_unless(halt, layer, coefficients, residual, &block);
            let values = residual
                .respond(&block, &jets, &state.sought)
                .swap_remove(0);
            let mean = values.iter().map(|v| v * v).sum::<f64>() / HOT_POOL as f64;
            if mean > 0.0 && mean.is_finite() {
                weights
                    .iter_mut()
                    .zip(&values)
                    .for_each(|(w, v)| *w += v * v / mean);
            }
        }
        let total: f64 = weights.iter().sum();
        if total <= 0.0 || !total.is_finite() {
            return Ok(());
        }
        let chance = |w: f64| HOT_UNIFORM / HOT_POOL as f64 + (1.0 - HOT_UNIFORM) * w / total;
        // systematic resampling: as many copies as the chance says, evenly
        let (mut chosen, mut sum) = (Vec::with_capacity(HOT_DRAWN), 0.0);
        for (i, w) in weights.iter().enumerate() {
            sum += chance(*w) * HOT_DRAWN as f64;
            while (chosen.len() as f64 + 0.5) < sum && chosen.len() < HOT_DRAWN {
                chosen.push(i);
            }
        }
        let picked: Vec<f64> = chosen
            .iter()
            .flat_map(|i| &points[i * d..(i + 1) * d])
            .copied()
            .collect();
        let slopes = self.slopes(state, &picked, halt);
        let direction = |i: usize| {
            // the unknowns take turns
            let mine = &slopes[i % unknowns * d..][..d];
            let scaled: Vec<f64> = mine.iter().map(|slopes| slopes[i]).collect();
            let length = scaled.iter().map(|s| s * s).sum::<f64>().sqrt();
            scaled
                .into_iter()
                .map(move |s| if length > 0.0 { s / length } else { 0.0 })
        };
        let directions = (0..chosen.len()).flat_map(direction).collect();
        self.inputs.hot = Hot {
            points: picked,
            directions,
        };
        self.heated += 1;
        Ok(())
    }

    /// ∂u/∂x_k of each unknown along each coordinate scaled to (0, 1), at points: `[u·d + k][i]`. Of no use once it is ended.
    pub(super) fn slopes(&self, state: &State, points: &[f64], halt: &Halt) -> Vec<Vec<f64>> {
        let system = &self.system;
        let (d, unknowns) = (system.known.dimension, system.problem.unknowns.len());
        let block = Block::new(0, system.known.sites(points));
        let slope = |k: usize| {
            let slope = Expr::leaf(Leaf::jet(k / d, &[k % d]));
            let residual = Residual::new(Kind::Equation, &slope, d, 0);
            let (layer, coefficients) = (&state.layer, &state.coefficients);
            let mut values =
                jets_unless(halt, layer, coefficients, &residual, &block).swap_remove(0);
            let [low, high] = self.inputs.ranges[k % d];
            values.iter_mut().for_each(|v| *v *= high - low);
            values
        };
        (0..unknowns * d).map(slope).collect()
    }
}
