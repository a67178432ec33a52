//! Gauss–Legendre quadrature on intervals and boxes.
//!
//! The nodes are the roots of P_q, by Newton's method from cos(π (i + ¾)/(q + ½)); the weights 2/((1 − x²) P_q′²).

use std::f64::consts::PI;

/// Nodes and weights on [low, high].
pub(super) fn gauss_legendre(q: usize, [low, high]: [f64; 2]) -> Vec<(f64, f64)> {
    let half = 0.5 * (high - low);
    (0..q)
        .map(|i| {
            let mut x = (PI * (i as f64 + 0.75) / (q as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (value, derivative) = legendre(q, x);
                slope = derivative;
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            let weight = 2.0 / ((1.0 - x * x) * slope * slope);
            (0.5 * (low + high) + half * x, half * weight)
        })
        .collect()
}

/// P_q and its derivative.
fn legendre(q: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=q {
        let k = k as f64;
        (before, value) = (
            value,
            ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k,
        );
    }
    (value, q as f64 * (x * value - before) / (x * x - 1.0))
}

/// Nodes (n × d) and weights of the cube [low, high]^d.
pub(super) fn cube(d: usize, q: usize, interval: [f64; 2]) -> (Vec<f64>, Vec<f64>) {
    let rule = gauss_legendre(q, interval);
    let mut nodes = vec![Vec::new()];
    let mut weights = vec![1.0];
    for _ in 0..d {
        let old = nodes.iter().zip(&weights);
        let pairs: Vec<(Vec<f64>, f64)> = old
            .flat_map(|(node, w): (&Vec<f64>, &f64)| {
                rule.iter().map(move |(x, v)| {
                    let mut longer = node.clone();
                    longer.push(*x);
                    (longer, w * v)
                })
            })
            .collect();
        (nodes, weights) = pairs.into_iter().unzip();
    }
    (nodes.concat(), weights)
}
