//! One tile of points through the whole network and back, in buffers that stay in the cache.
//!
//! ```text
//! load  →  forward  →  respond  →  seed  →  reverse
//! x, w     u, ∂u, …    r, ∂r/∂u    ū, φ̄     z̄, W̄, b̄, ᾱ, β̄, p̄
//! ```

mod forward;
mod reverse;
mod seed;

use super::aligned::Aligned;
use super::plan::Plan;
use super::transposed;
use crate::engine::{Batch, Objective};
use crate::simd::Real;
use std::ops::Range;

pub(super) use reverse::Sink;

/// A worker's buffers, sized once.
pub(super) struct Tile<T> {
    /// Which term's residual is asked; none where streams alone are carried.
    term: Option<usize>,
    columns: usize,
    residuals: usize,
    shared: usize,
    /// Real points of the tile, and blocks that hold them; the last block is filled up with copies of the last point.
    n: usize,
    blocks: usize,
    coordinates: Aligned<T>, // (d, n_padded)
    data: Aligned<T>,        // (columns, n_padded)
    weights: Aligned<T>,     // (n_padded), zero on copies
    inputs: Aligned<T>,      // (blocks, streams, inputs, B)
    z: Vec<Aligned<T>>,      // for each layer (blocks, streams, width, B)
    h: Vec<Aligned<T>>,
    bars: [Aligned<T>; 3],  // (blocks, streams, widest, B)
    jets: Aligned<T>,       // (outputs, streams, n_padded)
    fields: Aligned<T>, // (fields, streams, n_padded): features, then factor and lift of each output
    values: Aligned<T>, // (residuals, n_padded)
    partials: Aligned<T>, // (residuals, outputs, streams, n_padded)
    slopes: Aligned<T>, // (residuals, shared numbers, n_padded)
    transposed: Aligned<T>, // a panel of a layer's inputs, transposed
}

impl<T: Real> Tile<T> {
    pub(super) fn new(plan: &Plan, objective: &Objective<T>, term: Option<usize>) -> Self {
        let n = plan.tile_blocks * plan.block;
        let streams = plan.carried.len();
        let outputs = objective.network.n_outputs();
        let (residuals, columns, shared) = sizes(objective, term);
        let fields = objective.features.len() + 2 * objective.ansatz.len();
        let room = |width: usize| Aligned::zeros(width * streams * n);
        Self {
            term,
            columns,
            residuals,
            shared,
            n: 0,
            blocks: 0,
            coordinates: Aligned::zeros(plan.inputs.dimension * n),
            data: Aligned::zeros(columns * n),
            weights: Aligned::zeros(n),
            inputs: room(plan.inputs.width()),
            z: plan
                .layers
                .iter()
                .map(|l| room(if l.groups.is_empty() { 0 } else { l.width }))
                .collect(),
            h: plan.layers.iter().map(|l| room(l.width)).collect(),
            bars: std::array::from_fn(|_| room(plan.widest())),
            jets: room(outputs),
            fields: room(fields),
            values: Aligned::zeros(residuals * n),
            partials: room(residuals * outputs),
            slopes: Aligned::zeros(residuals * shared * n),
            transposed: Aligned::zeros(transposed::room(plan)),
        }
    }

    /// How many numbers the buffers of a tile hold, roughly: all that grow with the streams.
    pub(super) fn room(plan: &Plan, objective: &Objective<T>, term: Option<usize>) -> usize {
        let (residuals, ..) = sizes(objective, term);
        let outputs = objective.network.n_outputs();
        let fields = objective.features.len() + 2 * objective.ansatz.len();
        let layers: usize = plan.layers.iter().map(|l| 2 * l.width).sum();
        let rows =
            plan.inputs.width() + layers + 3 * plan.widest() + outputs * (1 + residuals) + fields;
        rows.saturating_mul(plan.carried.len())
            .saturating_mul(plan.tile_blocks * plan.block)
    }

    /// Real points in the tile.
    pub(super) fn n(&self) -> usize {
        self.n
    }
    /// Points with the copies that fill the last block up.
    pub(super) fn padded(&self, plan: &Plan) -> usize {
        self.blocks * plan.block
    }

    /// Takes points `range` of a batch.
    pub(super) fn load(&mut self, plan: &Plan, batch: &Batch<'_, T>, range: Range<usize>) {
        self.n = range.len();
        self.blocks = range.len().div_ceil(plan.block);
        let padded = self.padded(plan);
        let gather = |from: &[T], columns: usize, to: &mut [T]| {
            for i in 0..padded {
                let point = range.start + i.min(range.len() - 1);
                for c in 0..columns {
                    to[c * padded + i] = from[point * columns + c];
                }
            }
        };
        gather(batch.points, plan.inputs.dimension, &mut self.coordinates);
        if !batch.data.is_empty() {
            gather(batch.data, self.columns, &mut self.data);
        }
        for (i, weight) in self.weights[..padded].iter_mut().enumerate() {
            *weight = match batch.weights.get(range.start + i) {
                _ if i >= range.len() => T::ZERO,
                Some(&w) => w,
                None => T::ONE,
            };
        }
    }

    /// Where the factor's and the lift's streams of output `o` stand among the fields.
    #[allow(clippy::unused_self, reason = "the layout belongs to the tile")]
    fn ansatz_streams(
        &self,
        objective: &Objective<T>,
        o: usize,
        size: usize,
    ) -> (Range<usize>, Range<usize>) {
        let first = (objective.features.len() + 2 * o) * size;
        (first..first + size, first + size..first + 2 * size)
    }

    /// Stream `s` of output `o` at the real points.
    pub(super) fn jet(&self, plan: &Plan, o: usize, s: usize) -> &[T] {
        let start = (o * plan.carried.len() + s) * self.padded(plan);
        &self.jets[start..start + self.n]
    }

    /// Residual `m` at the real points, and the points' weights.
    pub(super) fn residual(&self, plan: &Plan, m: usize) -> (&[T], &[T]) {
        let start = m * self.padded(plan);
        (&self.values[start..start + self.n], &self.weights[..self.n])
    }

    /// How many residuals a point has.
    pub(super) fn n_residuals(&self) -> usize {
        self.residuals
    }

    /// ∂(residual `m`)/∂(shared number `k`) at the real points, if the residual reads that number.
    pub(super) fn slope(&self, plan: &Plan, m: usize, k: usize) -> Option<&[T]> {
        let start = (m * self.shared + k) * self.padded(plan);
        (k < self.shared).then(|| &self.slopes[start..start + self.n])
    }

    /// Σ_i w_i Σ_m r_m² over the tile.
    pub(super) fn square_sum(&self, plan: &Plan) -> f64 {
        let one = |m| {
            let (r, w) = self.residual(plan, m);
            r.iter()
                .zip(w)
                .map(|(r, w)| w.to_f64() * r.to_f64() * r.to_f64())
                .sum::<f64>()
        };
        (0..self.residuals).map(one).sum()
    }
}

/// A term's residuals a point, data columns and shared numbers.
fn sizes<T: Real>(objective: &Objective<T>, term: Option<usize>) -> (usize, usize, usize) {
    term.map_or((0, 0, 0), |k| {
        let residual = &objective.terms[k].residual;
        (residual.count(), residual.data_columns(), residual.shared())
    })
}
