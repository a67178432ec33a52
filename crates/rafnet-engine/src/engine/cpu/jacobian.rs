//! Residuals' derivatives by the parameters, a row for each point: J_W = Σ_• z̄_• a_•ᵀ without the sum over points.

use super::coefficients::{Kind, each_trained};
use super::plan::Plan;
use super::reverse::Coefficient;
use super::tile::Sink;
use super::{CpuEngine, lock, write_residuals};
use crate::engine::{Batch, Columns, EngineError, check};
use crate::network::Network;
use crate::simd::{Isa, Kernel, Real, dispatch_at};
use std::sync::Mutex;

/// The residuals and their rows at the points of a batch, tile by tile.
pub(super) fn rows<T: Real>(
    engine: &mut CpuEngine<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
    columns: Columns,
    residual: &mut [T],
    jacobian: &mut [T],
) -> Result<(), EngineError> {
    let n = check::batch(&engine.objective, parameters, batch)?;
    let count = engine.objective.residual.count();
    let width = engine.objective.n_columns(columns);
    check::length("the residual", residual.len(), n * count)?;
    check::length("the Jacobian", jacobian.len(), n * count * width)?;
    engine
        .coefficients
        .refresh(&engine.objective.network, &engine.plan, parameters);
    let size = engine.plan.tile_blocks * engine.plan.block * count;
    type Part<'a, T> = Mutex<(&'a mut [T], &'a mut [T])>;
    let parts: Vec<Part<'_, T>> = residual
        .chunks_mut(size.max(1))
        .zip(jacobian.chunks_mut((size * width).max(1)))
        .map(Mutex::new)
        .collect();
    let lowest = match columns {
        Columns::All => 0,
        Columns::OutputLayer => engine.plan.layers.len() - 1,
    };
    let first_parameter = engine.plan.n_parameters - width;
    let streams = engine.plan.carried.len();
    let table_len = 2 * engine.plan.table_len + engine.plan.shape_len;
    engine.each_tile(n, &|t, range, tile| {
        let (residual, jacobian) = &mut *lock(&parts[t]);
        tile.load(&engine.plan, &engine.objective, batch, range);
        tile.forward(&engine.plan, &engine.objective, &engine.coefficients);
        tile.respond(&engine.plan, &engine.objective);
        write_residuals(tile, &engine.plan, count, residual);
        let padded = tile.padded(&engine.plan);
        let mut point = vec![T::ZERO; 2 * streams * engine.plan.widest()];
        let mut tables = vec![T::ZERO; if lowest == 0 { table_len * padded } else { 0 }];
        for m in 0..count {
            tile.seed(&engine.plan, &engine.objective, |k, _, w| {
                if k == m { w.sqrt() } else { T::ZERO }
            });
            tables.fill(T::ZERO);
            let mut rows = Rows {
                jacobian: &mut jacobian[m * width..],
                row_step: count * width,
                first_parameter,
                n: tile.n(),
                point: &mut point,
                tables: &mut tables,
                padded,
            };
            tile.reverse(&engine.plan, &engine.coefficients, lowest, &mut rows);
            if lowest == 0 {
                rows.finish(&engine.objective.network, &engine.plan, parameters);
            }
        }
    });
    Ok(())
}

/// Rows of the Jacobian of one residual over a tile.
pub(super) struct Rows<'a, T> {
    /// Point i's row starts at `i · row_step`.
    pub(super) jacobian: &'a mut [T],
    pub(super) row_step: usize,
    /// The first parameter that has a column.
    pub(super) first_parameter: usize,
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
            if at >= self.first_parameter {
                for i in 0..self.n {
                    self.jacobian[i * self.row_step + at - self.first_parameter] =
                        self.tables[entry * self.padded + i] * factor;
                }
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
        let column = layer.weight - self.rows.first_parameter;
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
                let out = &mut out[column + row * k..column + (row + 1) * k];
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
                let start = bias - self.rows.first_parameter;
                out[start..start + m].copy_from_slice(&z[..m]);
            }
        }
    }
}
