//! The reference engine: every sweep one point at a time, in the order of the formulas. Slow, and written to be read.
//!
//! ```text
//! inputs      x with its derivatives, periodic features, known functions                          forward::inputs
//! forward     z_• = W a_• (+ b on the value)      h = σ(z)      skips                              forward
//! ansatz      u = g φ + l                                                                          engine::ansatz
//! residual    r(x, u, ∂u, …, p), ∂r/∂u and ∂r/∂p                                                   Residual::evaluate
//! reverse     from ū = Σ_m seed_m ∂r_m/∂u back to z̄, ᾱ, β̄, W̄, b̄                                    reverse
//! ```
//!
//! What a stranger should read first, and what every faster engine is compared with. [`point`] puts the sweeps of one point
//! together, [`neuron`](crate::activation::neuron) has the formulas of σ itself.

mod forward;
mod neurons;
mod point;
mod reverse;

use super::{Batch, Carried, Engine, EngineError, Objective, Row, Streams, Term, check};
use crate::simd::{Lanes, Real, Vector};
use neurons::Neurons;

/// All streams of a row of numbers at one point: `jets[s][i]` is stream s (value, first derivatives, second-order combinations) of
/// number i.
type Jets<T> = Vec<Vec<T>>;

/// An engine without tiles, threads or kernels.
pub(super) struct ReferenceEngine<T> {
    objective: Objective<T>,
}

impl<T: Real> ReferenceEngine<T>
where
    Lanes<T, 1>: Vector<Element = T>,
{
    pub(super) fn new(objective: Objective<T>) -> Result<Self, EngineError> {
        check::objective(&objective)?;
        Ok(Self { objective })
    }

    /// What a term's residual reads.
    fn carried(&self, term: &Term<T>) -> Result<Carried, EngineError> {
        let dimension = self.objective.network.inputs().dimension;
        Ok(term.residual.streams().carried(dimension)?)
    }

    /// Calls `row(place, R, its derivatives by the parameters)` for every row of a batch, R = √w r or Σ w r.
    fn each_row(
        &self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        n: usize,
        mut row: impl FnMut(usize, T, &[T]),
    ) -> Result<(), EngineError> {
        let term = self.objective.term(batch.term)?;
        let carried = self.carried(term)?;
        let network = &self.objective.network;
        let neurons = Neurons::new(network, parameters);
        let count = term.residual.count();
        let mut sums = vec![T::ZERO; count];
        let mut derivatives = vec![vec![T::ZERO; parameters.len()]; count];
        for first in (0..n).step_by(term.row.points()) {
            sums.fill(T::ZERO);
            derivatives.iter_mut().for_each(|d| d.fill(T::ZERO));
            for i in first..first + term.row.points() {
                let one = batch.part(i..i + 1, n);
                let weight = one.weights.first().map_or(T::ONE, |&w| match term.row {
                    Row::Point => w.sqrt(),
                    Row::Sum(_) => w,
                });
                let swept = self.sweep(&neurons, &carried, one.points);
                let told = self.respond(term, &carried, &one, parameters, &swept.u);
                for (m, derivatives) in derivatives.iter_mut().enumerate() {
                    sums[m] += told.values[m] * weight;
                    let (of_network, of_shared) = derivatives.split_at_mut(network.n_parameters());
                    let u_bar = told.partials(m).iter().map(|&p| weight * p).collect();
                    self.pull(&neurons, &carried, &swept, u_bar, of_network);
                    let slopes = told.slopes(m).iter();
                    of_shared
                        .iter_mut()
                        .zip(slopes)
                        .for_each(|(d, &s)| *d += weight * s);
                }
            }
            for (m, derivatives) in derivatives.iter().enumerate() {
                row(first / term.row.points() * count + m, sums[m], derivatives);
            }
        }
        Ok(())
    }
}

