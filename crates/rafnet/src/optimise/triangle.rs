//! The upper triangle of a tall matrix by Householder reflections, blocked and recursive, so that the work is matrix products.
//!
//! ```text
//! H = I − V T Vᵀ         [V₁ V₂]:  T = | T₁  −T₁ V₁ᵀ V₂ T₂ |          C ← Hᵀ C = C − V Tᵀ (Vᵀ C)
//!                                      |  0         T₂     |
//! ```
//!
//! (R. Schreiber, C. Van Loan, "A storage-efficient WY representation", 1989; E. Elmroth, F. Gustavson, 2000 for the recursion.)
//! faer's own factorisation takes a column as dependent, and drops it, when less than 16 m ε of it is left: for the thousands of
//! nearly dependent columns here that is ten digits where we want fifteen. This one drops nothing.

use super::parallel::each;
use crate::halt::{Crew, Halt};
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::sync::Mutex;

/// Columns of a block.
const BLOCK: usize = 64;
/// Columns that are reflected one by one.
const LEAF: usize = 4;
/// Columns that a thread turns at a time: the same on any number of threads, so that the bits are.
const PART: usize = 128;
/// Multiplications of a panel with the rest below which other threads are not worth waking.
const FEW: usize = 10_000_000;

/// Replaces `a` (tall) by its triangle: R on and above the diagonal, what is below is not meaningful. It is ended between panels of columns.
pub(crate) fn triangularise(a: &mut Mat<f64>, halt: &Halt) {
    let columns = a.ncols();
    triangularise_first(a.as_mut(), columns, Crew::single(halt));
}

/// The same for the first columns alone, on several threads: what is below the diagonal in the others is what these leave of them.
pub(crate) fn triangularise_first(a: MatMut<'_, f64>, columns: usize, crew: Crew<'_>) {
    panels(a, columns, crew, |_, _| ());
}

/// Solves R x = x for the triangle of as many first rows as `x` has numbers.
pub(crate) fn back_substitute(upper: &Mat<f64>, x: &mut [f64]) {
    for j in (0..x.len()).rev() {
        let column = upper.col(j);
        x[j] /= column[j];
        let pivot = x[j];
        x[..j]
            .iter_mut()
            .zip(column.iter())
            .for_each(|(x, r)| *x -= r * pivot);
    }
}

/// The reflections that made a triangle: Q, in factors.
pub(crate) struct Reflections(Vec<[Mat<f64>; 2]>);

impl Reflections {
    /// The same as [`triangularise`], and keeps the reflections.
    pub(crate) fn triangularise(a: &mut Mat<f64>, halt: &Halt) -> Self {
        let mut kept = Vec::new();
        let columns = a.ncols();
        panels(a.as_mut(), columns, Crew::single(halt), |v, t| {
            kept.push([v, t]);
        });
        Self(kept)
    }

    /// C ← Qᵀ C.
    pub(crate) fn turn(&self, c: &mut Mat<f64>) {
        let columns = c.ncols();
        for [v, t] in &self.0 {
            let (rows, below) = (v.nrows(), c.nrows() - v.nrows());
            let part = c.as_mut().submatrix_mut(below, 0, rows, columns);
            apply(v.as_ref(), t.as_ref(), part);
        }
    }
}

/// Triangularises the first columns panel by panel and hands over the reflections of each.
fn panels(
    mut a: MatMut<'_, f64>,
    columns: usize,
    crew: Crew<'_>,
    mut done: impl FnMut(Mat<f64>, Mat<f64>),
) {
    let (rows, all) = (a.nrows(), a.ncols());
    let mut at = 0;
    while at < columns && !crew.halt.is_raised() {
        let width = BLOCK.min(columns - at);
        let (mut v, mut t) = (Mat::zeros(rows - at, width), Mat::zeros(width, width));
        let below = a.rb_mut().submatrix_mut(at, at, rows - at, all - at);
        let (panel, rest) = below.split_at_col_mut(width);
        reflect(panel, v.as_mut(), t.as_mut());
        apply_by_parts(v.as_ref(), t.as_ref(), rest, crew);
        done(v, t);
        at += width;
    }
}

