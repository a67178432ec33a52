//! Training in closed form: gradient flow and gradient descent on ½|r|² for the residuals linearised at the start.
//!
//! ```text
//! r(t) = r₀ + U (e^{−λt} − 1) Uᵀ r₀              ω(t) = θ(t) − θ₀ = −Jᵀ U g(t) Uᵀ r₀        g(t) = (1 − e^{−λt})/λ
//! u(x)(t) = u₀(x) − Θ(x, X) U g(t) Uᵀ r₀          r_k = r₀ + U ((1 − ηλ)^k − 1) Uᵀ r₀  after k steps η of gradient descent
//! ```
//!
//! The component along an eigenvector decays like e^{−λt}: what belongs to small eigenvalues is learnt last. g is computed by
//! `exp_m1` with its limit t, so that nothing is inverted. For a loss |r|²/2n replace t by t/n.

use super::spectrum::LARGEST_TRIANGLE;
use super::{Kernel, NtkError, Tangent};
use faer::{Mat, MatRef};

/// Linearised training from one start.
#[derive(Clone, Debug)]
pub struct Linearised {
    /// λ, in descending order.
    pub eigenvalues: Vec<f64>,
    /// r₀
    pub start: Vec<f64>,
    vectors: Mat<f64>,  // (rows, eigenvalues)
    along: Vec<f64>,    // Uᵀ r₀
    jacobian: Vec<f64>, // (rows, columns)
}

impl Tangent {
    /// Training from here in closed form.
    ///
    /// # Errors
    /// [`NtkError`] where numbers overflow, or with more than 3,000 residuals.
    pub fn linearised(&mut self) -> Result<Linearised, NtkError> {
        let (n, p) = (self.n_rows(), self.n_columns());
        if n > LARGEST_TRIANGLE {
            return Err(NtkError::TooMany {
                found: n,
                most: LARGEST_TRIANGLE,
            });
        }
        let (mut start, mut jacobian) = (Vec::with_capacity(n), Vec::with_capacity(n * p));
        for slab in self.slabs() {
            let rows = self.rows(&slab)?;
            start.extend(rows.residual);
            jacobian.extend(rows.jacobian);
        }
        let failed = |_| NtkError::NoEigenvalues { size: n.min(p) };
        // J = (QR)ᵀ = RᵀQᵀ has the left vectors of Rᵀ, the right ones of R
        let (vectors, sigma): (Mat<f64>, Vec<f64>) = if n <= p {
            let svd = self.triangle()?.svd().map_err(failed)?;
            (
                svd.V().to_owned(),
                svd.S().column_vector().iter().copied().collect(),
            )
        } else {
            let j = MatRef::from_row_major_slice(&jacobian, n, p);
            let svd = j.thin_svd().map_err(failed)?;
            (
                svd.U().to_owned(),
                svd.S().column_vector().iter().copied().collect(),
            )
        };
        let along = (0..sigma.len())
            .map(|k| (0..n).map(|i| vectors[(i, k)] * start[i]).sum())
            .collect();
        Ok(Linearised {
            eigenvalues: sigma.iter().map(|s| s * s).collect(),
            start,
            vectors,
            along,
            jacobian,
        })
    }
}

impl Linearised {
    /// The residuals after time t of gradient flow.
    pub fn residuals(&self, t: f64) -> Vec<f64> {
        self.with_change(|lambda| (-lambda * t).exp_m1())
    }

    /// The residuals after `steps` steps of gradient descent with step η.
    pub fn after_steps(&self, eta: f64, steps: u32) -> Vec<f64> {
        let change = |lambda: f64| {
            let factor = 1.0 - eta * lambda;
            if factor > 0.0 {
                (f64::from(steps) * (-eta * lambda).ln_1p()).exp_m1()
            } else {
                factor.powi(i32::try_from(steps).unwrap_or(i32::MAX)) - 1.0
            }
        };
        self.with_change(change)
    }

    /// ½|r(t)|², without forming r.
    pub fn loss(&self, t: f64) -> f64 {
        let pairs = self.eigenvalues.iter().zip(&self.along);
        let left: f64 = pairs
            .map(|(lambda, a)| a * a * (-2.0 * lambda * t).exp())
            .sum();
        // with fewer parameters than residuals a part of r₀ is out of reach
        let unseen = if self.along.len() < self.start.len() {
            let all: f64 = self.start.iter().map(|r| r * r).sum();
            let seen: f64 = self.along.iter().map(|a| a * a).sum();
            (all - seen).max(0.0)
        } else {
            0.0
        };
        0.5 * (unseen + left)
    }

    /// θ(t) − θ₀ under gradient flow.
    pub fn parameters(&self, t: f64) -> Vec<f64> {
        let weights = self.weights(t);
        let p = self.jacobian.len() / self.start.len();
        let mut moved = vec![0.0; p];
        for (row, w) in self.jacobian.chunks_exact(p).zip(&weights) {
            moved.iter_mut().zip(row).for_each(|(m, j)| *m -= w * j);
        }
        moved
    }

    /// u at other points under gradient flow, from its values at the start and the cross kernel of the same points.
    pub fn predict(&self, cross: &Kernel, values: &[f64], t: f64) -> Vec<f64> {
        let weights = self.weights(t);
        let rows = cross.values.chunks_exact(cross.n_columns).zip(values);
        rows.map(|(row, value)| value - row.iter().zip(&weights).map(|(k, w)| k * w).sum::<f64>())
            .collect()
    }

    /// U g(t) Uᵀ r₀
    fn weights(&self, t: f64) -> Vec<f64> {
        let g = |lambda: f64| {
            let rate = -(-lambda * t).exp_m1() / lambda;
            if rate.is_finite() { rate } else { t }
        };
        self.combined(g)
    }

    fn with_change(&self, change: impl Fn(f64) -> f64) -> Vec<f64> {
        let change = self.combined(change);
        let pairs = self.start.iter().zip(change);
        pairs.map(|(r, change)| r + change).collect()
    }

    /// U f(λ) Uᵀ r₀
    fn combined(&self, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let scaled: Vec<f64> = self
            .eigenvalues
            .iter()
            .zip(&self.along)
            .map(|(&lambda, a)| f(lambda) * a)
            .collect();
        let scaled = &scaled;
        let entry = |i: usize| (0..scaled.len()).map(move |k| self.vectors[(i, k)] * scaled[k]);
        (0..self.start.len()).map(|i| entry(i).sum()).collect()
    }
}
