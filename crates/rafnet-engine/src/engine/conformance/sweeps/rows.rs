//! The Jacobian's rows against the oracle's derivatives, and the gradient against the rows.

use super::{Bounded, Checked, Walk, effort};
use crate::expr::largest;
use crate::simd::Real;
use std::sync::atomic::Ordering;

/// Numbers of a Jacobian; larger batches are asked for in their first points only, but for one just beyond the tile.
const JACOBIAN: usize = 1 << 18;
const LARGE_JACOBIAN: usize = 1 << 20;

impl<T: Real> Walk<'_, T> {
    /// Rows times the direction, block by block, against the oracle's derivatives along the blocks.
    pub(super) fn jacobian(&mut self, n: usize) -> Checked {
        let what = self.what("Jacobian", n);
        let (count, width) = (self.case.probe.count, self.case.parameters.len());
        let tile = self.case.probe.tile.load(Ordering::Relaxed);
        let most = if n == tile + 1 {
            LARGE_JACOBIAN
        } else {
            JACOBIAN
        };
        let n = n.min(most / (count * width));
        let (mut r, mut jacobian) = (
            vec![T::from_f64(f64::NAN); n * count],
            vec![T::from_f64(f64::NAN); n * count * width],
        );
        let batch = self.pool.batch(n);
        self.engine
            .residuals_and_jacobian(&self.case.parameters, &batch, &mut r, &mut jacobian)
            .map_err(|e| format!("{what}: {e}"))?;
        let blocks = self.case.blocks();
        let mut values = Vec::new();
        let mut slopes: Vec<Vec<(usize, f64, Bounded<T>)>> = vec![Vec::new(); blocks.len()];
        for i in Self::samples(n, effort(&self.case.network, n).1) {
            let row = self.row(i);
            let root = self.root_weight(n, i);
            for m in 0..count {
                let found = &jacobian[(i * count + m) * width..][..width];
                values.push((i, r[i * count + m].to_f64(), row[0][m].value * root));
                for (((_, range), row), slopes) in blocks.iter().zip(&row).zip(&mut slopes) {
                    let product = |j: usize| self.direction[j] * found[j].to_f64();
                    let sum = range.clone().map(product).sum();
                    slopes.push((i, sum, row[m].slope * root));
                }
            }
        }
        self.near(&format!("{what}, residuals"), &values)?;
        for ((name, _), slopes) in blocks.iter().zip(&slopes) {
            self.near(&format!("{what}, `{name}`"), slopes)?;
        }
        if n > 0 {
            // |v| ≥ 1, so what bounds the error of a block's sum bounds that of each of its entries
            let worst = |slopes: &Vec<(usize, f64, Bounded<T>)>| {
                let known = slopes.iter().map(|s| s.2.error).filter(|e| e.is_finite());
                largest(known)
            };
            let entries: Vec<f64> = slopes.iter().map(worst).collect();
            self.gradient_of_rows(n, &r, &jacobian, &entries)?;
        }
        Ok(())
    }

    /// Loss and gradient of a batch against (1/n) Σ r² and (2/n) Jᵀr, from rows that the oracle has sampled.
    fn gradient_of_rows(&mut self, n: usize, r: &[T], jacobian: &[T], entries: &[f64]) -> Checked {
        let what = self.what("loss and gradient against the Jacobian's rows", n);
        let p = self.case.parameters.len();
        let mut gradient = vec![T::from_f64(f64::NAN); p];
        let batch = self.pool.batch(n);
        let loss = self
            .engine
            .loss_and_gradient(&self.case.parameters, &batch, &mut gradient)
            .map_err(|e| format!("{what}: {e}"))?;
        let r: Vec<f64> = r.iter().map(|r| r.to_f64()).collect();
        let squares = r.iter().map(|r| r * r).sum::<f64>() / n as f64;
        // the weight's root, the product and the square are rounded once each; the sum is in f64
        let relative = 8.0 * T::EPSILON + n as f64 * f64::EPSILON;
        let bound = Bounded::new(squares, relative * squares);
        self.near(&format!("{what}, loss"), &[(0, loss, bound)])?;
        let (mut sums, mut sizes) = (vec![0.0; p], vec![0.0; p]);
        for (row, &r) in jacobian.chunks_exact(p).zip(&r) {
            for ((sum, size), j) in sums.iter_mut().zip(&mut sizes).zip(row) {
                let term = 2.0 / n as f64 * r * j.to_f64();
                *sum += term;
                *size += term.abs();
            }
        }
        // A row and the gradient round apart along the same paths, each entry within its share of what the oracle allows its
        // block's sum (the most it saw; ×8 for uneven shares); then n terms are added, in blocks, about √n errors deep.
        let felt = 2.0 / n as f64 * r.iter().map(|r| r.abs()).sum::<f64>();
        let mut compared = Vec::new();
        for ((_, range), entry) in self.case.blocks().iter().zip(entries) {
            for j in range.clone() {
                let added = T::EPSILON * (4.0 + 2.0 * (n as f64).sqrt()) * sizes[j];
                let share = 8.0 * entry / range.len() as f64;
                let bound = Bounded::new(sums[j], felt * share + added);
                compared.push((j, gradient[j].to_f64(), bound));
            }
        }
        self.near(&what, &compared)
    }
}
