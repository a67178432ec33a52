//! Gradient descent itself, θ ← θ − η Jᵀ r, on ½|r|²: what the closed form of [`Linearised`](super::Linearised) is held against.
//!
//! Over a time t = kη both agree to second order in t: the curvature of r and the difference between Euler's steps and the flow
//! are each O(t²) when k is fixed.

use super::{NtkError, Tangent};

/// Where gradient descent arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Descended {
    /// The residuals, neither weighted nor averaged.
    pub residuals: Vec<f64>,
    /// ½|r|² before each step, and at the end.
    pub losses: Vec<f64>,
}

impl Tangent {
    /// Takes `steps` steps η on all residuals at once; the parameters stay where they arrive.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow, as they do with η > 2/λ_max.
    pub fn descend(&mut self, eta: f64, steps: usize) -> Result<Descended, NtkError> {
        let mut losses = Vec::with_capacity(steps + 1);
        let half_square = |r: &[f64]| 0.5 * r.iter().map(|r| r * r).sum::<f64>();
        for _ in 0..steps {
            let (mut gradient, mut loss) = (vec![0.0; self.n_columns()], 0.0);
            for slab in self.slabs() {
                let rows = self.rows(&slab)?;
                loss += half_square(&rows.residual);
                let each = rows.jacobian.chunks_exact(gradient.len());
                for (row, r) in each.zip(&rows.residual) {
                    gradient.iter_mut().zip(row).for_each(|(g, j)| *g += r * j);
                }
            }
            losses.push(loss);
            let pairs = self.theta_mut().iter_mut().zip(&gradient);
            pairs.for_each(|(theta, g)| *theta -= eta * g);
        }
        let residuals = self.residuals()?;
        losses.push(half_square(&residuals));
        Ok(Descended { residuals, losses })
    }
}
