//! The linearised rows of a layer, and their sum of squares.
//!
//! ```text
//! row · (c, p − p₀) = Σ_α ∂r/∂(D^α u) · D^α φ_j,  ∂r/∂p_k        right-hand sides: J u₀ and r(u₀)
//! ```

use super::features::each_function;
use crate::engine::ridges::Layer;
use crate::halt::Halt;
use crate::optimise::LeastSquares;
use crate::posed::{Averaged, Axes, Block, JetColumns, System};
use crate::simd::add_products;
use faer::Mat;

impl System {
    /// The linearised rows of all blocks with two right-hand sides, J u₀ and r(u₀), in the room of a least-squares problem.
    /// Of no use once it is ended.
    pub(crate) fn rows(
        &self,
        layer: &Layer,
        blocks: &[Block],
        jets: &[JetColumns],
        sought: &[f64],
        halt: &Halt,
    ) -> Mat<f64> {
        let (n, unknowns) = (layer.len(), self.problem.unknowns.len());
        let width = unknowns * n + sought.len();
        let height = blocks.iter().map(Block::n_rows).sum();
        let mut rows = LeastSquares::room(height, width, 2);
        let mut at = 0;
        for (block, jets) in blocks.iter().zip(jets) {
            let residual = &self.residuals[block.residual];
            let response = residual.respond(block, jets, sought);
            let partials = &response[1..];
            let points = block.sites.n;
            each_function(layer, residual, block, halt, |j, k, column| {
                let to = rows.col_mut(residual.jets[k].0 * n + j);
                let Some(to) = to.try_as_col_major_mut() else {
                    return;
                };
                if let Some(Averaged { weights, per_row }) = &block.averaged {
                    let to = &mut to.as_slice_mut()[at..];
                    let values = column.iter().zip(&partials[k]);
                    for (i, ((v, p), w)) in values.zip(weights).enumerate() {
                        to[i / per_row] += v * p * w;
                    }
                } else {
                    add_products(
                        &mut to.as_slice_mut()[at..at + points],
                        column,
                        &partials[k],
                    );
                }
            });
            let lift = |(u, axes): &(usize, Axes)| {
                let pair = block.sites.ansatz[*u].as_ref();
                pair.map(|[_, lift]| &lift[block.sites.wanted.place(axes)])
            };
            let lifts: Vec<Option<&Vec<f64>>> = residual.jets.iter().map(lift).collect();
            for i in 0..points {
                let (row, share) = match &block.averaged {
                    Some(averaged) => (at + i / averaged.per_row, averaged.weights[i]),
                    None => (at + i, 1.0),
                };
                let mut known = 0.0;
                for ((lift, jet), partial) in lifts.iter().zip(jets).zip(partials) {
                    let lift = lift.map_or(0.0, |column| column[i]);
                    known += partial[i] * (jet[i] - lift);
                }
                for k in 0..sought.len() {
                    let slope = partials[residual.jets.len() + k][i];
                    rows[(row, unknowns * n + k)] += share * slope;
                }
                rows[(row, width)] += share * known;
                rows[(row, width + 1)] += share * response[0][i];
            }
            at += block.n_rows();
        }
        rows
    }

    /// The weighted sum of squares of the true residuals, by block.
    pub(crate) fn squares(
        &self,
        blocks: &[Block],
        jets: &[JetColumns],
        sought: &[f64],
        scales: &[f64],
    ) -> Vec<f64> {
        let one = |((block, jets), scale): ((&Block, &JetColumns), &f64)| {
            let r = &self.residuals[block.residual].respond(block, jets, sought)[0];
            block
                .rows(r)
                .iter()
                .map(|r| (r * scale).powi(2))
                .sum::<f64>()
        };
        blocks.iter().zip(jets).zip(scales).map(one).collect()
    }

    pub(crate) fn merit(
        &self,
        blocks: &[Block],
        jets: &[JetColumns],
        sought: &[f64],
        scales: &[f64],
    ) -> f64 {
        let sum: f64 = self.squares(blocks, jets, sought, scales).iter().sum();
        if sum.is_finite() { sum } else { f64::INFINITY }
    }
}
