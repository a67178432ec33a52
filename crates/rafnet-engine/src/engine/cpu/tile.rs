//! One tile of points through the whole network and back, in buffers that stay in the cache.

use super::aligned::Aligned;
use super::coefficients::Coefficients;
use super::forward::Forward;
use super::plan::Plan;
use super::reverse::{Back, Coefficient, Reverse};
use super::transposed;
use super::weight_gradient::WeightGradient;
use crate::engine::{Batch, Couple, Objective, Points, Response, Site, ansatz};
use crate::network::Skip;
use crate::simd::Real;
use std::ops::Range;

/// A worker's buffers, sized once.
pub(super) struct Tile<T> {
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
    transposed: Aligned<T>, // a panel of a layer's inputs, transposed
}

/// What happens to a layer's z̄ and to its coefficients' gradients on the way back.
pub(super) trait Sink<T> {
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
    pub(super) fn new(plan: &Plan, objective: &Objective<T>) -> Self {
        let n = plan.tile_blocks * plan.block;
        let streams = plan.carried.len();
        let outputs = objective.network.n_outputs();
        let (residuals, columns) = (
            objective.residual.count(),
            objective.residual.data_columns(),
        );
        let fields = objective.features.len() + 2 * objective.ansatz.len();
        let room = |width: usize| Aligned::zeros(width * streams * n);
        Self {
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
            transposed: Aligned::zeros(transposed::room(plan)),
        }
    }

    /// How many numbers the buffers of a tile hold, roughly: all that grow with the streams.
    pub(super) fn room(plan: &Plan, objective: &Objective<T>) -> usize {
        let outputs = objective.network.n_outputs();
        let fields = objective.features.len() + 2 * objective.ansatz.len();
        let layers: usize = plan.layers.iter().map(|l| 2 * l.width).sum();
        let rows = plan.inputs.width()
            + layers
            + 3 * plan.widest()
            + outputs * (1 + objective.residual.count())
            + fields;
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
    pub(super) fn load(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        batch: &Batch<'_, T>,
        range: Range<usize>,
    ) {
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
            gather(
                batch.data,
                objective.residual.data_columns(),
                &mut self.data,
            );
        }
        for (i, weight) in self.weights[..padded].iter_mut().enumerate() {
            *weight = match batch.weights.get(range.start + i) {
                _ if i >= range.len() => T::ZERO,
                Some(&w) => w,
                None => T::ONE,
            };
        }
    }

    /// The forward sweep: u's streams end in `jets`.
    pub(super) fn forward(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        coefficients: &Coefficients<T>,
    ) {
        let padded = self.padded(plan);
        let streams = plan.carried.len();
        let points = Points::new(&self.coordinates[..plan.inputs.dimension * padded], padded);
        let known = objective.features.iter().map(Some);
        let ansatz = objective
            .ansatz
            .iter()
            .flat_map(|a| [a.factor.as_ref(), a.lift.as_ref()]);
        for (field, out) in known
            .chain(ansatz)
            .zip(self.fields.chunks_exact_mut((streams * padded).max(1)))
        {
            if let Some(field) = field {
                field.streams(&points, &plan.carried, out);
            }
        }
        super::inputs::encode(plan, &points, &self.fields, &mut self.inputs, self.blocks);
        for layer in 0..plan.layers.len() {
            let (before, rest) = self.h.split_at_mut(layer);
            let a = before.last().map_or(&self.inputs[..], |h| h);
            let skip = match plan.layers[layer].skip {
                Skip::None => None,
                Skip::Inputs => Some((&self.inputs[..], plan.inputs.width())),
                Skip::Layer(from) => Some((&before[from][..], plan.layers[from].width)),
            };
            let (z, h) = (&mut self.z[layer], &mut rest[0]);
            Forward {
                plan,
                layer,
                coefficients,
                blocks: self.blocks,
                a,
                z,
                h,
                skip,
            }
            .execute();
        }
        self.collect(plan, objective);
    }

