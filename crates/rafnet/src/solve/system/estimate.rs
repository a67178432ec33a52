//! What the error is likely to be, from how much solutions of a known residual differ:
//!
//! ```text
//! error ≈ κ · residual,      κ = median over other solutions a of  ‖u_a − u‖ / ( ‖u‖ √(residual_a² + residual²) )
//! ```

/// A solution at common points (every unknown after the other), with its held-out residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) residual: f64,
}

/// Solutions whose residual is this many times larger say nothing.
const NEAR: f64 = 1e4;
/// How many of the nearest are taken.
const TAKEN: usize = 5;

/// The estimate for the best of several solutions, the others in order of their residuals.
pub(crate) fn error_estimate<'a>(
    best: Sample<'_>,
    others: impl Iterator<Item = Sample<'a>>,
    unknowns: usize,
) -> f64 {
    let n = best.values.len() / unknowns.max(1);
    let difference = |a: &Sample<'_>| {
        let one = |u: usize| {
            let (x, y) = (
                &best.values[u * n..(u + 1) * n],
                &a.values[u * n..(u + 1) * n],
            );
            let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum();
            (square / x.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE)).sqrt()
        };
        (0..unknowns).map(one).fold(0.0, f64::max)
    };
    let mut kappa: Vec<f64> = others
        .filter(|a| a.residual < NEAR * best.residual)
        .take(TAKEN)
        .map(|a| difference(&a) / best.residual.hypot(a.residual))
        .filter(|k| k.is_finite())
        .collect();
    kappa.sort_by(f64::total_cmp);
    let middle = kappa.get(kappa.len() / 2).copied().unwrap_or(1.0);
    (middle * best.residual).max(f64::EPSILON)
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
            })
            .collect();
        let found = error_estimate(samples[0], samples[1..].iter().copied(), 1);
        assert!((0.5e-8..2e-8).contains(&found), "{found:e}");
    }
}
