//! A tile backward: from the seeds down the layers, three buffers taking turns.
//!
//! ```text
//! W̄ += Σ_• z̄_• a_•ᵀ      h̄ = Wᵀ z̄      z̄ = σ′ h̄ + …      a skip keeps h̄ for its source
//! ```

use super::Tile;
use crate::engine::cpu::aligned::Aligned;
use crate::engine::cpu::back::Back;
use crate::engine::cpu::coefficients::Coefficients;
use crate::engine::cpu::plan::Plan;
use crate::engine::cpu::reverse::{Coefficient, Reverse};
use crate::engine::cpu::weight_gradient::WeightGradient;
use crate::network::Skip;
use crate::simd::Real;

/// What happens to a layer's z̄ and to its coefficients' gradients on the way back.
pub(in crate::engine::cpu) trait Sink<T> {
    /// z̄ of a layer and the inputs it saw.
    fn dense(&mut self, plan: &Plan, layer: usize, blocks: usize, z_bar: &[T], a: &[T]);
    /// Where the gradients of α and β go.
    fn coefficient(&mut self) -> Coefficient<'_, T>;
}

/// Gradients summed over the points: laid out as the parameters, and as the coefficient tables.
struct Sum<'a, T> {
    gradient: &'a mut [T],
    tables: &'a mut [T],
    scratch: &'a mut [T],
}

impl<T: Real> Sink<T> for Sum<'_, T> {
    fn dense(&mut self, plan: &Plan, layer: usize, blocks: usize, z_bar: &[T], a: &[T]) {
        WeightGradient {
            plan,
            layer,
            blocks,
            z_bar,
            a,
            gradient: self.gradient,
            scratch: self.scratch,
        }
        .execute();
    }
    fn coefficient(&mut self) -> Coefficient<'_, T> {
        Coefficient::Summed(self.tables)
    }
}

impl<T: Real> Tile<T> {
    /// The reverse sweep from the seeds, adding to a gradient laid out as the parameters and to the coefficients' tables.
    pub(in crate::engine::cpu) fn backpropagate(
        &mut self,
        plan: &Plan,
        coefficients: &Coefficients<T>,
        gradient: &mut [T],
        tables: &mut [T],
    ) {
        let mut scratch = std::mem::replace(&mut self.transposed, Aligned::zeros(0));
        self.reverse(
            plan,
            coefficients,
            &mut Sum {
                gradient,
                tables,
                scratch: &mut scratch,
            },
        );
        self.transposed = scratch;
    }

    /// The reverse sweep from the seeds down to the first layer.
    pub(in crate::engine::cpu) fn reverse(
        &mut self,
        plan: &Plan,
        coefficients: &Coefficients<T>,
        sink: &mut impl Sink<T>,
    ) {
        let blocks = self.blocks;
        // `current` holds z̄ of the layer above, `free` is the next to write, `skip` keeps h̄ for a skip's source
        let [mut current, mut free, mut skip] = [0, 1, 2];
        for layer in (0..plan.layers.len()).rev() {
            let a = if layer == 0 {
                &self.inputs
            } else {
                &self.h[layer - 1]
            };
            sink.dense(plan, layer, blocks, &self.bars[current], a);
            if layer == 0 {
                return;
            }
            let below = layer - 1;
            let accumulate = plan.layers[below].is_skip_source;
            let target = if accumulate { skip } else { free };
            let [z_bar, h_bar] = pair(&mut self.bars, current, target);
            Back {
                plan,
                layer,
                coefficients,
                blocks,
                z_bar,
                h_bar,
                accumulate,
            }
            .execute();
            (free, skip) = if accumulate {
                (current, free)
            } else {
                (current, skip)
            };
            if matches!(plan.layers[below].skip, Skip::Layer(_)) {
                // `current` is done with: h̄ is kept there for the skip's source
                let [h_bar, kept] = pair(&mut self.bars, target, skip);
                let n = blocks * plan.carried.len() * plan.layers[below].width * plan.block;
                kept[..n].copy_from_slice(&h_bar[..n]);
            }
            current = target;
            if !plan.layers[below].groups.is_empty() {
                let (z, bar) = (&self.z[below], &mut self.bars[current]);
                Reverse {
                    plan,
                    layer: below,
                    coefficients,
                    blocks,
                    z,
                    bar,
                    gradient: sink.coefficient(),
                }
                .execute();
            }
        }
    }
}

/// Two different buffers, the first to read.
fn pair<T: Real>(bars: &mut [Aligned<T>; 3], read: usize, write: usize) -> [&mut [T]; 2] {
    let [a, b, c] = bars;
    match (read, write) {
        (0, 1) => [a, b],
        (0, 2) => [a, c],
        (1, 0) => [b, a],
        (1, 2) => [b, c],
        (2, 0) => [c, a],
        _ => [c, b],
    }
}
