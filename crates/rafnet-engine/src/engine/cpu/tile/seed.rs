//! What the reverse sweep starts from: ū, the loss's feeling for u, and through the ansatz φ̄.
//!
//! ```text
//! ū = Σ_m seed_m ∂r_m/∂u      or given, or coupled over the points      u = g φ + l  ⇒  φ̄ from ū and g
//! ```

use super::Tile;
use crate::engine::cpu::plan::Plan;
use crate::engine::{Couple, Objective, ansatz};
use crate::simd::Real;
use std::ops::Range;

impl<T: Real> Tile<T> {
    /// Seeds the reverse sweep with ū = Σ_m seed_m ∂r_m/∂u; `seed(m, i, r, w)` at residual m, point i of the tile, of value r and weight w.
    pub(in crate::engine::cpu) fn seed(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        seed: impl Fn(usize, usize, T, T) -> T,
    ) {
        let (padded, outputs) = (self.padded(plan), objective.network.n_outputs());
        let size = plan.carried.len() * padded;
        for o in 0..outputs {
            let bar = &mut self.jets[o * size..(o + 1) * size];
            bar.fill(T::ZERO);
            for m in 0..self.residuals {
                let partials =
                    &self.partials[(m * outputs + o) * size..(m * outputs + o + 1) * size];
                let values = &self.values[m * padded..(m + 1) * padded];
                for (bar, partial) in bar
                    .chunks_exact_mut(padded)
                    .zip(partials.chunks_exact(padded))
                {
                    for i in 0..padded {
                        bar[i] += seed(m, i, values[i], self.weights[i]) * partial[i];
                    }
                }
            }
        }
        self.reverse_ansatz(plan, objective);
    }

    /// Adds Σ_i Σ_m seed_m ∂r_m/∂p_k to the gradient by every shared number p_k that the residual reads.
    pub(in crate::engine::cpu) fn add_slopes(
        &self,
        plan: &Plan,
        seed: impl Fn(usize, usize, T, T) -> T,
        sums: &mut [T],
    ) {
        for (k, sum) in sums.iter_mut().enumerate() {
            for m in 0..self.residuals {
                let (values, weights) = self.residual(plan, m);
                let slopes = self.slope(plan, m, k).unwrap_or_default();
                for (i, &slope) in slopes.iter().enumerate() {
                    *sum += seed(m, i, values[i], weights[i]) * slope;
                }
            }
        }
    }

    /// Seeds the reverse sweep with ū as it is given: (outputs, streams, n) over all points, of which the tile has those from `first`.
    pub(in crate::engine::cpu) fn seed_with(
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
    pub(in crate::engine::cpu) fn couple(
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
}
