//! The damped Gauss–Newton step, in the smaller of parameter and sample space.
//!
//! ```text
//! parameters   (JᵀJ + λI) δ = −Jᵀr              samples   δ = −Jᵀ (JJᵀ + λI)⁻¹ r
//! ```
//!
//! The Gram matrix is made of fixed blocks, so its bits do not depend on the number of threads. Cholesky first; where λ is so small
//! that it runs out of digits, the triangle of [Jᵀ; √λ I] (or [J; √λ I]) by reflections, whose condition is the root.

use super::triangularise;
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Solve;
use faer::{Accum, Mat, MatRef, Par, Side};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows of a block of the Gram matrix.
const BLOCK: usize = 192;
/// Below this share of the mean diagonal Cholesky has no digits left for λ.
const DIGITS: f64 = 1e-13;

/// A Jacobian with its Gram matrix.
pub(crate) struct GaussNewton<'a> {
    jacobian: MatRef<'a, f64>,
    gram: Mat<f64>,
    in_samples: bool,
    /// The mean of the Gram matrix's diagonal.
    pub(crate) mean: f64,
}

impl<'a> GaussNewton<'a> {
    /// From a Jacobian of `rows` × `columns` numbers, row by row.
    pub(crate) fn new(jacobian: &'a [f64], rows: usize, columns: usize, threads: usize) -> Self {
        let jacobian = MatRef::from_row_major_slice(jacobian, rows, columns);
        let in_samples = rows <= columns;
        let factor = if in_samples {
            jacobian
        } else {
            jacobian.transpose()
        };
        let gram = gram(factor, threads);
        let n = gram.nrows();
        let mean = (0..n).map(|i| gram[(i, i)]).sum::<f64>() / n.max(1) as f64;
        Self {
            jacobian,
            gram,
            in_samples,
            mean,
        }
    }

    /// r + J d: the residuals that the linearisation foretells after a step d.
    pub(crate) fn ahead(&self, d: &[f64], residual: &[f64]) -> Vec<f64> {
        let d = Mat::from_fn(d.len(), 1, |i, _| d[i]);
        let change = self.jacobian * &d;
        residual
            .iter()
            .enumerate()
            .map(|(i, r)| r + change[(i, 0)])
            .collect()
    }

    /// The step for a damping; `None` where nothing finite comes out.
    pub(crate) fn step(&self, damping: f64, residual: &[f64]) -> Option<Vec<f64>> {
        let n = self.gram.nrows();
        let r = Mat::from_fn(residual.len(), 1, |i, _| -residual[i]);
        let right = if self.in_samples {
            r
        } else {
            self.jacobian.transpose() * &r
        };
        let fine = damping > DIGITS * self.mean;
        let solved = fine.then(|| {
            let mut damped = self.gram.clone();
            (0..n).for_each(|i| damped[(i, i)] += damping);
            damped
                .llt(Side::Lower)
                .ok()
                .map(|factor| factor.solve(&right))
        });
        let solved = solved
            .flatten()
            .unwrap_or_else(|| self.by_reflections(damping, &right));
        let step = if self.in_samples {
            self.jacobian.transpose() * &solved
        } else {
            solved
        };
        let step: Vec<f64> = (0..step.nrows()).map(|i| step[(i, 0)]).collect();
        step.iter().all(|v| v.is_finite()).then_some(step)
    }

    /// (F Fᵀ + λI)⁻¹ b with R of [Fᵀ; √λ I]: RᵀR is that matrix, and was never formed.
    fn by_reflections(&self, damping: f64, right: &Mat<f64>) -> Mat<f64> {
        let tall = if self.in_samples {
            self.jacobian.transpose()
        } else {
            self.jacobian
        };
        let (rows, n) = (tall.nrows(), tall.ncols());
        let root = damping.max(f64::EPSILON * f64::EPSILON * self.mean).sqrt();
        let mut stacked = Mat::from_fn(rows + n, n, |i, j| match i.checked_sub(rows) {
            None => tall[(i, j)],
            Some(k) if k == j => root,
            Some(_) => 0.0,
        });
        triangularise(&mut stacked);
        let mut x: Vec<f64> = (0..n).map(|i| right[(i, 0)]).collect();
        for i in 0..n {
            let column = stacked.col(i);
            let sum: f64 = (0..i).map(|k| column[k] * x[k]).sum();
            x[i] = (x[i] - sum) / column[i];
        }
        for i in (0..n).rev() {
            x[i] /= stacked[(i, i)];
            let pivot = x[i];
            (0..i).for_each(|k| x[k] -= stacked[(k, i)] * pivot);
        }
        Mat::from_fn(n, 1, |i, _| x[i])
    }
}

/// F Fᵀ by blocks, whichever thread makes which.
fn gram(factor: MatRef<'_, f64>, threads: usize) -> Mat<f64> {
    let n = factor.nrows();
    let blocks = n.div_ceil(BLOCK);
    let pairs: Vec<(usize, usize)> = (0..blocks)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .collect();
    let range = |b: usize| (b * BLOCK, BLOCK.min(n - b * BLOCK));
    let (next, whole) = (AtomicUsize::new(0), Mutex::new(Mat::<f64>::zeros(n, n)));
    let work = || {
        while let Some(&(i, j)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ((i0, height), (j0, width)) = (range(i), range(j));
            let mut product = Mat::<f64>::zeros(height, width);
            let (left, right) = (factor.subrows(i0, height), factor.subrows(j0, width));
            matmul(
                product.as_mut(),
                Accum::Replace,
                left,
                right.transpose(),
                1.0,
                Par::Seq,
            );
            let mut whole = whole
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            for a in 0..height {
                for b in 0..width {
                    whole[(i0 + a, j0 + b)] = product[(a, b)];
                    whole[(j0 + b, i0 + a)] = product[(a, b)];
                }
            }
        }
    };
    std::thread::scope(|scope| {
        (1..threads.min(pairs.len())).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    whole
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::GaussNewton;

    /// Numbers without pattern, so that matrices made of them have full rank.
    fn numbers(n: usize, seed: u64) -> Vec<f64> {
        let mixed = |i: usize| (i as u64 + 1 + seed * 7919).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = |i: usize| (mixed(i) ^ (mixed(i) >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (0..n)
            .map(|i| (mixed(i) >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
            .collect()
    }

    /// Both spaces, both factorisations: the normal equations hold for the step, to rounding times their condition.
    #[test]
    fn steps_solve_the_damped_normal_equations() {
        for (rows, columns) in [(7, 12), (12, 7), (300, 40), (40, 300)] {
            let (j, r) = (numbers(rows * columns, 2), numbers(rows, 3));
            let normal = GaussNewton::new(&j, rows, columns, 2);
            for damping in [1.0, 1e-3, 1e-14 * normal.mean] {
                let step = normal.step(damping, &r).expect("a step");
                let after: Vec<f64> = (0..rows)
                    .map(|i| {
                        (0..columns)
                            .map(|k| j[i * columns + k] * step[k])
                            .sum::<f64>()
                            + r[i]
                    })
                    .collect();
                for k in 0..columns {
                    let gradient: f64 = (0..rows).map(|i| j[i * columns + k] * after[i]).sum();
                    let left = gradient + damping * step[k];
                    assert!(
                        left.abs() < 1e-9 * normal.mean,
                        "{rows} × {columns}, λ {damping:e}: {left:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (j, r) = (numbers(500 * 600, 2), numbers(500, 3));
        let one = GaussNewton::new(&j, 500, 600, 1).step(1e-2, &r);
        assert_eq!(one, GaussNewton::new(&j, 500, 600, 3).step(1e-2, &r));
    }
}
