//! Terms whose rows are sums over groups of points: means and integrals. Two sweeps: the rows first, then what the loss feels of each
//! point.
//!
//! ```text
//! R_k = Σ_i w_i r(x_i)      J = (1/K) Σ_k R_k²      ∂J/∂r(x_i) = (2/K) R_k w_i
//! ```

use super::{CpuEngine, lock, write_residuals};
use crate::engine::Batch;
use crate::simd::Real;
use std::sync::Mutex;

/// Every row of a batch whose parameters are taken over: `out[k·M + m]`.
pub(super) fn rows<T: Real>(
    engine: &CpuEngine<T>,
    batch: &Batch<'_, T>,
    points: usize,
    out: &mut [T],
) {
    let sweep = &engine.sweeps[batch.term];
    let n = batch.points.len() / sweep.plan.inputs.dimension;
    let count = engine.objective.terms[batch.term].residual.count();
    let size = sweep.plan.tile_blocks * sweep.plan.block * count;
    let mut shares = vec![T::ZERO; n * count];
    let parts: Vec<Mutex<&mut [T]>> = shares.chunks_mut(size.max(1)).map(Mutex::new).collect();
    engine.each_tile(sweep, n, &|t, range, tile| {
        tile.load(&sweep.plan, batch, range);
        tile.forward(&sweep.plan, &engine.objective, &engine.coefficients);
        tile.respond(&sweep.plan, &engine.objective, &engine.shared);
        write_residuals(tile, &sweep.plan, |w| w, &mut lock(&parts[t]));
    });
    out.fill(T::ZERO);
    let groups = shares.chunks_exact(points * count);
    for (row, group) in out.chunks_exact_mut(count).zip(groups) {
        for point in group.chunks_exact(count) {
            row.iter_mut().zip(point).for_each(|(sum, &r)| *sum += r);
        }
    }
}

/// The mean square of a batch's rows and its gradient.
pub(super) fn loss_and_gradient<T: Real>(
    engine: &mut CpuEngine<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
    points: usize,
    gradient: &mut [T],
) -> f64 {
    let n = batch.points.len() / engine.objective.network.inputs().dimension;
    let count = engine.objective.terms[batch.term].residual.count();
    let mut sums = std::mem::take(&mut engine.rows);
    sums.resize(n / points * count, T::ZERO);
    rows(engine, batch, points, &mut sums);
    let factor = T::from_f64(2.0 / (n / points) as f64);
    let sweep = &engine.sweeps[batch.term];
    let used = engine.sum(
        sweep,
        batch,
        (n, sweep.plan.block),
        &|tile, range, slopes| {
            tile.respond(&sweep.plan, &engine.objective, &engine.shared);
            let row = |i: usize| (range.start + i).min(n - 1) / points;
            let seed = |m, i, _, w| factor * w * sums[row(i) * count + m];
            tile.seed(&sweep.plan, &engine.objective, seed);
            tile.add_slopes(&sweep.plan, seed, slopes);
            0.0
        },
    );
    engine.reduce(&sweep.plan, parameters, used, gradient);
    let squares = sums.iter().map(|r| r.to_f64() * r.to_f64()).sum::<f64>();
    engine.rows = sums;
    squares / (n / points) as f64
}

/// Each row's derivatives by the parameters, one after the other.
pub(super) fn jacobian<T: Real>(
    engine: &CpuEngine<T>,
    parameters: &[T],
    batch: &Batch<'_, T>,
    points: usize,
    jacobian: &mut [T],
) {
    let sweep = &engine.sweeps[batch.term];
    let n = batch.points.len() / sweep.plan.inputs.dimension;
    let count = engine.objective.terms[batch.term].residual.count();
    let mut rows = jacobian.chunks_exact_mut(parameters.len());
    for first in (0..n).step_by(points) {
        let group = batch.part(first..first + points, n);
        for (wanted, row) in (0..count).zip(&mut rows) {
            let shape = (points, sweep.plan.block);
            let used = engine.sum(sweep, &group, shape, &|tile, _, slopes| {
                tile.respond(&sweep.plan, &engine.objective, &engine.shared);
                let seed = |m, _, _, w| if m == wanted { w } else { T::ZERO };
                tile.seed(&sweep.plan, &engine.objective, seed);
                tile.add_slopes(&sweep.plan, seed, slopes);
                0.0
            });
            engine.reduce(&sweep.plan, parameters, used, row);
        }
    }
}
