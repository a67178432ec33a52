//! min ‖A c − b‖ by orthogonal factorisation, never by normal equations.
//!
//! ```text
//! | A D  B |   | Q |
//! | μ I  0 | = | · | [ R  Y ]        c = D R⁻¹ y        D scales the columns of A to norm one
//! ```
//!
//! The rows μ I, at the level of rounding, keep R regular however dependent the columns are: what they take from the residual is
//! μ ‖c‖, as a truncated decomposition would (P. C. Hansen, "Truncated singular value decomposition solutions to discrete
//! ill-posed problems", 1990), and the factorisation stays a blocked one without pivots. Several right-hand sides share it.

use super::triangle::back_substitute;
use super::{ANYWHERE, bounded, norm, triangularise};
use crate::halt::Halt;
use faer::{Mat, MatRef};

/// μ: a few times the rounding error of a column of norm one.
pub(crate) const RIDGE: f64 = 4e-15;

/// A factored least-squares problem with its right-hand sides.
pub(crate) struct LeastSquares {
    /// R beside Y, on and above the diagonal.
    upper: Mat<f64>,
    scale: Vec<f64>,
}

impl LeastSquares {
    /// Room for `rows` of A, B beside it, and the rows μ I below.
    pub(crate) fn room(rows: usize, columns: usize, sides: usize) -> Mat<f64> {
        Mat::zeros(rows + columns, columns + sides)
    }

    /// Factors what stands in the [`room`](Self::room): A in the first columns, B in the last `sides`. Of no use once it is ended.
    pub(crate) fn new(mut joint: Mat<f64>, sides: usize, halt: &Halt) -> Self {
        let columns = joint.ncols() - sides;
        let rows = joint.nrows() - columns;
        let mut scale = vec![1.0; columns];
        for (j, scale) in scale.iter_mut().enumerate() {
            let norm = norm(joint.col_as_slice(j));
            if norm > 0.0 && norm.is_finite() {
                *scale = 1.0 / norm;
                let factor = *scale;
                joint.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            }
            joint[(rows + j, j)] = RIDGE;
        }
        triangularise(&mut joint, &|end| rows + end, halt);
        Self {
            upper: joint,
            scale,
        }
    }

    /// The solution for the combination Σ_k t_k B_k.
    pub(crate) fn solve(&self, combination: &[f64]) -> Vec<f64> {
        let n = self.scale.len();
        let mut x = self.right_hand_side(combination);
        back_substitute(&self.upper, &mut x[..n]);
        x.iter().zip(&self.scale).map(|(x, s)| x * s).collect()
    }

    /// The same with the last unknowns between bounds, [low, high] of each.
    pub(crate) fn solve_within(&self, combination: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
        let free = self.solve(combination);
        let (n, p) = (self.scale.len(), bounds.len());
        let outside = |(x, [low, high]): (&f64, &[f64; 2])| x < low || x > high;
        if !free[n - p..].iter().zip(bounds).any(outside) {
            return free;
        }
        let mut x = self.right_hand_side(combination);
        let scaled = bounds.iter().zip(&self.scale[n - p..]);
        let scaled: Vec<[f64; 2]> = scaled.map(|(b, s)| [b[0] / s, b[1] / s]).collect();
        let block = self.upper.submatrix(n - p, n - p, p, p);
        let upper = Mat::from_fn(p, p, |i, j| if i <= j { block[(i, j)] } else { 0.0 });
        let last = bounded::within(upper.as_ref(), &x[n - p..], &scaled);
        for (j, value) in (n - p..n).zip(last) {
            x[j] = value;
            let (above, _) = x.split_at_mut(n - p);
            let column = self.upper.col(j);
            above
                .iter_mut()
                .zip(column.iter())
                .for_each(|(x, r)| *x -= r * value);
        }
        back_substitute(&self.upper, &mut x[..n - p]);
        let mut x: Vec<f64> = x.iter().zip(&self.scale).map(|(x, s)| x * s).collect();
        let last = x[n - p..].iter_mut().zip(bounds);
        last.for_each(|(x, [low, high])| *x = x.clamp(*low, *high));
        x
    }

    /// Σ_k t_k Y_k.
    fn right_hand_side(&self, combination: &[f64]) -> Vec<f64> {
        let n = self.scale.len();
        let of_row = |i: usize| {
            let sides = combination.iter().enumerate();
            sides.map(|(k, t)| t * self.upper[(i, n + k)]).sum()
        };
        (0..n).map(of_row).collect()
    }

