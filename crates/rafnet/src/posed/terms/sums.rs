//! The terms added up: their weights, the loss with its gradient, the residuals.

use super::coupled::Coupled;
use super::{Points, Terms};
use crate::engine::{Batch, Columns, EngineError};
use crate::expr::smaller;
use crate::posed::PosedError;

/// How much less, of their size, noisy observations weigh than equations.
const NOISY: f64 = 1e-2;

impl Terms {
    /// Makes every term's Jacobian as large as that of the first at these points, where the user gave no weight.
    pub(crate) fn balance(&mut self, theta: &[f64], points: &[Points]) -> Result<(), PosedError> {
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
        let weight = |size: f64| match first / size {
            weight if weight > 0.0 && weight.is_finite() => weight,
            _ => 1.0,
        };
        for (term, size) in self.all.iter_mut().zip(&sizes) {
            if term.given.is_none() {
                term.weight = weight(*size);
            }
        }
        for c in 0..self.coupled.len() {
            let n = self.coupled[c].n_rows();
            let mut rows = vec![0.0; n * self.n_unknowns()];
            self.coupled_rows(c, theta, Some(&mut rows))?;
            let size = rows.iter().map(|v| v * v).sum::<f64>() / n.max(1) as f64;
            self.coupled[c].weight = weight(size);
        }
        self.weigh_noise()
    }

    /// Observations with noise: a residual of the equations that is as large, of its terms, as the noise is of what was observed costs
    /// 1/[`NOISY`]² times as much as the noise, so that the equations hold and the noise is left over.
    fn weigh_noise(&mut self) -> Result<(), PosedError> {
        let problem = &self.system.problem;
        let conditions = problem.conditions.len();
        let noisy = |place: Option<usize>| {
            let observation = problem.data.get(place?.checked_sub(conditions)?)?;
            observation.sigma
        };
        if !self.all.iter().any(|term| noisy(term.place).is_some()) {
            return Ok(());
        }
        let blocks = self.system.blocks(64, 64, &self.system.draw(0), &[])?;
        let mut terms = Vec::with_capacity(blocks.len());
        for block in &blocks {
            terms.push((block.residual, self.system.implied(block)?));
        }
        let equations = problem.equations.len();
        let of_equations = terms.iter().filter(|(r, _)| *r < equations);
        let of_equations = of_equations
            .map(|(_, size)| *size)
            .fold(f64::INFINITY, smaller);
        let weights: Vec<Option<f64>> = self
            .all
            .iter()
            .map(|term| {
                noisy(term.place)?;
                let residual = equations + term.place?;
                let (_, size) = terms.iter().find(|(r, _)| *r == residual)?;
                let weight = (NOISY * of_equations / size).powi(2);
                (weight.is_finite() && weight > 0.0).then_some(weight)
            })
            .collect();
        for (term, weight) in self.all.iter_mut().zip(weights) {
            term.weight = weight.unwrap_or(term.weight);
        }
        Ok(())
    }

    /// The weights λ that [`balance`](Self::balance) found.
    pub(crate) fn weights(&self) -> Vec<f64> {
        let coupled = self.coupled.iter().map(|c| c.weight);
        self.all
            .iter()
            .map(|term| term.weight)
            .chain(coupled)
            .collect()
    }

    /// Takes up weights that were found before; there is one for each term.
    pub(crate) fn set_weights(&mut self, weights: &[f64]) {
        let all = self.all.iter_mut().map(|term| &mut term.weight);
        let all = all.chain(self.coupled.iter_mut().map(|c| &mut c.weight));
        all.zip(weights).for_each(|(own, weight)| *own = *weight);
    }

    /// J and its gradient.
    pub(crate) fn loss_and_gradient(
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
        if self.n_sought > 0 {
            for (k, points) in points.iter().enumerate().take(self.all.len()) {
                let slopes = self.gradient_by_sought(k, theta, points)?;
                let weight = self.all[k].weight;
                let pairs = gradient[p..].iter_mut().zip(slopes);
                pairs.for_each(|(g, s)| *g += weight * s);
            }
        }
        total += self.coupled_gradient(theta, gradient, scratch)?;
        self.close(gradient);
        Ok(total)
    }

    /// How many weighted residuals these points give.
    pub(crate) fn n_rows(&self, points: &[Points]) -> usize {
        let d = self.system.known.dimension;
        let terms = self.all.iter().zip(points);
        let terms = terms.map(|(t, p)| t.count * p.points.len() / d);
        terms.chain(self.coupled.iter().map(Coupled::n_rows)).sum()
    }

    /// The residuals, each times √(λ/n): their sum of squares is J.
    pub(crate) fn residuals(
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
        for c in 0..self.coupled.len() {
            let plain = self.coupled_rows(c, theta, None)?;
            let (mine, others) = rest.split_at_mut(plain.len());
            let scale = (self.coupled[c].weight / plain.len().max(1) as f64).sqrt();
            mine.iter_mut().zip(plain).for_each(|(m, r)| *m = scale * r);
            rest = others;
        }
        Ok(())
    }
}
