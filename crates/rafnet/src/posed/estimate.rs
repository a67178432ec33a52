//! What the error is likely to be, from how much solutions of a known residual differ:
//!
//! ```text
//! error ≈ κ · residual,      κ over other solutions a of  ‖u_a − u‖ / ( ‖u‖ √(residual_a² + residual²) )
//! ```
//!
//! Near rounding, where errors follow residuals, κ is the median over the nearest others. Above [`FINE`] it is the upper quartile of all,
//! and the largest where the problem is nonlinear: one solution of another draw that disagrees is then enough to doubt both, for it may
//! be of another branch. Where nothing agrees the estimate is the disagreement. Above [`LOST`] nothing was found, and solutions may
//! well agree in that: there the estimate is no less than the error of the slowest kind that has such a residual.

use super::rms;

/// A solution at common points (every unknown after the other), with its held-out residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) residual: f64,
    /// What the error would be if it were of the slowest kind.
    pub(crate) slow: f64,
}

/// Solutions whose residual is this many times larger say nothing.
pub(crate) const NEAR: f64 = 1e4;
/// How many of the nearest are taken.
const TAKEN: usize = 5;
/// Above this residual all others count.
const FINE: f64 = 1e-9;
/// Above this residual nothing was found.
pub(crate) const LOST: f64 = 3e-2;

/// How far two functions are apart, over the size of the first.
pub(crate) fn apart(x: &[f64], y: &[f64]) -> f64 {
    let off: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    rms(&off) / rms(x).max(f64::MIN_POSITIVE)
}

/// The estimate for the best of several solutions, the others in order of their residuals.
pub(crate) fn error_estimate<'a>(
    best: Sample<'_>,
    others: impl Iterator<Item = Sample<'a>>,
    unknowns: usize,
    nonlinear: bool,
) -> f64 {
    let n = best.values.len() / unknowns.max(1);
    let difference = |a: &Sample<'_>| {
        let one = |u: usize| {
            let mine = u * n..(u + 1) * n;
            apart(&best.values[mine.clone()], &a.values[mine])
        };
        (0..unknowns).map(one).fold(0.0, f64::max)
    };
    let fine = best.residual <= FINE;
    let mut kappa: Vec<f64> = others
        .filter(|a| a.residual < NEAR * best.residual)
        .take(if fine { TAKEN } else { usize::MAX })
        .map(|a| difference(&a) / best.residual.hypot(a.residual))
        .filter(|k| k.is_finite())
        .collect();
    kappa.sort_by(f64::total_cmp);
    let counts = match (fine, nonlinear) {
        (true, _) => kappa.get(kappa.len() / 2),
        (false, false) => kappa.get(kappa.len() * 3 / 4),
        (false, true) => kappa.last(),
    };
    // nothing to compare with: as if errors were as large as residuals
    let estimate = counts.copied().unwrap_or(1.0) * best.residual;
    let least = if best.residual > LOST {
        best.slow
    } else {
        f64::EPSILON
    };
    estimate.max(least)
}

#[cfg(test)]
mod tests {
    use super::{Sample, error_estimate};

    /// Solutions u + e z with residual 10 e: the estimate is e for the best, whatever the others.
    #[test]
    fn errors_in_proportion_to_residuals_are_found() {
        let noise = |k: u64, i: usize| ((i as f64 + 1.0) * (k as f64 + 0.7) * 12.9898).sin();
        let values = |k: u64, e: f64| -> Vec<f64> {
            (0..400)
                .map(|i| 1.0 + e * 2f64.sqrt() * noise(k, i))
                .collect()
        };
        let all: Vec<(Vec<f64>, f64)> = [(1, 1e-8), (2, 3e-8), (3, 1e-7), (4, 1e-6)]
            .map(|(k, e)| (values(k, e), 10.0 * e))
            .to_vec();
        let samples: Vec<Sample<'_>> = all
            .iter()
            .map(|(v, r)| Sample {
                values: v,
                residual: *r,
                slow: *r,
            })
            .collect();
        let found = error_estimate(samples[0], samples[1..].iter().copied(), 1, false);
        assert!((0.5e-8..2e-8).contains(&found), "{found:e}");
    }
}
