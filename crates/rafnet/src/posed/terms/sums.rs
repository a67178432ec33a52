//! The terms added up: their weights, the loss with its gradient, the residuals with their Jacobian.

use super::{Of, Terms};
use crate::engine::{Batch, Cloud, EngineError, Squares};
use crate::expr::smaller;
use crate::posed::PosedError;

/// How much less, of their size, noisy observations weigh than equations.
const NOISY: f64 = 1e-2;
/// Most rows that a term's Jacobian is measured at.
const MEASURED: usize = 200;

impl Terms {
    /// Every term with its points.
    fn batches(points: &[Cloud<f64>]) -> impl Iterator<Item = Batch<'_, f64>> {
        points
            .iter()
            .enumerate()
            .map(|(k, points)| points.of_term(k))
    }

    /// How many rows a term has at its points, not counting several residuals a point.
    fn n_of(&self, batch: &Batch<'_, f64>) -> usize {
        let d = self.system.known.dimension;
        batch.points.len() / d / self.all[batch.term].points
    }

    /// Makes every term's Jacobian as large as that of the first at these points, where the user gave no weight.
    pub(crate) fn balance(
        &mut self,
        theta: &[f64],
        points: &[Cloud<f64>],
    ) -> Result<(), PosedError> {
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let d = self.system.known.dimension;
        let mut sizes = Vec::with_capacity(self.all.len());
        for (k, points) in points.iter().enumerate() {
            let term = &self.all[k];
            let n = (points.points.len() / d / term.points).min(MEASURED);
            let what = format_args!("the derivatives of {n} residuals by {width} parameters");
            rafnet_memory::require(what, &[n, term.count, width, 8])?;
            let rows = n * term.count;
            let (mut r, mut jacobian) = (vec![0.0; rows], vec![0.0; rows * width]);
            let some = n * term.points;
            let batch = Batch::points(&points.points[..some * d])
                .with_data(&points.data[..some * self.drawing.terms[k].1])
                .with_weights(&points.weights[..some.min(points.weights.len())])
                .of_term(k);
            self.engine
                .residuals_and_jacobian(theta, &batch, &mut r, &mut jacobian)?;
            let rows = jacobian.chunks_exact(width).map(|row| &row[..p]);
            let squares = rows.flatten().map(|v| v * v);
            sizes.push(squares.sum::<f64>() / n.max(1) as f64);
        }
        let first = sizes.first().copied().unwrap_or(1.0);
        for (term, size) in self.all.iter_mut().zip(&sizes) {
            if term.given.is_none() {
                let weight = first / size;
                let is_one = weight > 0.0 && weight.is_finite();
                term.weight = if is_one { weight } else { 1.0 };
            }
        }
        self.weigh_noise()
    }

    /// Observations with noise: a residual of the equations that is as large, of its terms, as the noise is of what was observed costs
    /// 1/[`NOISY`]² times as much as the noise, so that the equations hold and the noise is left over.
    fn weigh_noise(&mut self) -> Result<(), PosedError> {
        let problem = &self.system.problem;
        let is_noisy = |of: Of| match of {
            Of::Observation(k) => problem.data[k].sigma.is_some(),
            _ => false,
        };
        let of_terms = &self.drawing.terms;
        if !of_terms.iter().any(|(of, _)| is_noisy(*of)) {
            return Ok(());
        }
        let blocks = self.system.evenly(64, 64, &self.system.draw(0), &[])?;
        let mut terms = Vec::with_capacity(blocks.len());
        for block in &blocks {
            terms.push((block.residual, self.system.implied(block)?));
        }
        let equations = problem.equations.len();
        let before = equations + problem.conditions.len();
        let of_equations = terms.iter().filter(|(r, _)| *r < equations);
        let of_equations = of_equations
            .map(|(_, size)| *size)
            .fold(f64::INFINITY, smaller);
        for (term, (of, _)) in self.all.iter_mut().zip(of_terms) {
            let Of::Observation(k) = *of else { continue };
            if !is_noisy(*of) {
                continue;
            }
            if let Some((_, size)) = terms.iter().find(|(r, _)| *r == before + k) {
                let weight = (NOISY * of_equations / size).powi(2);
                if weight.is_finite() && weight > 0.0 {
                    term.weight = weight;
                }
            }
        }
        Ok(())
    }

    /// The weights λ that [`balance`](Self::balance) found.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.all.iter().map(|term| term.weight).collect()
    }

    /// Takes up weights that were found before; there is one for each term.
    pub(crate) fn set_weights(&mut self, weights: &[f64]) {
        let all = self.all.iter_mut().map(|term| &mut term.weight);
        all.zip(weights).for_each(|(own, weight)| *own = *weight);
    }

    /// J and its gradient.
    pub(crate) fn loss_and_gradient(
        &mut self,
        theta: &[f64],
        points: &[Cloud<f64>],
        gradient: &mut [f64],
        scratch: &mut [f64],
    ) -> Result<f64, EngineError> {
        let weights = self.weights();
        let total = self
            .engine
            .weighted_loss_and_gradient(theta, points, &weights, gradient, scratch)?;
        self.close(gradient);
        Ok(total)
    }

    /// How many weighted residuals these points give.
    pub(crate) fn n_rows(&self, points: &[Cloud<f64>]) -> usize {
        let batches = Self::batches(points);
        batches
            .map(|b| self.n_of(&b) * self.all[b.term].count)
            .sum()
    }

    /// The residuals, each times √(λ/n): their sum of squares is J.
    pub(crate) fn residuals(
        &mut self,
        theta: &[f64],
        points: &[Cloud<f64>],
        out: &mut [f64],
    ) -> Result<(), EngineError> {
        let mut rest = out;
        for batch in Self::batches(points) {
            let (n, term) = (self.n_of(&batch), &self.all[batch.term]);
            let (mine, others) = rest.split_at_mut(n * term.count);
            self.engine.residuals(theta, &batch, mine)?;
            let scale = (term.weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            rest = others;
        }
        Ok(())
    }

    /// The residuals with their Jacobian, a row of `n_unknowns` numbers each.
    pub(crate) fn jacobian(
        &mut self,
        theta: &[f64],
        points: &[Cloud<f64>],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let (mut rest, mut rows) = (out, jacobian);
        for batch in Self::batches(points) {
            let (n, term) = (self.n_of(&batch), &self.all[batch.term]);
            let (mine, others) = rest.split_at_mut(n * term.count);
            let (my_rows, other_rows) = rows.split_at_mut(mine.len() * theta.len());
            self.engine
                .residuals_and_jacobian(theta, &batch, mine, my_rows)?;
            let scale = (term.weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            my_rows.iter_mut().for_each(|r| *r *= scale);
            self.close_columns(my_rows);
            rest = others;
            rows = other_rows;
        }
        Ok(())
    }

    /// The same on the engine's own device, if it does that.
    pub(crate) fn squares(
        &mut self,
        points: &[Cloud<f64>],
    ) -> Result<Option<Box<dyn Squares<f64> + '_>>, EngineError> {
        let weights = self.weights();
        self.engine.squares(points, &weights, &self.closed)
    }

    /// How many numbers of a Jacobian the engine's device takes, if it does that.
    pub(crate) fn most_numbers(&self) -> Option<usize> {
        self.engine.most_numbers()
    }

    /// The plain residuals of term `k`, neither weighted nor averaged, with their Jacobian.
    pub(crate) fn term_jacobian(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Cloud<f64>,
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        self.engine
            .residuals_and_jacobian(theta, &points.of_term(k), out, jacobian)?;
        self.close_columns(jacobian);
        Ok(())
    }

    /// The first unknown at points with its derivatives by every number that is trained.
    pub(crate) fn value_jacobian(
        &mut self,
        theta: &[f64],
        points: &[f64],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let batch = Batch::points(points).of_term(self.all.len());
        self.engine
            .residuals_and_jacobian(theta, &batch, out, jacobian)
    }

    /// Nothing depends on weights that stay zero.
    fn close_columns(&self, jacobian: &mut [f64]) {
        if !self.closed.is_empty() {
            let rows = jacobian.chunks_exact_mut(self.n_unknowns());
            rows.for_each(|row| self.close(row));
        }
    }
}
