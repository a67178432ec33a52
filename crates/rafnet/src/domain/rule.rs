//! Rules for means over (0, 1): nodes with weights.
//!
//! ```text
//! ∫₀¹ f ≈ Σ w_i f(x_i)        Gauss–Legendre: exact for polynomials of degree 2n − 1
//! ```

use std::f64::consts::PI;

/// `[node, weight]` on (0, 1), the weights summing to one.
pub type Rule = Vec<[f64; 2]>;

/// A rule on each half of (0, 1).
pub(super) fn halves(rule: &[[f64; 2]]) -> Rule {
    let half = |begin: f64| rule.iter().map(move |[x, w]| [begin + 0.5 * x, 0.5 * w]);
    half(0.0).chain(half(0.5)).collect()
}

/// `[node, weight]` of the Gauss–Legendre rule on (0, 1): the roots of P_n by Newton's method from Tricomi's first guess.
///
/// ```
/// let rule = rafnet::domain::gauss_legendre(2);
/// let cube: f64 = rule.iter().map(|[x, w]| w * x.powi(3)).sum();
/// assert!((cube - 0.25).abs() < 1e-15); // two nodes: exact up to degree three
/// ```
pub fn gauss_legendre(n: usize) -> Vec<[f64; 2]> {
    let node = |i: usize| {
        let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut now) = (1.0, x);
            for k in 2..=n {
                let k = k as f64;
                (before, now) = (now, ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k);
            }
            slope = n as f64 * (x * now - before) / (x * x - 1.0);
            x -= now / slope;
        }
        [0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope)]
    };
    (0..n).map(node).collect()
}
