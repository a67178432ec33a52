//! The last few unknowns of a least-squares problem between bounds: the active-set method of C. L. Lawson and R. J. Hanson (1974) with bounds on
//! both sides (P. B. Stark, R. L. Parker, "Bounded-variable least-squares", 1995) on the trailing triangle alone.
//!
//! ```text
//! | R₁ R₁₂ |  | c |     | y₁ |
//! | 0  R₂  |  | p |  ≈  | y₂ |        p = argmin ‖R₂ p − y₂‖ within the bounds, then R₁ c = y₁ − R₁₂ p
//! ```

use super::{ANYWHERE, triangularise};
use crate::expr::largest;
use crate::halt::Halt;
use faer::{Mat, MatRef};

/// Where each unknown is: between its bounds, or at one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Free,
    Low,
    High,
}

/// The p within `bounds` that makes ‖R p − y‖ smallest.
pub(super) fn within(r: MatRef<'_, f64>, y: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let n = y.len();
    let mut held = vec![Held::Free; n];
    let mut p = vec![0.0; n];
    // each round holds or releases one; the limit is for rounding alone
    for _ in 0..4 * n + 4 {
        p = free_solution(r, y, bounds, &held);
        let beyond = |k: &usize| (bounds[*k][0] - p[*k]).max(p[*k] - bounds[*k][1]) * column(r, *k);
        let worst = (0..n).filter(|k| held[*k] == Held::Free && beyond(k) > 0.0);
        if let Some(k) = worst.max_by(|i, j| beyond(i).total_cmp(&beyond(j))) {
            held[k] = if p[k] < bounds[k][0] {
                Held::Low
            } else {
                Held::High
            };
            continue;
        }
        let misfit: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| r[(i, j)] * p[j]).sum::<f64>() - y[i])
            .collect();
        // how much the sum of squares would gain by letting it go
        let gain = |k: &usize| {
            let slope: f64 = (0..n).map(|i| r[(i, *k)] * misfit[i]).sum();
            match held[*k] {
                Held::Low => -slope / column(r, *k),
                Held::High => slope / column(r, *k),
                Held::Free => 0.0,
            }
        };
        let size = largest(y.iter().map(|v| v.abs()));
        let best = (0..n).filter(|k| gain(k) > 1e-12 * size);
        match best.max_by(|i, j| gain(i).total_cmp(&gain(j))) {
            Some(k) => held[k] = Held::Free,
            None => break,
        }
    }
    let inside = |(p, [low, high]): (&f64, &[f64; 2])| p.clamp(*low, *high);
    p.iter().zip(bounds).map(inside).collect()
}

/// The norm of a column, or 1 where it is nothing.
fn column(r: MatRef<'_, f64>, k: usize) -> f64 {
    match r.col(k).norm_l2() {
        norm if norm > 0.0 => norm,
        _ => 1.0,
    }
}

/// The free ones for the others at their bounds.
fn free_solution(r: MatRef<'_, f64>, y: &[f64], bounds: &[[f64; 2]], held: &[Held]) -> Vec<f64> {
    let n = y.len();
    let mut p: Vec<f64> = (0..n)
        .map(|k| match held[k] {
            Held::Low => bounds[k][0],
            Held::High => bounds[k][1],
            Held::Free => 0.0,
        })
        .collect();
    let free: Vec<usize> = (0..n).filter(|k| held[*k] == Held::Free).collect();
    let m = free.len();
    let side = |i: usize| y[i] - (0..n).map(|j| r[(i, j)] * p[j]).sum::<f64>();
    let mut joint = Mat::from_fn(n + 1, m + 1, |i, j| match (i < n, j < m) {
        (false, _) => 0.0,
        (_, true) => r[(i, free[j])],
        (_, false) => side(i),
    });
    triangularise(&mut joint, ANYWHERE, &Halt::default()); // small
    for (i, k) in free.iter().enumerate().rev() {
        let known: f64 = (i + 1..m).map(|j| joint[(i, j)] * p[free[j]]).sum();
        p[*k] = (joint[(i, m)] - known) / joint[(i, i)];
    }
    p
}

#[cfg(test)]
mod tests {
    use super::within;
    use faer::Mat;

    /// A parabola whose lowest point lies outside: along its narrow axis the other unknown moves with the one that is held.
    #[test]
    fn the_others_follow_what_is_held() {
        // (p + q − 3)² + (q − 2)²: without bounds (1, 2); with p ≥ 2 the best is q = 1.5
        let r = Mat::from_fn(2, 2, |i, j| f64::from(u8::from(i == 0 || j == 1)));
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        let found = within(r.as_ref(), &[3.0, 2.0], &[free, free]);
        assert!((found[0] - 1.0).abs() < 1e-14 && (found[1] - 2.0).abs() < 1e-14);
        let found = within(r.as_ref(), &[3.0, 2.0], &[[2.0, 9.0], free]);
        assert_eq!(found[0].to_bits(), 2f64.to_bits());
        assert!((found[1] - 1.5).abs() < 1e-14, "{found:?}");
        // both held, and one of them wrongly at first
        let found = within(r.as_ref(), &[3.0, 2.0], &[[-1.0, 0.0], [0.0, 2.2]]);
        assert_eq!(found, [0.0, 2.2]);
    }
}
