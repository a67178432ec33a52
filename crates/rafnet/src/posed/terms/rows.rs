//! The terms' Jacobians, by the network's parameters and by the sought ones.

use super::{Points, Terms};
use crate::engine::{Batch, Columns, EngineError};
use crate::posed::Block;

impl Terms {
    /// The residuals with their Jacobian, a row of `n_unknowns` numbers each.
    pub(crate) fn jacobian(
        &mut self,
        theta: &[f64],
        points: &[Points],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let (d, width) = (self.system.known.dimension, self.n_unknowns());
        let (mut rest, mut rows) = (out, jacobian);
        for (k, points) in points.iter().enumerate().take(self.all.len()) {
            let n = points.points.len() / d;
            let height = n * self.all[k].count;
            let (mine, others) = rest.split_at_mut(height);
            let (my_rows, other_rows) = rows.split_at_mut(height * width);
            self.term_jacobian(k, theta, points, mine, my_rows)?;
            let scale = (self.all[k].weight / n.max(1) as f64).sqrt();
            mine.iter_mut().for_each(|r| *r *= scale);
            my_rows.iter_mut().for_each(|r| *r *= scale);
            rest = others;
            rows = other_rows;
        }
        for c in 0..self.coupled.len() {
            let height = self.coupled[c].n_rows();
            let (mine, others) = rest.split_at_mut(height);
            let (my_rows, other_rows) = rows.split_at_mut(height * width);
            let plain = self.coupled_rows(c, theta, Some(&mut *my_rows))?;
            let scale = (self.coupled[c].weight / height.max(1) as f64).sqrt();
            mine.iter_mut().zip(plain).for_each(|(m, r)| *m = scale * r);
            my_rows.iter_mut().for_each(|r| *r *= scale);
            rest = others;
            rows = other_rows;
        }
        Ok(())
    }

    /// How many residuals term `k` has at a point.
    pub(crate) fn count(&self, k: usize) -> usize {
        self.all[k].count
    }

    /// Which condition or observation term `k` is; `None` for the equations.
    pub(crate) fn place(&self, k: usize) -> Option<usize> {
        self.all[k].place
    }

    /// Numbers beside each point of term `k`.
    pub(crate) fn columns(&self, k: usize) -> usize {
        self.all[k].columns()
    }

    /// The plain residuals of term `k`, neither weighted nor averaged, with their Jacobian.
    pub(crate) fn term_jacobian(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Points,
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        self.set(theta);
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let term = &mut self.all[k];
        let batch = Batch::points(&points.points).with_data(&points.data);
        if width == p {
            let columns = Columns::All;
            term.engine
                .residuals_and_jacobian(&theta[..p], &batch, columns, out, jacobian)?;
            self.close_columns(jacobian);
            return Ok(());
        }
        let mut plain = vec![0.0; out.len() * p];
        term.engine
            .residuals_and_jacobian(&theta[..p], &batch, Columns::All, out, &mut plain)?;
        let slopes = self.slopes_by_sought(k, theta, points)?;
        for (i, row) in jacobian.chunks_exact_mut(width).enumerate() {
            row[..p].copy_from_slice(&plain[i * p..(i + 1) * p]);
            row[p..].copy_from_slice(&slopes[i * (width - p)..(i + 1) * (width - p)]);
        }
        self.close_columns(jacobian);
        Ok(())
    }

    /// Nothing depends on weights that stay zero.
    fn close_columns(&self, jacobian: &mut [f64]) {
        if !self.closed.is_empty() {
            let rows = jacobian.chunks_exact_mut(self.n_unknowns());
            rows.for_each(|row| self.close(row));
        }
    }

    /// The first unknown at points with its derivatives by every number that is trained.
    pub(crate) fn value_jacobian(
        &mut self,
        theta: &[f64],
        points: &[f64],
        out: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EngineError> {
        let (p, width) = (self.n_parameters(), self.n_unknowns());
        let batch = Batch::points(points);
        let mut plain = vec![0.0; out.len() * p];
        self.evaluator.residuals_and_jacobian(
            &theta[..p],
            &batch,
            Columns::All,
            out,
            &mut plain,
        )?;
        jacobian.fill(0.0);
        let rows = jacobian.chunks_exact_mut(width).zip(plain.chunks_exact(p));
        rows.for_each(|(row, plain)| row[..p].copy_from_slice(plain));
        Ok(())
    }

    /// Σ 2 r ∂r/∂(sought) / n over a term's residuals.
    pub(super) fn gradient_by_sought(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Points,
    ) -> Result<Vec<f64>, EngineError> {
        let (p, d, s) = (
            self.n_parameters(),
            self.system.known.dimension,
            self.n_sought,
        );
        let n = points.points.len() / d;
        let mut r = vec![0.0; n * self.all[k].count];
        let batch = Batch::points(&points.points).with_data(&points.data);
        self.all[k].engine.residuals(&theta[..p], &batch, &mut r)?;
        let slopes = self.slopes_by_sought(k, theta, points)?;
        let of_one = |q: usize| {
            let rows = r.iter().zip(slopes.chunks_exact(s));
            rows.map(|(r, slope)| 2.0 * r * slope[q]).sum::<f64>() / n.max(1) as f64
        };
        Ok((0..s).map(of_one).collect())
    }

    /// ∂r/∂(sought) of a term, a row for each residual.
    fn slopes_by_sought(
        &mut self,
        k: usize,
        theta: &[f64],
        points: &Points,
    ) -> Result<Vec<f64>, EngineError> {
        let (d, s) = (self.system.known.dimension, self.n_sought);
        let sought = self.sought(theta);
        let n = points.points.len() / d;
        let equations = self.system.problem.equations.len();
        let which: Vec<usize> = match self.all[k].place {
            None => (0..equations).collect(),
            Some(c) => vec![equations + c],
        };
        let count = which.len();
        let mut slopes = vec![0.0; n * count * s];
        for (m, r) in which.into_iter().enumerate() {
            let data = match points.data.len() {
                0 => vec![0.0; n * (d + 1)],
                _ => points.data.clone(),
            };
            let normals: Vec<f64> = data
                .chunks(d + 1)
                .flat_map(|row| row[..d].to_vec())
                .collect();
            let observed: Vec<f64> = data.chunks(d + 1).map(|row| row[d]).collect();
            let block = Block::new(r, self.system.known.sites(&points.points))
                .with_normals(&normals)
                .with_observed(&observed);
            let jets = self.jets(theta, r, &points.points)?;
            let response = self.system.residuals[r].respond(&block, &jets, &sought);
            let first = 1 + self.system.residuals[r].jets.len();
            for i in 0..n {
                for q in 0..s {
                    slopes[(i * count + m) * s + q] = response[first + q][i];
                }
            }
        }
        Ok(slopes)
    }
}
