//! Residuals' derivatives by the parameters, a row for each point: J_W = Σ_• z̄_• a_•ᵀ without the sum over points.

use super::coefficients::{Kind, each_trained};
use super::plan::Plan;
use super::reverse::Coefficient;
use super::tile::Sink;
use super::{CpuEngine, lock, write_residuals};
use crate::engine::Batch;
use crate::network::Network;
use crate::simd::{Isa, Kernel, Real, dispatch_at};
use std::sync::Mutex;

/// The residuals and their rows at the points of a batch whose parameters are taken over, tile by tile.
pub(super) fn rows<T: Real>(
    engine: &CpuEngine<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
    residual: &mut [T],
    jacobian: &mut [T],
) {
    let sweep = &engine.sweeps[batch.term];
    let plan = &sweep.plan;
    let n = batch.points.len() / plan.inputs.dimension;
    let count = engine.objective.terms[batch.term].residual.count();
    let width = parameters.len();
    let size = plan.tile_blocks * plan.block * count;
    type Part<'a, T> = Mutex<(&'a mut [T], &'a mut [T])>;
    let parts: Vec<Part<'_, T>> = residual
        .chunks_mut(size.max(1))
        .zip(jacobian.chunks_mut((size * width).max(1)))
        .map(Mutex::new)
        .collect();
    let table_len = 2 * plan.table_len + plan.shape_len;
    engine.each_tile(sweep, n, &|t, range, tile| {
        let (residual, jacobian) = &mut *lock(&parts[t]);
        tile.load(plan, batch, range);
        tile.forward(plan, &engine.objective, &engine.coefficients);
        tile.respond(plan, &engine.objective, &engine.shared);
        write_residuals(tile, plan, T::sqrt, residual);
        let padded = tile.padded(plan);
        let mut point = vec![T::ZERO; 2 * plan.carried.len() * plan.widest()];
        let mut tables = vec![T::ZERO; table_len * padded];
        for m in 0..count {
            let seed = |k, _, _, w: T| if k == m { w.sqrt() } else { T::ZERO };
            tile.seed(plan, &engine.objective, seed);
            tables.fill(T::ZERO);
            let mut rows = Rows {
                jacobian: &mut jacobian[m * width..],
                row_step: count * width,
                n: tile.n(),
                point: &mut point,
                tables: &mut tables,
                padded,
            };
            tile.reverse(plan, &engine.coefficients, &mut rows);
            rows.finish(&engine.objective.network, plan, parameters);
            let (_, weights) = tile.residual(plan, m);
            for k in plan.n_parameters..width {
                let column = jacobian[m * width + k..].iter_mut();
                let column = column.step_by(count * width);
                match tile.slope(plan, m, k - plan.n_parameters) {
                    Some(slopes) => column
                        .zip(slopes.iter().zip(weights))
                        .for_each(|(j, (&s, &w))| *j = w.sqrt() * s),
                    None => column.for_each(|j| *j = T::ZERO),
                }
            }
        }
    });
}

/// Rows of the Jacobian of one residual over a tile.
pub(super) struct Rows<'a, T> {
    /// Point i's row starts at `i · row_step`.
    pub(super) jacobian: &'a mut [T],
    pub(super) row_step: usize,
    pub(super) n: usize,
    /// Scratch for one point: z̄ and a of all streams.
    pub(super) point: &'a mut [T],
    /// The coefficients' gradients (table entries, n_padded), zero at first.
    pub(super) tables: &'a mut [T],
    pub(super) padded: usize,
}

impl<T: Real> Sink<T> for Rows<'_, T> {
    fn dense(&mut self, plan: &Plan, layer: usize, _blocks: usize, z_bar: &[T], a: &[T]) {
        let outer = Outer {
            rows: self,
            plan,
            layer,
            z_bar,
            a,
        };
        dispatch_at(plan.level, outer);
    }
    fn coefficient(&mut self) -> Coefficient<'_, T> {
        Coefficient::ByPoint(self.tables, self.padded)
    }
}

impl<T: Real> Rows<'_, T> {
    /// Puts the coefficients' gradients into the rows.
    pub(super) fn finish(&mut self, network: &Network, plan: &Plan, parameters: &[T]) {
        each_trained(network, plan, |group, p, k, place, kind| {
            let (entry, at, factor) = match kind {
                Kind::Alpha(at) => (place, at, T::ONE),
                Kind::Scale(at) => {
                    let slope = group.terms[p].scale.beta_slope(parameters[at].to_f64());
                    (plan.table_len + place, at, T::from_f64(slope))
                }
                Kind::Shape(at) => (2 * plan.table_len + k, at, T::ONE),
            };
            for i in 0..self.n {
                self.jacobian[i * self.row_step + at] =
                    self.tables[entry * self.padded + i] * factor;
            }
        });
    }
}

/// The rows of one dense layer.
struct Outer<'a, 'b, T> {
    rows: &'a mut Rows<'b, T>,
    plan: &'a Plan,
    layer: usize,
    z_bar: &'a [T],
    a: &'a [T],
}

impl<T: Real> Kernel for Outer<'_, '_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let layer = &self.plan.layers[self.layer];
        let (streams, b) = (self.plan.carried.len(), self.plan.block);
        let (m, k) = (layer.width, layer.fan_in);
        for i in 0..self.rows.n {
            let (block, lane) = (i / b, i % b);
            let (z, a) = self.rows.point.split_at_mut(streams * m);
            for s in 0..streams {
                let pair = block * streams + s;
                for (row, z) in z[s * m..(s + 1) * m].iter_mut().enumerate() {
                    *z = self.z_bar[(pair * m + row) * b + lane];
                }
                for (row, a) in a[s * k..(s + 1) * k].iter_mut().enumerate() {
                    *a = self.a[(pair * k + row) * b + lane];
                }
            }
            let out = &mut self.rows.jacobian[i * self.rows.row_step..];
            for row in 0..m {
                let out = &mut out[layer.weight + row * k..layer.weight + (row + 1) * k];
                let z_v = z[row];
                for (out, &a) in out.iter_mut().zip(&a[..k]) {
                    *out = z_v * a;
                }
                for s in 1..streams {
                    let z_s = z[s * m + row];
                    for (out, &a) in out.iter_mut().zip(&a[s * k..(s + 1) * k]) {
                        *out += z_s * a;
                    }
                }
            }
            if let Some(bias) = layer.bias {
                out[bias..bias + m].copy_from_slice(&z[..m]);
            }
        }
    }
}