    /// ‖A c − b‖ of the solution for a combination, the share of the ridge included.
    pub(crate) fn misfit(&self, combination: &[f64]) -> f64 {
        let n = self.scale.len();
        let row = |i: usize| -> f64 {
            let sides = combination.iter().enumerate().skip(i);
            sides.map(|(k, t)| t * self.upper[(n + i, n + k)]).sum()
        };
        (0..combination.len())
            .map(|i| row(i).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// The square roots of the variances of the last unknowns for rows with noise one, those that are `held` left out of it (theirs is NaN):
    /// ‖e_k R⁻¹‖ over the trailing block of R, in the columns' own units.
    pub(crate) fn trailing_errors(&self, held: &[bool]) -> Vec<f64> {
        let (n, p) = (self.scale.len(), held.len());
        let free: Vec<usize> = (0..p).filter(|k| !held[*k]).collect();
        let m = free.len();
        let block: MatRef<'_, f64> = self.upper.submatrix(n - p, n - p, p, p);
        let mut r = Mat::from_fn(p, m, |i, j| {
            let k = free[j];
            if i <= k { block[(i, k)] } else { 0.0 }
        });
        if m < p {
            triangularise(&mut r, ANYWHERE, &Halt::default()); // small
        }
        let mut errors = vec![f64::NAN; p];
        let mut inverse = Mat::<f64>::zeros(m, m);
        for k in 0..m {
            for i in (0..=k).rev() {
                let unit = if i == k { 1.0 } else { 0.0 };
                let sum: f64 = (i + 1..=k).map(|j| r[(i, j)] * inverse[(j, k)]).sum();
                inverse[(i, k)] = (unit - sum) / r[(i, i)];
            }
        }
        for (i, k) in free.iter().enumerate() {
            let square: f64 = (i..m).map(|j| inverse[(i, j)].powi(2)).sum();
            errors[*k] = square.sqrt() * self.scale[n - p + k];
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::LeastSquares;
    use crate::expr::larger;
    use crate::halt::Halt;
    use faer::Mat;

    fn factored(a: &Mat<f64>, b: &Mat<f64>) -> LeastSquares {
        let mut joint = LeastSquares::room(a.nrows(), a.ncols(), b.ncols());
        joint.submatrix_mut(0, 0, a.nrows(), a.ncols()).copy_from(a);
        joint
            .submatrix_mut(0, a.ncols(), b.nrows(), b.ncols())
            .copy_from(b);
        LeastSquares::new(joint, b.ncols(), &Halt::default())
    }

    /// A Hilbert-like matrix with a known solution: the residual, not the solution, must be at rounding level.
    #[test]
    fn ill_conditioned_systems_reach_rounding_in_the_residual() {
        let (m, n) = (40, 20);
        let a = Mat::from_fn(m, n, |i, j| 1.0 / (1.0 + i as f64 + j as f64));
        let b = Mat::from_fn(m, 1, |i, _| (0..n).map(|j| a[(i, j)]).sum::<f64>());
        let c = factored(&a, &b).solve(&[1.0]);
        let worst = (0..m)
            .map(|i| ((0..n).map(|j| a[(i, j)] * c[j]).sum::<f64>() - b[(i, 0)]).abs())
            .fold(0.0, larger);
        assert!(worst < 1e-13, "residual {worst:e}");
    }

    #[test]
    fn combinations_are_linear_and_dependent_columns_are_shared() {
        let a = Mat::from_fn(6, 3, |i, j| if j == 1 { (i * i) as f64 } else { i as f64 });
        let b = Mat::from_fn(6, 2, |i, k| {
            if k == 0 {
                2.0 * i as f64
            } else {
                (i * i) as f64
            }
        });
        let c = factored(&a, &b).solve(&[1.0, -3.0]);
        for i in 0..6 {
            let found: f64 = (0..3).map(|j| a[(i, j)] * c[j]).sum();
            assert!((found - (b[(i, 0)] - 3.0 * b[(i, 1)])).abs() < 1e-11);
        }
        assert!(c.iter().all(|c| c.abs() < 10.0), "{c:?}");
        assert!(factored(&a, &b).misfit(&[1.0, -3.0]) < 1e-12);
        let regular = a.submatrix(0, 0, 6, 2).to_owned();
        let off = Mat::from_fn(6, 1, |i, _| if i == 0 { 2.0 } else { 0.0 });
        assert!((factored(&regular, &off).misfit(&[1.0]) - 2.0).abs() < 1e-12); // row 0 of A is zero
    }

    /// A straight line through points: the covariance of slope and intercept in closed form.
    #[test]
    fn trailing_errors_are_those_of_the_last_unknowns() {
        let x = [0.0, 1.0, 2.0, 5.0];
        let a = Mat::from_fn(4, 2, |i, j| if j == 0 { 1.0 } else { x[i] });
        let b = Mat::from_fn(4, 1, |i, _| x[i]);
        let error = factored(&a, &b).trailing_errors(&[false])[0];
        // var(slope) = 1 / Σ (x − x̄)², x̄ = 2: 4 + 1 + 0 + 9
        assert!((error.powi(2) - 1.0 / 14.0).abs() < 1e-14);
        // with the intercept held it is 1 / Σ x²
        let errors = factored(&a, &b).trailing_errors(&[true, false]);
        assert!(errors[0].is_nan() && (errors[1].powi(2) - 1.0 / 30.0).abs() < 1e-14);
        // y = x through the origin with a slope of at most 0.5: the intercept makes up for it
        let held = factored(&a, &b).solve_within(&[1.0], &[[0.0, 0.5]]);
        assert!(
            (held[0] - 1.0).abs() < 1e-13 && (held[1] - 0.5).abs() < 1e-13,
            "{held:?}"
        );
    }
}
