//! The mean square's row: how far mean(u²) over the lattice is from what is asked, and its derivatives.
//!
//! ```text
//! r = c (mean(u²)/m − 1)        ∂r/∂θ: the pullback of 2c u ∂u/∂w / (m n)
//! ```

use super::Run;
use crate::solve::SolveError;
use crate::solve::eigen::form::Unknown;
use crate::solve::eigen::tuning::MEAN_WEIGHT;

impl Run<'_> {
    /// w at points.
    pub(super) fn values(&mut self, theta: &[f64], points: &[f64]) -> Result<Vec<f64>, SolveError> {
        let mut w = vec![0.0; points.len() / self.terms.system.known.dimension];
        self.terms.values(theta, points, &mut w)?;
        Ok(w)
    }

    /// The row of the mean square without its derivatives.
    pub(super) fn mean_row(&mut self, theta: &[f64]) -> Result<f64, SolveError> {
        let lattice = std::mem::take(&mut self.lattice);
        let w = self.values(theta, &lattice)?;
        self.lattice = lattice;
        let squares = w.iter().map(|w| self.unknown.value(*w).powi(2));
        let mean = squares.sum::<f64>() / w.len() as f64;
        Ok(MEAN_WEIGHT * (mean / self.eigen.mean_square - 1.0))
    }

    /// The same with its derivatives.
    pub(super) fn mean_slopes(
        &mut self,
        theta: &[f64],
        slopes: &mut [f64],
    ) -> Result<(), SolveError> {
        let lattice = std::mem::take(&mut self.lattice);
        let w = self.values(theta, &lattice)?;
        let factor = MEAN_WEIGHT / (self.eigen.mean_square * w.len() as f64);
        let cotangents: Vec<f64> = w
            .iter()
            .map(|w| match self.unknown {
                Unknown::Itself => 2.0 * factor * w,
                Unknown::Logarithm => 2.0 * factor * (2.0 * w).exp(),
            })
            .collect();
        self.terms
            .pull_values(theta, &lattice, &cotangents, slopes)?;
        self.lattice = lattice;
        Ok(())
    }
}
