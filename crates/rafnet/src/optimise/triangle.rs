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
use crate::simd::{inner_products, take_away};
use faer::linalg::matmul::matmul;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::sync::Mutex;

/// Columns of a block.
const BLOCK: usize = 64;
/// Columns that are reflected one by one.
const LEAF: usize = 8;
/// Columns that a thread turns at a time: the same on any number of threads, so that the bits are.
const PART: usize = 128;
/// Multiplications of a panel with the rest below which other threads are not worth waking.
const FEW: usize = 10_000_000;
/// Squares between which none is lost to underflow, nor a sum of them to overflow.
const SAFE: [f64; 2] = [1e-200, 1e200];

/// How many first rows have something in the first columns, so many of these: the rows after them are zero there, and no reflection of
/// these columns reads them.
pub(crate) type Reach<'a> = dyn Fn(usize) -> usize + 'a;

/// Rows that may have something anywhere.
pub(crate) const ANYWHERE: &Reach<'static> = &|_| usize::MAX;

/// Replaces `a` (tall) by its triangle: R on and above the diagonal, what is below is not meaningful. It is ended between panels of columns.
pub(crate) fn triangularise(a: &mut Mat<f64>, reach: &Reach<'_>, halt: &Halt) {
    let columns = a.ncols();
    triangularise_first(a.as_mut(), columns, reach, Crew::single(halt));
}

/// The same for the first columns alone, on several threads: what is below the diagonal in the others is what these leave of them.
pub(crate) fn triangularise_first(
    a: MatMut<'_, f64>,
    columns: usize,
    reach: &Reach<'_>,
    crew: Crew<'_>,
) {
    panels(a, columns, reach, crew, |_, _| ());
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
    pub(crate) fn triangularise(a: &mut Mat<f64>, reach: &Reach<'_>, halt: &Halt) -> Self {
        let mut kept = Vec::new();
        let columns = a.ncols();
        panels(a.as_mut(), columns, reach, Crew::single(halt), |v, t| {
            kept.push([v, t]);
        });
        Self(kept)
    }

    /// C ← Qᵀ C.
    pub(crate) fn turn(&self, c: &mut Mat<f64>) {
        let (columns, mut at) = (c.ncols(), 0);
        for [v, t] in &self.0 {
            let part = c.as_mut().submatrix_mut(at, 0, v.nrows(), columns);
            apply(v.as_ref(), t.as_ref(), part);
            at += v.ncols();
        }
    }
}

/// Triangularises the first columns panel by panel and hands over the reflections of each.
fn panels(
    mut a: MatMut<'_, f64>,
    columns: usize,
    reach: &Reach<'_>,
    crew: Crew<'_>,
    mut done: impl FnMut(Mat<f64>, Mat<f64>),
) {
    let (rows, all) = (a.nrows(), a.ncols());
    let mut at = 0;
    while at < columns && !crew.halt.is_raised() {
        let width = BLOCK.min(columns - at);
        let height = reach(at + width).clamp(at + width, rows) - at;
        let (mut v, mut t) = (Mat::zeros(height, width), Mat::zeros(width, width));
        let below = a.rb_mut().submatrix_mut(at, at, height, all - at);
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
    apply_narrow(v1.rb(), t1.rb(), right.rb_mut());
    let lower = right.submatrix_mut(half, 0, rows - half, columns - half);
    let v2_lower = v2
        .rb_mut()
        .submatrix_mut(half, 0, rows - half, columns - half);
    reflect(lower, v2_lower, t2.rb_mut());
    let mut product = vec![0.0; half * (columns - half)];
    inner_products(&slices(v1.rb(), 0), &slices(v2.rb(), 0), &mut product);
    let product = MatRef::from_column_major_slice(&product, half, columns - half);
    let mut with_t2 = Mat::<f64>::zeros(half, columns - half);
    multiply(&mut with_t2.as_mut(), product, t2.rb(), 1.0);
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

/// The same for a few columns, which a general product would copy first.
fn apply_narrow(v: MatRef<'_, f64>, t: MatRef<'_, f64>, c: MatMut<'_, f64>) {
    let (few, columns) = (v.ncols(), c.ncols());
    let (ours, mut theirs) = (slices(v, 0), slices_mut(c, 0));
    let mut w = vec![0.0; few * columns];
    let mut turned = w.clone();
    inner_products(&ours, &shared(&theirs), &mut w);
    let w = MatRef::from_column_major_slice(&w, few, columns);
    let mut to = MatMut::from_column_major_slice_mut(&mut turned, few, columns);
    multiply(&mut to, t.transpose(), w, 1.0);
    take_away(&mut theirs, &ours, &turned);
}

fn multiply(to: &mut MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>, factor: f64) {
    matmul(to.rb_mut(), Accum::Replace, a, b, factor, Par::Seq);
}

/// The columns from a row on.
fn slices(a: MatRef<'_, f64>, from: usize) -> Vec<&[f64]> {
    let slice = |j: usize| {
        let column = a.col(j).try_as_col_major();
        &column.expect("columns are contiguous").as_slice()[from..]
    };
    (0..a.ncols()).map(slice).collect()
}

pub(super) fn slices_mut(a: MatMut<'_, f64>, from: usize) -> Vec<&mut [f64]> {
    let columns = a.col_iter_mut().map(|column| {
        let column = column.try_as_col_major_mut();
        &mut column.expect("columns are contiguous").as_slice_mut()[from..]
    });
    columns.collect()
}

pub(super) fn shared<'a>(columns: &'a [&mut [f64]]) -> Vec<&'a [f64]> {
    columns.iter().map(|column| &**column).collect()
}