impl<T: Real> Engine<T> for ReferenceEngine<T>
where
    Lanes<T, 1>: Vector<Element = T>,
{
    fn objective(&self) -> &Objective<T> {
        &self.objective
    }

    fn paths(&self) -> Vec<String> {
        vec!["reference".to_owned()]
    }

    fn evaluate(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        out: &mut [T],
    ) -> Result<(), EngineError> {
        let (objective, what) = (&self.objective, "the output");
        let (n, carried) =
            check::evaluation(objective, parameters, points, streams, what, out.len())?;
        let neurons = Neurons::new(&objective.network, parameters);
        for (i, x) in points.chunks_exact(carried.dimension()).enumerate() {
            let u = self.sweep(&neurons, &carried, x).u;
            for (place, u) in u.into_iter().enumerate() {
                out[place * n + i] = u;
            }
        }
        Ok(())
    }

    fn loss_and_gradient(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        gradient: &mut [T],
    ) -> Result<f64, EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        if n == 0 {
            return Err(EngineError::NoPoints);
        }
        gradient.fill(T::ZERO);
        let term = self.objective.term(batch.term)?;
        let rows = n / term.row.points();
        let factor = T::from_f64(2.0 / rows as f64);
        let mut sum = 0.0;
        if let Row::Sum(_) = term.row {
            self.each_row(parameters, batch, n, |_, row, derivatives| {
                sum += row.to_f64() * row.to_f64();
                let pairs = gradient.iter_mut().zip(derivatives);
                pairs.for_each(|(g, &d)| *g += factor * row * d);
            })?;
            return Ok(sum / rows as f64);
        }
        let carried = self.carried(term)?;
        let neurons = Neurons::new(&self.objective.network, parameters);
        let (of_network, of_shared) = gradient.split_at_mut(self.objective.network.n_parameters());
        for i in 0..n {
            let one = batch.part(i..i + 1, n);
            let w = one.weights.first().copied().unwrap_or(T::ONE);
            let swept = self.sweep(&neurons, &carried, one.points);
            let told = self.respond(term, &carried, &one, parameters, &swept.u);
            let mut u_bar = vec![T::ZERO; swept.u.len()];
            for (m, &r) in told.values.iter().enumerate() {
                sum += w.to_f64() * r.to_f64() * r.to_f64();
                for (bar, &p) in u_bar.iter_mut().zip(told.partials(m)) {
                    *bar += factor * w * r * p;
                }
                for (g, &s) in of_shared.iter_mut().zip(told.slopes(m)) {
                    *g += factor * w * r * s;
                }
            }
            self.pull(&neurons, &carried, &swept, u_bar, of_network);
        }
        Ok(sum / n as f64)
    }

    fn residuals(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = self.objective.term(batch.term)?;
        let (count, points) = (term.residual.count(), term.row.points());
        check::length("the residual", residual.len(), n / points * count)?;
        let carried = self.carried(term)?;
        let neurons = Neurons::new(&self.objective.network, parameters);
        residual.fill(T::ZERO);
        for i in 0..n {
            let one = batch.part(i..i + 1, n);
            let weight = one.weights.first().map_or(T::ONE, |&w| match term.row {
                Row::Point => w.sqrt(),
                Row::Sum(_) => w,
            });
            let u = self.sweep(&neurons, &carried, one.points).u;
            let told = self.respond(term, &carried, &one, parameters, &u);
            for (out, r) in residual[i / points * count..].iter_mut().zip(told.values) {
                *out += r * weight;
            }
        }
        Ok(())
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let term = self.objective.term(batch.term)?;
        let rows = n / term.row.points() * term.residual.count();
        let width = parameters.len();
        check::length("the residual", residual.len(), rows)?;
        check::length("the Jacobian", jacobian.len(), rows * width)?;
        self.each_row(parameters, batch, n, |place, r, derivatives| {
            residual[place] = r;
            jacobian[place * width..][..width].copy_from_slice(derivatives);
        })
    }

    fn pullback(
        &mut self,
        parameters: &[T],
        points: &[T],
        streams: &Streams,
        cotangents: &[T],
        gradient: &mut [T],
    ) -> Result<(), EngineError> {
        let network = &self.objective.network;
        let (what, given) = ("the list of cotangents", cotangents.len());
        let (n, carried) =
            check::evaluation(&self.objective, parameters, points, streams, what, given)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        let neurons = Neurons::new(network, parameters);
        for (i, x) in points.chunks_exact(carried.dimension()).enumerate() {
            let swept = self.sweep(&neurons, &carried, x);
            let u_bar = (0..swept.u.len()).map(|place| cotangents[place * n + i]);
            let of_network = &mut gradient[..network.n_parameters()];
            self.pull(&neurons, &carried, &swept, u_bar.collect(), of_network);
        }
        Ok(())
    }
}
