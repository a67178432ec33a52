//! A tile forward: from the points to u's streams, and on to the residual.
//!
//! ```text
//! z_• = W a_• (+ b on the value)      h = σ(z)      φ = the last h      u = g φ + l      r(x, u, ∂u, …, p), ∂r/∂u and ∂r/∂p
//! ```

use super::Tile;
use crate::engine::cpu::coefficients::Coefficients;
use crate::engine::cpu::forward::Forward;
use crate::engine::cpu::inputs;
use crate::engine::cpu::plan::Plan;
use crate::engine::{Objective, Points, Response, Site, ansatz};
use crate::network::Skip;
use crate::simd::Real;

impl<T: Real> Tile<T> {
    /// The forward sweep: u's streams end in `jets`.
    pub(in crate::engine::cpu) fn forward(
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
        inputs::encode(plan, &points, &self.fields, &mut self.inputs, self.blocks);
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

    /// The residual and its partial derivatives at the tile's points.
    pub(in crate::engine::cpu) fn respond(
        &mut self,
        plan: &Plan,
        objective: &Objective<T>,
        shared: &[T],
    ) {
        let Some(term) = self.term else { return };
        let padded = self.padded(plan);
        let (streams, outputs) = (plan.carried.len(), objective.network.n_outputs());
        let partials = &mut self.partials[..self.residuals * outputs * streams * padded];
        partials.fill(T::ZERO);
        let slopes = &mut self.slopes[..self.residuals * self.shared * padded];
        slopes.fill(T::ZERO);
        let site = Site {
            points: Points::new(&self.coordinates[..plan.inputs.dimension * padded], padded),
            carried: &plan.carried,
            jets: &self.jets[..outputs * streams * padded],
            data: &self.data[..self.columns * padded],
            shared: &shared[..self.shared],
        };
        let values = &mut self.values[..self.residuals * padded];
        objective.terms[term].residual.evaluate(
            &site,
            &mut Response {
                values,
                partials,
                slopes,
                shared: self.shared,
                n: padded,
                streams,
                outputs,
            },
        );
    }
}