/// ‖x‖
pub(crate) fn norm(x: &[f64]) -> f64 {
    let mut square = [0.0];
    inner_products(&[x], &[x], &mut square);
    if square[0] > SAFE[0] && square[0] < SAFE[1] {
        square[0].sqrt()
    } else {
        faer::ColRef::from_slice(x).norm_l2()
    }
}

/// x ← β e₁ for the part of each column on and below the diagonal, with v = (1, x₂…/(x₁ − β)) and τ = (β − x₁)/β.
fn one_by_one(mut a: MatMut<'_, f64>, mut v: MatMut<'_, f64>, mut t: MatMut<'_, f64>) {
    let columns = a.ncols();
    for j in 0..columns.min(a.nrows()) {
        let (done, rest) = a.rb_mut().split_at_col_mut(j + 1);
        let (before, mut own) = v.rb_mut().split_at_col_mut(j);
        let own = own.rb_mut().col_mut(0).try_as_col_major_mut();
        let own = &mut own.expect("columns are contiguous").as_slice_mut()[j..];
        own[0] = 1.0;
        let mut done = slices_mut(done, j);
        let (head, x) = done[j].split_at_mut(1);
        let tail = norm(x);
        let beta = -head[0].hypot(tail).copysign(head[0]);
        if tail == 0.0 || beta == 0.0 {
            continue; // already reduced: τ = 0
        }
        let (tau, scale) = ((beta - head[0]) / beta, 1.0 / (head[0] - beta));
        take_away(&mut [&mut own[1..]], &[&*x], &[-scale]);
        head[0] = beta;
        // with the reflections before it, and with the columns after it
        let (mut rest, before) = (slices_mut(rest, j), slices(before.rb(), j));
        let mut w = vec![0.0; columns - 1];
        inner_products(&[&*own], &[before, shared(&rest)].concat(), &mut w);
        let (overlaps, steps) = w.split_at_mut(j);
        steps.iter_mut().for_each(|w| *w *= tau);
        take_away(&mut rest, &[&*own], steps);
        // T's column: −τ T (Vᵀ v), then τ
        for i in 0..j {
            let sum: f64 = (i..j).map(|k| t[(i, k)] * overlaps[k]).sum();
            t[(i, j)] = -tau * sum;
        }
        t[(j, j)] = tau;
    }
}

#[cfg(test)]
mod tests {
    use super::{ANYWHERE, BLOCK, triangularise};
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
            triangularise(&mut r, ANYWHERE, &Halt::default());
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
        super::triangularise_first(one.as_mut(), 200, ANYWHERE, Crew::new(1, &halt));
        super::triangularise_first(three.as_mut(), 200, ANYWHERE, Crew::new(3, &halt));
        assert_eq!(one, three);
    }

    /// Qᵀ A is the triangle, with nothing below it.
    #[test]
    fn kept_reflections_turn_a_matrix_into_its_triangle() {
        let a = Mat::from_fn(200, 90, |i, j| {
            (0.7 * i as f64 + 1.3 * (j * j) as f64).sin()
        });
        let (mut r, mut turned) = (a.clone(), a.clone());
        super::Reflections::triangularise(&mut r, ANYWHERE, &Halt::default()).turn(&mut turned);
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
        super::triangularise_first(first.as_mut(), BLOCK, ANYWHERE, Crew::single(&halt));
        let (mut ended, mut panels) = (a.clone(), 0);
        let columns = ended.ncols();
        super::panels(
            ended.as_mut(),
            columns,
            ANYWHERE,
            Crew::single(&halt),
            |_, _| {
                panels += 1;
                halt.raise(Why::Stopped);
            },
        );
        assert_eq!((panels, &ended), (1, &first));
        let mut untouched = a.clone();
        triangularise(&mut untouched, ANYWHERE, &halt);
        assert_eq!(untouched, a);
    }

    /// Rows that stand in the order of their first numbers, the last of them a diagonal: as if nothing were known of them.
    #[test]
    fn rows_that_are_not_reached_are_left_alone() {
        let (n, above) = (150, 200);
        let lead = |i: usize| if i < above { i / 3 } else { i - above };
        let a = Mat::from_fn(above + n, n, |i, j| {
            let entry = (0.7 * (i * i) as f64 + 1.3 * j as f64).sin();
            let there = if i < above {
                j >= lead(i)
            } else {
                j == lead(i)
            };
            if there { entry } else { 0.0 }
        });
        let [mut known, mut unknown] = [a.clone(), a];
        let halt = Halt::default();
        triangularise(&mut known, &|end| above + end, &halt);
        triangularise(&mut unknown, ANYWHERE, &halt);
        for j in 0..n {
            for i in 0..=j {
                let (found, expected) = (known[(i, j)], unknown[(i, j)]);
                assert!((found - expected).abs() < 1e-11, "({i}, {j})");
            }
        }
    }

    /// Columns that agree to eleven digits are told apart: what is left of the second is 1e-12 of it, to four digits.
    #[test]
    fn nearly_dependent_columns_are_kept() {
        let a = Mat::from_fn(6000, 2, |i, j| {
            let wave = (i as f64 * 0.37).sin();
            if j == 0 { 1.0 } else { 1.0 + 1e-12 * wave }
        });
        let mut r = a.clone();
        triangularise(&mut r, ANYWHERE, &Halt::default());
        let expected = 1e-12 * 3000f64.sqrt();
        assert!(
            (r[(1, 1)].abs() / expected - 1.0).abs() < 1e-2,
            "{:e}",
            r[(1, 1)]
        );
    }
}
