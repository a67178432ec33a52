//! One point: swept forward to u, asked for its residual, and pulled back to the parameters.
//!
//! ```text
//! x  →  φ  →  u = g φ + l  →  r, ∂r/∂u        ū  →  φ̄  →  the gradient
//! ```

use super::forward::Trace;
use super::neurons::Neurons;
use super::{Jets, ReferenceEngine, forward, reverse};
use crate::engine::{Carried, Field, Points, Response, Site, ansatz};
use crate::simd::{Lanes, Real, Vector};

/// One point, swept forward.
pub(super) struct Swept<T> {
    trace: Trace<T>,
    /// Each output's factor with its streams, where there is one.
    factors: Vec<Option<Vec<T>>>,
    /// u: (outputs, streams)
    pub(super) u: Vec<T>,
}

impl<T: Real> ReferenceEngine<T>
where
    Lanes<T, 1>: Vector<Element = T>,
{
    /// u and all that led to it, at x.
    pub(super) fn sweep(&self, neurons: &Neurons<'_, T>, carried: &Carried, x: &[T]) -> Swept<T> {
        let (network, streams) = (&self.objective.network, carried.len());
        let known = |field: &dyn Field<T>| {
            let mut jet = vec![T::ZERO; streams];
            field.streams(&Points::new(x, 1), carried, &mut jet);
            jet
        };
        let features: Vec<Vec<T>> = self
            .objective
            .features
            .iter()
            .map(|f| known(&**f))
            .collect();
        let trace = forward::sweep(network, neurons, carried, x, &features);
        let phi = trace.outputs();
        let mut factors = Vec::new();
        let mut u = Vec::with_capacity(network.n_outputs() * streams);
        for o in 0..network.n_outputs() {
            let mut jet: Vec<T> = phi.iter().map(|stream| stream[o]).collect();
            let around = self.objective.ansatz.get(o);
            let factor = around.and_then(|a| a.factor.as_ref()).map(|g| known(&**g));
            let lift = around.and_then(|a| a.lift.as_ref()).map(|l| known(&**l));
            ansatz::apply(carried, 1, factor.as_deref(), lift.as_deref(), &mut jet);
            u.extend(jet);
            factors.push(factor);
        }
        Swept { trace, factors, u }
    }

    /// r and ∂r/∂u (residuals, outputs, streams) at x.
    pub(super) fn respond(
        &self,
        carried: &Carried,
        x: &[T],
        data: &[T],
        u: &[T],
    ) -> (Vec<T>, Vec<T>) {
        let residual = &self.objective.residual;
        let mut values = vec![T::ZERO; residual.count()];
        let mut partials = vec![T::ZERO; residual.count() * u.len()];
        let site = Site {
            points: Points::new(x, 1),
            carried,
            jets: u,
            data,
        };
        let mut response = Response {
            values: &mut values,
            partials: &mut partials,
            n: 1,
            streams: carried.len(),
            outputs: u.len() / carried.len(),
        };
        residual.evaluate(&site, &mut response);
        (values, partials)
    }

    /// Adds to the gradient what the loss feels of a point, given ū (outputs, streams).
    pub(super) fn pull(
        &self,
        neurons: &Neurons<'_, T>,
        carried: &Carried,
        swept: &Swept<T>,
        mut u_bar: Vec<T>,
        gradient: &mut [T],
    ) {
        let streams = carried.len();
        for (bar, factor) in u_bar.chunks_exact_mut(streams).zip(&swept.factors) {
            ansatz::reverse(carried, 1, factor.as_deref(), bar);
        }
        let outputs = u_bar.len() / streams;
        let phi_bar: Jets<T> = (0..streams)
            .map(|s| (0..outputs).map(|o| u_bar[o * streams + s]).collect())
            .collect();
        let network = &self.objective.network;
        reverse::sweep(network, neurons, carried, &swept.trace, phi_bar, gradient);
    }
}
