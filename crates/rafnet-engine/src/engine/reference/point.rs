//! One point: swept forward to u, asked for its residual, and pulled back to the parameters.
//!
//! ```text
//! x  →  φ  →  u = g φ + l  →  r, ∂r/∂u, ∂r/∂p        ū  →  φ̄  →  the gradient
//! ```

use super::forward::Trace;
use super::neurons::Neurons;
use super::{Jets, ReferenceEngine, forward, reverse};
use crate::engine::{Batch, Carried, Field, Points, Response, Site, Term, ansatz};
use crate::simd::{Lanes, Real, Vector};

/// One point, swept forward.
pub(super) struct Swept<T> {
    trace: Trace<T>,
    /// Each output's factor with its streams, where there is one.
    factors: Vec<Option<Vec<T>>>,
    /// u: (outputs, streams)
    pub(super) u: Vec<T>,
}

/// What a residual says at one point.
pub(super) struct Told<T> {
    /// r: one for each residual.
    pub(super) values: Vec<T>,
    partials: Vec<T>,
    slopes: Vec<T>,
}

impl<T> Told<T> {
    /// ∂r_m/∂u: (outputs, streams)
    pub(super) fn partials(&self, m: usize) -> &[T] {
        let each = self.partials.len() / self.values.len();
        &self.partials[m * each..(m + 1) * each]
    }
    /// ∂r_m/∂p
    pub(super) fn slopes(&self, m: usize) -> &[T] {
        let each = self.slopes.len() / self.values.len();
        &self.slopes[m * each..(m + 1) * each]
    }
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

    /// r, ∂r/∂u and ∂r/∂p of a term at one point.
    pub(super) fn respond(
        &self,
        term: &Term<T>,
        carried: &Carried,
        one: &Batch<'_, T>,
        parameters: &[T],
        u: &[T],
    ) -> Told<T> {
        let (count, mut shared) = (term.residual.count(), Vec::new());
        self.objective.read_shared(parameters, &mut shared);
        let shared = &shared[..term.residual.shared()];
        let mut told = Told {
            values: vec![T::ZERO; count],
            partials: vec![T::ZERO; count * u.len()],
            slopes: vec![T::ZERO; count * shared.len()],
        };
        let site = Site {
            points: Points::new(one.points, 1),
            carried,
            jets: u,
            data: one.data,
            shared,
        };
        let mut response = Response {
            values: &mut told.values,
            partials: &mut told.partials,
            slopes: &mut told.slopes,
            shared: shared.len(),
            n: 1,
            streams: carried.len(),
            outputs: u.len() / carried.len(),
        };
        term.residual.evaluate(&site, &mut response);
        told
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
