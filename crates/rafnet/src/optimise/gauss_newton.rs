//! The damped Gauss–Newton step, in the smaller of parameter and sample space.
//!
//! ```text
//! parameters   (JᵀJ + λI) δ = −Jᵀr              samples   δ = −Jᵀ (JJᵀ + λI)⁻¹ r
//! ```
//!
//! The Gram matrix is made of fixed blocks, so its bits do not depend on the number of threads. Cholesky first; where λ is so small
//! that it runs out of digits, the triangle of [Jᵀ; √λ I] (or [J; √λ I]) by reflections, whose condition is the root.

use super::triangularise;
use crate::halt::{Crew, Halt};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{self, LltRegularization};
use faer::linalg::cholesky::llt::solve;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par, Spec};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows of a block of the Gram matrix.
const BLOCK: usize = 192;
/// Columns of a block of Cholesky's factor: those of faer's own, so that the bits are the same.
const COLUMNS: usize = 128;
/// Below this share of the mean diagonal Cholesky has no digits left for λ.
const DIGITS: f64 = 1e-13;

/// A Jacobian with its Gram matrix.
pub(crate) struct GaussNewton<'a> {
    jacobian: MatRef<'a, f64>,
    gram: Mat<f64>,
    in_samples: bool,
    halt: &'a Halt,
    /// The mean of the Gram matrix's diagonal.
    pub(crate) mean: f64,
}

impl<'a> GaussNewton<'a> {
    /// From a Jacobian of `rows` × `columns` numbers, row by row. Of no use once it is ended.
    pub(crate) fn new(jacobian: &'a [f64], rows: usize, columns: usize, crew: Crew<'a>) -> Self {
        let jacobian = MatRef::from_row_major_slice(jacobian, rows, columns);
        let in_samples = rows <= columns;
        let factor = if in_samples {
            jacobian
        } else {
            jacobian.transpose()
        };
        let gram = gram(factor, crew);
        let n = gram.nrows();
        let mean = (0..n).map(|i| gram[(i, i)]).sum::<f64>() / n.max(1) as f64;
        Self {
            jacobian,
            gram,
            in_samples,
            halt: crew.halt,
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

    /// The step for a damping; `None` where nothing finite comes out, or when it is ended.
    pub(crate) fn step(&self, damping: f64, residual: &[f64]) -> Option<Vec<f64>> {
        if self.halt.is_raised() {
            return None;
        }
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
            cholesky(damped.as_mut(), self.halt)?;
            let mut solved = right.clone();
            let room = solve::solve_in_place_scratch::<f64>(n, 1, Par::Seq);
            let mut memory = MemBuffer::new(room);
            let stack = MemStack::new(&mut memory);
            solve::solve_in_place(damped.as_ref(), solved.as_mut(), Par::Seq, stack);
            Some(solved)
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
        triangularise(&mut stacked, &|end| rows + end, self.halt);
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

/// Replaces the lower triangle of A by that of L, A = L Lᵀ, a block of columns after the other, as faer's own factorisation does it but for
/// being ended between blocks; `None` where A is not positive.
fn cholesky(mut a: MatMut<'_, f64>, halt: &Halt) -> Option<()> {
    let n = a.nrows();
    let most = COLUMNS.min(n);
    let room = factor::cholesky_in_place_scratch::<f64>(most, Par::Seq, Spec::default());
    let mut memory = MemBuffer::new(room);
    let mut at = 0;
    while at < n && !halt.is_raised() {
        let width = most.min(n - at);
        let rest = a.rb_mut().submatrix_mut(at, at, n - at, n - at);
        let (mut head, _, mut below, mut rest) = rest.split_at_mut(width, width);
        factor::cholesky_in_place(
            head.rb_mut(),
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .ok()?;
        solve_lower_triangular_in_place(head.rb(), below.rb_mut().transpose_mut(), Par::Seq);
        triangular::matmul(
            rest.rb_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            below.rb(),
            BlockStructure::Rectangular,
            below.rb().transpose(),
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
        at += width;
    }
    Some(())
}

/// F Fᵀ by blocks, whichever thread makes which.
fn gram(factor: MatRef<'_, f64>, crew: Crew<'_>) -> Mat<f64> {
    let n = factor.nrows();
    let blocks = n.div_ceil(BLOCK);
    let pairs: Vec<(usize, usize)> = (0..blocks)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .collect();
    let range = |b: usize| (b * BLOCK, BLOCK.min(n - b * BLOCK));
    let (next, whole) = (AtomicUsize::new(0), Mutex::new(Mat::<f64>::zeros(n, n)));
    let work = || {
        while let Some(&(i, j)) = pairs.get(next.fetch_add(1, Ordering::Relaxed))
            && !crew.halt.is_raised()
        {
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
        (1..crew.threads.min(pairs.len())).for_each(|_| {
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
    use crate::halt::{Crew, Halt, Why};
    use faer::{MatRef, Side};

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
            let halt = Halt::default();
            let normal = GaussNewton::new(&j, rows, columns, Crew::new(2, &halt));
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

    /// Blocks of columns give faer's factor to the last bit, whole ones and a last one that is not.
    #[test]
    fn the_factor_is_faers() {
        for n in [5, 100, 128, 129, 400] {
            let entries = numbers(n * 2 * n, 5);
            let f = MatRef::from_row_major_slice(&entries, n, 2 * n);
            let a = f * f.transpose();
            let expected = a.llt(Side::Lower).expect("a positive matrix");
            let (mut found, halt) = (a.clone(), Halt::default());
            assert_eq!(super::cholesky(found.as_mut(), &halt), Some(()));
            for j in 0..n {
                for i in j..n {
                    let [mine, faers] = [found[(i, j)], expected.L()[(i, j)]];
                    assert_eq!(mine.to_bits(), faers.to_bits(), "{n}: ({i}, {j})");
                }
            }
            halt.raise(Why::Stopped);
            let mut ended = a.clone();
            super::cholesky(ended.as_mut(), &halt);
            assert_eq!(ended, a);
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (j, r) = (numbers(500 * 600, 2), numbers(500, 3));
        let halt = Halt::default();
        let step = |threads: usize| {
            GaussNewton::new(&j, 500, 600, Crew::new(threads, &halt)).step(1e-2, &r)
        };
        let one = step(1);
        assert!(one.is_some() && one == step(3));
        halt.raise(Why::Stopped);
        assert_eq!(step(2), None);
    }
}
