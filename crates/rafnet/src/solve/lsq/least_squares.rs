//! min ‖A c − b‖ by orthogonal factorisations, never by normal equations.
//!
//! ```text
//! [A D | B] = Q [R | Y]        R P = Q₂ R₂  (columns pivoted, small diagonal entries dropped)        c = D P R₂⁻¹ Q₂ᵀ y
//! ```
//!
//! D scales the columns to norm one. The first factorisation is blocked and does the work, the pivoted one sees only the square R.
//! Several right-hand sides share both.

use faer::linalg::solvers::ColPivQr;
use faer::{Mat, MatRef};

/// A factored least-squares problem with its right-hand sides.
pub(super) struct LeastSquares {
    pivoted: ColPivQr<f64>,
    q2_y: Mat<f64>,
    rank: usize,
    scale: Vec<f64>,
}

/// Diagonal entries below this share of the largest are dropped: what is left of them is rounding.
const DROP: f64 = 1e-14;

impl LeastSquares {
    /// Factors A with the right-hand sides B beside it.
    pub(super) fn new(mut a: Mat<f64>, b: MatRef<'_, f64>) -> Self {
        let (rows, columns) = (a.nrows(), a.ncols());
        let mut scale = vec![1.0; columns];
        for (j, scale) in scale.iter_mut().enumerate() {
            let norm = a.col(j).norm_l2();
            if norm > 0.0 && norm.is_finite() {
                *scale = 1.0 / norm;
                let factor = *scale;
                a.col_mut(j).iter_mut().for_each(|v| *v *= factor);
            }
        }
        let joint = Mat::from_fn(rows, columns + b.ncols(), |i, j| {
            if j < columns {
                a[(i, j)]
            } else {
                b[(i, j - columns)]
            }
        });
        drop(a);
        let qr = joint.qr();
        let r = qr.thin_R();
        let height = r.nrows().min(columns);
        let pivoted = r.submatrix(0, 0, height, columns).col_piv_qr();
        let y = r.submatrix(0, columns, height, b.ncols());
        let q2_y = pivoted.compute_Q().transpose() * y;
        let diagonal = |i: usize| pivoted.R()[(i, i)].abs();
        let rank = (0..height)
            .take_while(|&i| diagonal(i) > DROP * diagonal(0))
            .count();
        Self {
            pivoted,
            q2_y,
            rank,
            scale,
        }
    }

    /// The solution for the combination Σ_k t_k B_k.
    pub(super) fn solve(&self, combination: &[f64]) -> Vec<f64> {
        let r = self.pivoted.R();
        let mut x = vec![0.0; self.rank];
        for i in (0..self.rank).rev() {
            let mut sum: f64 = combination
                .iter()
                .enumerate()
                .map(|(k, t)| t * self.q2_y[(i, k)])
                .sum();
            for (j, &x) in x.iter().enumerate().skip(i + 1) {
                sum -= r[(i, j)] * x;
            }
            x[i] = sum / r[(i, i)];
        }
        let mut c = vec![0.0; self.scale.len()];
        let (forward, _) = self.pivoted.P().arrays();
        for (i, x) in x.into_iter().enumerate() {
            c[forward[i]] = x * self.scale[forward[i]];
        }
        c
    }
}

#[cfg(test)]
mod tests {
    use super::LeastSquares;
    use faer::Mat;

    /// A Hilbert-like matrix with a known solution: the residual, not the solution, must be at rounding level.
    #[test]
    fn ill_conditioned_systems_reach_rounding_in_the_residual() {
        let (m, n) = (40, 20);
        let a = Mat::from_fn(m, n, |i, j| 1.0 / (1.0 + i as f64 + j as f64));
        let b = Mat::from_fn(m, 1, |i, _| (0..n).map(|j| a[(i, j)]).sum::<f64>());
        let c = LeastSquares::new(a.clone(), b.as_ref()).solve(&[1.0]);
        let worst = (0..m)
            .map(|i| ((0..n).map(|j| a[(i, j)] * c[j]).sum::<f64>() - b[(i, 0)]).abs())
            .fold(0.0, f64::max);
        assert!(worst < 1e-13, "residual {worst:e}");
    }

    #[test]
    fn combinations_are_linear_and_rank_is_dropped() {
        let a = Mat::from_fn(6, 3, |i, j| if j == 1 { (i * i) as f64 } else { i as f64 });
        let b = Mat::from_fn(6, 2, |i, k| {
            if k == 0 {
                2.0 * i as f64
            } else {
                (i * i) as f64
            }
        });
        let c = LeastSquares::new(a.clone(), b.as_ref()).solve(&[1.0, -3.0]);
        for i in 0..6 {
            let found: f64 = (0..3).map(|j| a[(i, j)] * c[j]).sum();
            assert!((found - (b[(i, 0)] - 3.0 * b[(i, 1)])).abs() < 1e-11);
        }
    }
}