/// Triangularises a panel; its reflections are left in `v` (zero on entry) and `t`.
fn reflect(mut a: MatMut<'_, f64>, mut v: MatMut<'_, f64>, mut t: MatMut<'_, f64>) {
    let columns = a.ncols();
    if columns <= LEAF {
        return one_by_one(a, v, t);
    }
    let half = columns / 2;
    let rows = a.nrows();
    let (mut left, mut right) = a.rb_mut().split_at_col_mut(half);
    let (mut v1, mut v2) = v.rb_mut().split_at_col_mut(half);
    let (mut t1, mut t12, _, mut t2) = t.rb_mut().split_at_mut(half, half);
    reflect(left.rb_mut(), v1.rb_mut(), t1.rb_mut());
    apply(v1.rb(), t1.rb(), right.rb_mut());
    let lower = right.submatrix_mut(half, 0, rows - half, columns - half);
    let v2_lower = v2
        .rb_mut()
        .submatrix_mut(half, 0, rows - half, columns - half);
    reflect(lower, v2_lower, t2.rb_mut());
    let mut product = Mat::<f64>::zeros(half, columns - half);
    let mut with_t2 = product.clone();
    multiply(&mut product.as_mut(), v1.rb().transpose(), v2.rb(), 1.0);
    multiply(&mut with_t2.as_mut(), product.as_ref(), t2.rb(), 1.0);
    multiply(&mut t12, t1.rb(), with_t2.as_ref(), -1.0);
}

/// C ← C − V Tᵀ (Vᵀ C), a part of the columns after the other, or on other threads.
fn apply_by_parts(v: MatRef<'_, f64>, t: MatRef<'_, f64>, c: MatMut<'_, f64>, crew: Crew<'_>) {
    let few = v.nrows() * v.ncols() * c.ncols() < FEW;
    let mut parts = Vec::new();
    let mut rest = c;
    while rest.ncols() > 0 {
        let width = PART.min(rest.ncols());
        let (part, others) = rest.split_at_col_mut(width);
        parts.push(Mutex::new(Some(part)));
        rest = others;
    }
    let turn = |k: usize| {
        let part = parts[k].lock().ok().and_then(|mut part| part.take());
        part.into_iter().for_each(|part| apply(v, t, part));
    };
    each(parts.len(), crew.or_single(few), &turn);
}

/// C ← C − V Tᵀ (Vᵀ C).
fn apply(v: MatRef<'_, f64>, t: MatRef<'_, f64>, mut c: MatMut<'_, f64>) {
    let mut w = Mat::<f64>::zeros(v.ncols(), c.ncols());
    let mut turned = w.clone();
    multiply(&mut w.as_mut(), v.transpose(), c.rb(), 1.0);
    multiply(&mut turned.as_mut(), t.transpose(), w.as_ref(), 1.0);
    matmul(c.rb_mut(), Accum::Add, v, turned.as_ref(), -1.0, Par::Seq);
}

fn multiply(to: &mut MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>, factor: f64) {
    matmul(to.rb_mut(), Accum::Replace, a, b, factor, Par::Seq);
}

