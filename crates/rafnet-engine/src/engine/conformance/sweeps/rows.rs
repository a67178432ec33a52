//! The Jacobian's rows against the oracle's derivatives, and what is summed of them against the rows.

use super::{Bounded, Checked, Walk, effort};
use crate::engine::Columns;
use crate::expr::largest;
use crate::simd::Real;
use std::sync::atomic::Ordering;

/// Numbers of a Jacobian; larger batches are asked for in their first points only, but for one just beyond the tile.
const JACOBIAN: usize = 1 << 18;
const LARGE_JACOBIAN: usize = 1 << 20;
/// Parameters up to which the Gram matrix of all of them is looked at; beyond, that of the output layer's.
const WHOLE_GRAM: usize = 600;

impl<T: Real> Walk<'_, T> {
    /// Rows times the direction, block by block, against the oracle's derivatives along the blocks.
    pub(super) fn jacobian(&mut self, n: usize, columns: Columns) -> Checked {
        let what = self.what(&format!("Jacobian ({columns:?})"), n);
        let (count, width) = (
            self.case.probe.count,
            self.engine.objective().n_columns(columns),
        );
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
            .residuals_and_jacobian(
                &self.case.parameters,
                &batch,
                columns,
                &mut r,
                &mut jacobian,
            )
            .map_err(|e| format!("{what}: {e}"))?;
        let first = self.case.network.n_parameters() - width;
        let blocks = self.case.network.layout().named().to_vec();
        let mut values = Vec::new();
        let mut slopes: Vec<Vec<(usize, f64, Bounded<T>)>> = vec![Vec::new(); blocks.len()];
        for i in Self::samples(n, effort(&self.case.network, n).1) {
            let row = self.row(i);
            let root = self.root_weight(n, i);
            for m in 0..count {
                let found = &jacobian[(i * count + m) * width..][..width];
                values.push((i, r[i * count + m].to_f64(), row[0][m].value * root));
                for ((block, row), slopes) in blocks.iter().zip(&row).zip(&mut slopes) {
                    if block.range.start < first {
                        continue;
                    }
                    let product = |j: usize| self.direction[j] * found[j - first].to_f64();
                    let sum = block.range.clone().map(product).sum();
                    slopes.push((i, sum, row[m].slope * root));
                }
            }
        }
        self.near(&format!("{what}, residuals"), &values)?;
        for (block, slopes) in blocks.iter().zip(&slopes) {
            self.near(&format!("{what}, `{}`", block.name), slopes)?;
        }
        if columns == Columns::All && n > 0 {
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
        let p = self.case.network.n_parameters();
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
        for (block, entry) in self.case.network.layout().named().iter().zip(entries) {
            for j in block.range.clone() {
                let added = T::EPSILON * (4.0 + 2.0 * (n as f64).sqrt()) * sizes[j];
                let share = 8.0 * entry / block.range.len() as f64;
                let bound = Bounded::new(sums[j], felt * share + added);
                compared.push((j, gradient[j].to_f64(), bound));
            }
        }
        self.near(&what, &compared)
    }

    /// JᵀJ, Jᵀr and rᵀr against sums over the rows, which the oracle has sampled.
    pub(super) fn gram(&mut self, n: usize) -> Checked {
        let what = self.what("Gram matrix", n);
        let objective = self.engine.objective();
        let whole = objective.n_columns(Columns::All) <= WHOLE_GRAM;
        let columns = if whole {
            Columns::All
        } else {
            Columns::OutputLayer
        };
        let (width, count) = (objective.n_columns(columns), self.case.probe.count);
        let n = n.min(JACOBIAN / (count * width));
        let (mut r, mut jacobian) = (vec![T::ZERO; n * count], vec![T::ZERO; n * count * width]);
        let not_a_number = T::from_f64(f64::NAN);
        let (mut gram, mut right) = (vec![not_a_number; width * width], vec![not_a_number; width]);
        let (theta, batch) = (&self.case.parameters, self.pool.batch(n));
        let engine = &mut self.engine;
        let squares = engine
            .residuals_and_jacobian(theta, &batch, columns, &mut r, &mut jacobian)
            .and_then(|()| engine.gram(theta, &batch, columns, &mut gram, &mut right))
            .map_err(|e| format!("{what}: {e}"))?;
        // n products are rounded and added, in blocks, about √n errors deep; the rows themselves are the same
        let relative = T::EPSILON * (4.0 + 2.0 * ((n * count) as f64).sqrt());
        let bounded = |terms: &mut dyn Iterator<Item = f64>| {
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), v| (sum + v, size + v.abs()));
            Bounded::new(sum, relative * size)
        };
        let entry = |i: usize, k: usize| jacobian[i * width + k].to_f64();
        let rows = 0..n * count;
        let sum = bounded(&mut r.iter().map(|r| r.to_f64() * r.to_f64()));
        let mut compared = vec![(0, squares, sum)];
        for (k, right) in right.iter().enumerate() {
            let mut terms = rows.clone().map(|i| entry(i, k) * r[i].to_f64());
            compared.push((k, right.to_f64(), bounded(&mut terms)));
        }
        self.near(&format!("{what}, right-hand side"), &compared)?;
        let mut compared = Vec::new();
        // every entry of some rows, and some entries of every row
        for (k, m) in (0..width).flat_map(|k| (0..width).map(move |m| (k, m))) {
            if k % 37 == 0 || (k * 31 + m) % 97 == 0 {
                let mut terms = rows.clone().map(|i| entry(i, k) * entry(i, m));
                let found = gram[k * width + m].to_f64();
                compared.push((k * width + m, found, bounded(&mut terms)));
            }
        }
        self.near(&what, &compared)
    }
}
