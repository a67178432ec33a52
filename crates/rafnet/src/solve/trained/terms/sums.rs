//! The terms added up: their weights, the loss with its gradient, the residuals.

use super::{Points, Terms};
use crate::engine::{Batch, Columns, EngineError};
use crate::solve::SolveError;

impl Terms {
    /// Makes every term's Jacobian as large as that of the first at these points, where the user gave no weight.
    pub(in crate::solve::trained) fn balance(
        &mut self,
        theta: &[f64],
        points: &[Points],
    ) -> Result<(), SolveError> {
        self.set(theta);
        let p = self.n_parameters();
        let d = self.system.known.dimension;
        let mut sizes = Vec::with_capacity(self.all.len());
        for (term, points) in self.all.iter_mut().zip(points) {
            let n = (points.points.len() / d).min(200);
            let what = format_args!("the derivatives of {n} residuals by {p} parameters");
            rafnet_memory::require(what, &[n, term.count, p, 8])?;
            let (mut r, mut j) = (vec![0.0; n * term.count], vec![0.0; n * term.count * p]);
            let batch = Batch::points(&points.points[..n * d])
                .with_data(&points.data[..n * term.columns()]);
            term.engine.residuals_and_jacobian(
                &theta[..p],
                &batch,
                Columns::All,
                &mut r,
                &mut j,
            )?;
            sizes.push(j.iter().map(|v| v * v).sum::<f64>() / n.max(1) as f64);
        }
        let first = sizes.first().copied().unwrap_or(1.0);
        for (term, size) in self.all.iter_mut().zip(&sizes) {
            if term.given.is_none() {
                term.weight = if *size > 0.0 && size.is_finite() {
                    first / size
                } else {
                    1.0
                };
            }
        }
        Ok(())
    }

    /// The weights λ that [`balance`](Self::balance) found.
    pub(in crate::solve::trained) fn weights(&self) -> Vec<f64> {
        self.all.iter().map(|term| term.weight).collect()
    }

    /// Takes up weights that were found before; there is one for each term.
    pub(in crate::solve::trained) fn set_weights(&mut self, weights: &[f64]) {
        for (term, weight) in self.all.iter_mut().zip(weights) {
            term.weight = *weight;
        }
    }

    /// J and its gradient.
    pub(in crate::solve::trained) fn loss_and_gradient(
        &mut self,
        theta: &[f64],
        points: &[Points],
        gradient: &mut [f64],
        scratch: &mut [f64],
    ) -> Result<f64, EngineError> {
        self.set(theta);
        let p = self.n_parameters();
        let mut total = 0.0;
        gradient.fill(0.0);
        for (k, (term, points)) in self.all.iter_mut().zip(points).enumerate() {
            let batch = Batch::points(&points.points).with_data(&points.data);
            let into = if k == 0 {
                &mut gradient[..p]
            } else {
                &mut scratch[..p]
            };
            let loss = term.engine.loss_and_gradient(&theta[..p], &batch, into)?;
            total += term.weight * loss;
            if k > 0 {
                gradient
                    .iter_mut()
                    .zip(&*scratch)
                    .for_each(|(g, s)| *g += term.weight * s);
            } else if (term.weight - 1.0).abs() > 0.0 {
                gradient.iter_mut().for_each(|g| *g *= term.weight);
            }
        }
        Ok(total)
    }

    /// How many weighted residuals these points give.
    pub(crate) fn n_rows(&self, points: &[Points]) -> usize {
        let d = self.system.known.dimension;
        self.all
            .iter()
            .zip(points)
            .map(|(t, p)| t.count * p.points.len() / d)
            .sum()
    }

    /// The residuals, each times √(λ/n): their sum of squares is J.
    pub(in crate::solve) fn residuals(
        &mut self,
        theta: &[f64],
        points: &[Points],
        out: &mut [f64],
    ) -> Result<(), EngineError> {
        self.set(theta);
        let (p, d) = (self.n_parameters(), self.system.known.dimension);
        let mut rest = out;
        for (term, points) in self.all.iter_mut().zip(points) {
            let n = points.points.len() / d;
            let (mine, others) = rest.split_at_mut(n * term.count);
            let batch = Batch::points(&points.points).with_data(&points.data);
            term.engine.residuals(&theta[..p], &batch, mine)?;
            let scale = (term.weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            rest = others;
        }
        Ok(())
    }
}
