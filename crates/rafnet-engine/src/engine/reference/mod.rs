//! The reference engine: every sweep one point at a time, in the order of the formulas. Slow, and written to be read.
//!
//! ```text
//! inputs      x with its derivatives, periodic features, known functions                          forward::inputs
//! forward     z_• = W a_• (+ b on the value)      h = σ(z)      skips                              forward
//! ansatz      u = g φ + l                                                                          engine::ansatz
//! residual    r(x, u, ∂u, …) and ∂r/∂u                                                             Residual::evaluate
//! reverse     from ū = Σ_m seed_m ∂r_m/∂u back to z̄, ᾱ, β̄, W̄, b̄                                    reverse
//! ```
//!
//! What a stranger should read first, and what every faster engine is compared with. [`point`] puts the sweeps of one point
//! together, [`neuron`](crate::activation::neuron) has the formulas of σ itself.

mod forward;
mod neurons;
mod point;
mod reverse;

use super::{Batch, Carried, Columns, Engine, EngineError, Objective, Streams, check};
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

    /// What the residual reads.
    fn carried(&self) -> Result<Carried, EngineError> {
        let dimension = self.objective.network.inputs().dimension;
        Ok(self.objective.residual.streams().carried(dimension)?)
    }

    /// Calls `row(place, √w r, its derivatives by the parameters)` for every residual of every point.
    fn each_row(
        &self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        n: usize,
        mut row: impl FnMut(usize, T, &[T]),
    ) -> Result<(), EngineError> {
        let carried = self.carried()?;
        let neurons = Neurons::new(&self.objective.network, parameters);
        let count = self.objective.residual.count();
        let mut derivatives = vec![T::ZERO; parameters.len()];
        for i in 0..n {
            let one = batch.part(i..i + 1, n);
            let root = one.weights.first().map_or(T::ONE, |w| w.sqrt());
            let swept = self.sweep(&neurons, &carried, one.points);
            let (values, partials) = self.respond(&carried, one.points, one.data, &swept.u);
            for (m, partials) in partials.chunks_exact(swept.u.len()).enumerate() {
                let u_bar = partials.iter().map(|&p| root * p).collect();
                derivatives.fill(T::ZERO);
                self.pull(&neurons, &carried, &swept, u_bar, &mut derivatives);
                row(i * count + m, values[m] * root, &derivatives);
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
        let network = &self.objective.network;
        let what = "the output";
        let (n, carried) =
            check::evaluation(network, parameters, points, streams, what, out.len())?;
        let neurons = Neurons::new(network, parameters);
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
        let carried = self.carried()?;
        let neurons = Neurons::new(&self.objective.network, parameters);
        let factor = T::from_f64(2.0 / n as f64);
        let mut sum = 0.0;
        gradient.fill(T::ZERO);
        for i in 0..n {
            let one = batch.part(i..i + 1, n);
            let w = one.weights.first().copied().unwrap_or(T::ONE);
            let swept = self.sweep(&neurons, &carried, one.points);
            let (values, partials) = self.respond(&carried, one.points, one.data, &swept.u);
            let mut u_bar = vec![T::ZERO; swept.u.len()];
            for (&r, partials) in values.iter().zip(partials.chunks_exact(u_bar.len())) {
                sum += w.to_f64() * r.to_f64() * r.to_f64();
                for (bar, &p) in u_bar.iter_mut().zip(partials) {
                    *bar += factor * w * r * p;
                }
            }
            self.pull(&neurons, &carried, &swept, u_bar, gradient);
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
        let count = self.objective.residual.count();
        check::length("the residual", residual.len(), n * count)?;
        let carried = self.carried()?;
        let neurons = Neurons::new(&self.objective.network, parameters);
        for i in 0..n {
            let one = batch.part(i..i + 1, n);
            let root = one.weights.first().map_or(T::ONE, |w| w.sqrt());
            let u = self.sweep(&neurons, &carried, one.points).u;
            let (values, _) = self.respond(&carried, one.points, one.data, &u);
            for (out, r) in residual[i * count..].iter_mut().zip(values) {
                *out = r * root;
            }
        }
        Ok(())
    }

    fn residuals_and_jacobian(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        columns: Columns,
        residual: &mut [T],
        jacobian: &mut [T],
    ) -> Result<(), EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let rows = n * self.objective.residual.count();
        let width = self.objective.n_columns(columns);
        check::length("the residual", residual.len(), rows)?;
        check::length("the Jacobian", jacobian.len(), rows * width)?;
        let first = parameters.len() - width;
        self.each_row(parameters, batch, n, |place, r, derivatives| {
            residual[place] = r;
            jacobian[place * width..][..width].copy_from_slice(&derivatives[first..]);
        })
    }

    fn gram(
        &mut self,
        parameters: &[T],
        batch: &Batch<'_, T>,
        columns: Columns,
        gram: &mut [T],
        right: &mut [T],
    ) -> Result<f64, EngineError> {
        let n = check::batch(&self.objective, parameters, batch)?;
        let width = self.objective.n_columns(columns);
        check::gram(width, gram, right)?;
        gram.fill(T::ZERO);
        right.fill(T::ZERO);
        let first = parameters.len() - width;
        let mut squares = 0.0;
        self.each_row(parameters, batch, n, |_, r, derivatives| {
            squares += r.to_f64() * r.to_f64();
            let row = &derivatives[first..];
            for (i, &a) in row.iter().enumerate() {
                right[i] += a * r;
                for (sum, &b) in gram[i * width..].iter_mut().zip(row) {
                    *sum += a * b;
                }
            }
        })?;
        Ok(squares)
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
        let (n, carried) = check::evaluation(network, parameters, points, streams, what, given)?;
        check::length("the gradient", gradient.len(), parameters.len())?;
        gradient.fill(T::ZERO);
        let neurons = Neurons::new(network, parameters);
        for (i, x) in points.chunks_exact(carried.dimension()).enumerate() {
            let swept = self.sweep(&neurons, &carried, x);
            let u_bar = (0..swept.u.len()).map(|place| cotangents[place * n + i]);
            self.pull(&neurons, &carried, &swept, u_bar.collect(), gradient);
        }
        Ok(())
    }
}