/// x ← β e₁ for the part of each column on and below the diagonal, with v = (1, x₂…/(x₁ − β)) and τ = (β − x₁)/β.
fn one_by_one(mut a: MatMut<'_, f64>, mut v: MatMut<'_, f64>, mut t: MatMut<'_, f64>) {
    let (rows, columns) = (a.nrows(), a.ncols());
    for j in 0..columns.min(rows) {
        let tail = a.rb().col(j).get(j + 1..).norm_l2();
        let head = a[(j, j)];
        let beta = -head.hypot(tail).copysign(head);
        v[(j, j)] = 1.0;
        if tail == 0.0 || beta == 0.0 {
            continue; // already reduced: τ = 0
        }
        let (tau, scale) = ((beta - head) / beta, 1.0 / (head - beta));
        for i in j + 1..rows {
            v[(i, j)] = a[(i, j)] * scale;
        }
        a[(j, j)] = beta;
        let reflection = v.rb().col(j).get(j..);
        for c in j + 1..columns {
            let mut column = a.rb_mut().col_mut(c).get_mut(j..);
            let dot: f64 = faer::linalg::matmul::dot::inner_prod(
                reflection.transpose(),
                faer::Conj::No,
                column.rb(),
                faer::Conj::No,
            );
            let step = -tau * dot;
            faer::zip!(column.rb_mut(), reflection).for_each(|faer::unzip!(x, v)| *x += step * *v);
        }
        // T's column: −τ T (Vᵀ v), then τ
        for i in 0..j {
            let mut sum = 0.0;
            for k in i..j {
                let dot: f64 = faer::linalg::matmul::dot::inner_prod(
                    v.rb().col(k).get(j..).transpose(),
                    faer::Conj::No,
                    v.rb().col(j).get(j..),
                    faer::Conj::No,
                );
                sum += t[(i, k)] * dot;
            }
            t[(i, j)] = -tau * sum;
        }
        t[(j, j)] = tau;
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, triangularise};
    use crate::halt::{Crew, Halt, Why};
    use faer::Mat;
    use proptest::prelude::*;

    proptest! {
        /// RᵀR = AᵀA, entry by entry to rounding: m terms of size one.
        #[test]
        fn the_triangle_has_the_same_gram_matrix(columns in 1usize..150, more in 0usize..40, seed in 0u64..1000) {
            let rows = columns + more;
            let entry = |i: usize, j: usize| {
                let mixed = (i as u64 * 7919 + j as u64 * 104_729 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (mixed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            let a = Mat::from_fn(rows, columns, entry);
            let mut r = a.clone();
            triangularise(&mut r, &Halt::default());
            let upper = Mat::from_fn(columns, columns, |i, j| if i <= j { r[(i, j)] } else { 0.0 });
            let (expected, found) = (a.transpose() * &a, upper.transpose() * &upper);
            let bound = 8.0 * rows as f64 * f64::EPSILON;
            for i in 0..columns {
                for j in 0..columns {
                    prop_assert!((expected[(i, j)] - found[(i, j)]).abs() <= bound, "({i}, {j})");
                }
            }
        }
    }

    /// Wide enough for several parts, tall enough for several threads.
    #[test]
    fn bits_do_not_depend_on_threads() {
        let a = Mat::from_fn(700, 500, |i, j| {
            (0.7 * (i * i) as f64 + 1.3 * j as f64).sin()
        });
        let [mut one, mut three] = [a.clone(), a];
        let halt = Halt::default();
        super::triangularise_first(one.as_mut(), 200, Crew::new(1, &halt));
        super::triangularise_first(three.as_mut(), 200, Crew::new(3, &halt));
        assert_eq!(one, three);
    }

    /// Qᵀ A is the triangle, with nothing below it.
    #[test]
    fn kept_reflections_turn_a_matrix_into_its_triangle() {
        let a = Mat::from_fn(200, 90, |i, j| {
            (0.7 * i as f64 + 1.3 * (j * j) as f64).sin()
        });
        let (mut r, mut turned) = (a.clone(), a.clone());
        super::Reflections::triangularise(&mut r, &Halt::default()).turn(&mut turned);
        for i in 0..200 {
            for j in 0..90 {
                let expected = if i <= j { r[(i, j)] } else { 0.0 };
                assert!((turned[(i, j)] - expected).abs() < 1e-12, "({i}, {j})");
            }
        }
    }

    /// Ended after the first of several panels, the columns of the others are as that one left them; ended before, nothing is touched.
    #[test]
    fn an_end_is_heard_between_panels() {
        let a = Mat::from_fn(400, 3 * BLOCK, |i, j| {
            (0.7 * (i * i) as f64 + 1.3 * j as f64).sin()
        });
        let halt = Halt::default();
        let mut first = a.clone();
        super::triangularise_first(first.as_mut(), BLOCK, Crew::single(&halt));
        let (mut ended, mut panels) = (a.clone(), 0);
        let columns = ended.ncols();
        super::panels(ended.as_mut(), columns, Crew::single(&halt), |_, _| {
            panels += 1;
            halt.raise(Why::Stopped);
        });
        assert_eq!((panels, &ended), (1, &first));
        let mut untouched = a.clone();
        triangularise(&mut untouched, &halt);
        assert_eq!(untouched, a);
    }

    /// Columns that agree to eleven digits are told apart: what is left of the second is 1e-12 of it, to four digits.
    #[test]
    fn nearly_dependent_columns_are_kept() {
        let a = Mat::from_fn(6000, 2, |i, j| {
            let wave = (i as f64 * 0.37).sin();
            if j == 0 { 1.0 } else { 1.0 + 1e-12 * wave }
        });
        let mut r = a.clone();
        triangularise(&mut r, &Halt::default());
        let expected = 1e-12 * 3000f64.sqrt();
        assert!(
            (r[(1, 1)].abs() / expected - 1.0).abs() < 1e-2,
            "{:e}",
            r[(1, 1)]
        );
    }
}