    /// φ's streams out of the last layer, then the ansatz.
    fn collect(&mut self, plan: &Plan, objective: &Objective<T>) {
        let (padded, streams, b) = (self.padded(plan), plan.carried.len(), plan.block);
        let outputs = objective.network.n_outputs();
        let Some(last) = self.h.last() else { return };
        for (pair, rows) in last
            .chunks_exact(outputs * b)
            .enumerate()
            .take(self.blocks * streams)
        {
            let (block, s) = (pair / streams, pair % streams);
            for (o, row) in rows.chunks_exact(b).enumerate() {
                let to = (o * streams + s) * padded + block * b;
                self.jets[to..to + b].copy_from_slice(row);
            }
        }
        let size = streams * padded;
        for (o, ansatz) in objective.ansatz.iter().enumerate() {
            let (factor, lift) = self.ansatz_streams(objective, o, size);
            let factor = ansatz.factor.as_ref().map(|_| &self.fields[factor]);
            let lift = ansatz.lift.as_ref().map(|_| &self.fields[lift]);
            ansatz::apply(
                &plan.carried,
                padded,
                factor,
                lift,
                &mut self.jets[o * size..(o + 1) * size],
            );
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

    /// The residual and its partial derivatives at the tile's points.
    pub(super) fn respond(&mut self, plan: &Plan, objective: &Objective<T>) {
        let padded = self.padded(plan);
        let (streams, outputs) = (plan.carried.len(), objective.network.n_outputs());
        let residual = &objective.residual;
        let partials = &mut self.partials[..residual.count() * outputs * streams * padded];
        partials.fill(T::ZERO);
        let site = Site {
            points: Points::new(&self.coordinates[..plan.inputs.dimension * padded], padded),
            carried: &plan.carried,
            jets: &self.jets[..outputs * streams * padded],
            data: &self.data[..residual.data_columns() * padded],
        };
        let values = &mut self.values[..residual.count() * padded];
        residual.evaluate(
            &site,
            &mut Response {
                values,
                partials,
                n: padded,
                streams,
                outputs,
            },
        );
    }

    /// Residual `m` at the real points, and the points' weights.
    pub(super) fn residual(&self, plan: &Plan, m: usize) -> (&[T], &[T]) {
        let start = m * self.padded(plan);
        (&self.values[start..start + self.n], &self.weights[..self.n])
    }

    /// Σ_i w_i Σ_m r_m² over the tile.
    pub(super) fn square_sum(&self, plan: &Plan, residuals: usize) -> f64 {
        let one = |m| {
            let (r, w) = self.residual(plan, m);
            r.iter()
                .zip(w)
                .map(|(r, w)| w.to_f64() * r.to_f64() * r.to_f64())
                .sum::<f64>()
        };
        (0..residuals).map(one).sum()
    }

    /// Seeds the reverse sweep with ū = Σ_m seed_m ∂r_m/∂u; `seed(m, i)` at residual m, point i.
    pub(super) fn seed(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        seed: impl Fn(usize, T, T) -> T,
    ) {
        let (padded, outputs) = (self.padded(plan), objective.network.n_outputs());
        let size = plan.carried.len() * padded;
        for o in 0..outputs {
            let bar = &mut self.jets[o * size..(o + 1) * size];
            bar.fill(T::ZERO);
            for m in 0..objective.residual.count() {
                let partials =
                    &self.partials[(m * outputs + o) * size..(m * outputs + o + 1) * size];
                let values = &self.values[m * padded..(m + 1) * padded];
                for (bar, partial) in bar
                    .chunks_exact_mut(padded)
                    .zip(partials.chunks_exact(padded))
                {
                    for i in 0..padded {
                        bar[i] += seed(m, values[i], self.weights[i]) * partial[i];
                    }
                }
            }
        }
        self.reverse_ansatz(plan, objective);
    }

    /// Seeds the reverse sweep with ū as it is given: (outputs, streams, n) over all points, of which the tile has those from `first`.
    pub(super) fn seed_with(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        cotangents: &[T],
        n: usize,
        first: usize,
    ) {
        let padded = self.padded(plan);
        let columns = objective.network.n_outputs() * plan.carried.len();
        let bars = self.jets.chunks_exact_mut(padded).take(columns);
        for (bar, given) in bars.zip(cotangents.chunks_exact(n)) {
            bar[..self.n].copy_from_slice(&given[first..first + self.n]);
            bar[self.n..].fill(T::ZERO); // copies of the last point
        }
        self.reverse_ansatz(plan, objective);
    }

    /// Seeds the reverse sweep with what `couple` makes of the values at the tile's points, which are `range` of all.
    pub(super) fn couple(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        range: Range<usize>,
        couple: &Couple<'_, T>,
    ) {
        let (n, padded) = (self.n, self.padded(plan));
        let columns = objective.network.n_outputs() * plan.carried.len();
        for c in 1..columns {
            self.jets.copy_within(c * padded..c * padded + n, c * n);
        }
        couple(range, &mut self.jets[..columns * n]);
        for c in (0..columns).rev() {
            self.jets.copy_within(c * n..(c + 1) * n, c * padded);
            self.jets[c * padded + n..(c + 1) * padded].fill(T::ZERO); // copies of the last point
        }
        self.reverse_ansatz(plan, objective);
    }

    /// From ū to φ̄, into the buffer from which the reverse sweep starts.
    fn reverse_ansatz(&mut self, plan: &Plan, objective: &Objective<T>) {
        let (padded, streams, b) = (self.padded(plan), plan.carried.len(), plan.block);
        let outputs = objective.network.n_outputs();
        let size = streams * padded;
        for (o, ansatz) in objective.ansatz.iter().enumerate() {
            let (factor, _) = self.ansatz_streams(objective, o, size);
            let factor = ansatz.factor.as_ref().map(|_| &self.fields[factor]);
            ansatz::reverse(
                &plan.carried,
                padded,
                factor,
                &mut self.jets[o * size..(o + 1) * size],
            );
        }
        for (pair, rows) in self.bars[0]
            .chunks_exact_mut(outputs * b)
            .enumerate()
            .take(self.blocks * streams)
        {
            let (block, s) = (pair / streams, pair % streams);
            for (o, row) in rows.chunks_exact_mut(b).enumerate() {
                let from = (o * streams + s) * padded + block * b;
                row.copy_from_slice(&self.jets[from..from + b]);
            }
        }
    }

    /// The reverse sweep from the seeds, adding to a gradient laid out as the parameters and to the coefficients' tables.
    pub(super) fn backpropagate(
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
            0,
            &mut Sum {
                gradient,
                tables,
                scratch: &mut scratch,
            },
        );
        self.transposed = scratch;
    }

    /// The reverse sweep from the seeds down to layer `lowest`.
    pub(super) fn reverse(
        &mut self,
        plan: &Plan,
        coefficients: &Coefficients<T>,
        lowest: usize,
        sink: &mut impl Sink<T>,
    ) {
        let blocks = self.blocks;
        // `current` holds z̄ of the layer above, `free` is the next to write, `skip` keeps h̄ for a skip's source
        let [mut current, mut free, mut skip] = [0, 1, 2];
        for layer in (lowest..plan.layers.len()).rev() {
            let a = if layer == 0 {
                &self.inputs
            } else {
                &self.h[layer - 1]
            };
            sink.dense(plan, layer, blocks, &self.bars[current], a);
            if layer == lowest {
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
