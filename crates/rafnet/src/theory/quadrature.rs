//! Gauss–Legendre quadrature on intervals and boxes.

use crate::domain::gauss_legendre as on_unit_interval;

/// Nodes and weights on [low, high].
pub(super) fn gauss_legendre(q: usize, [low, high]: [f64; 2]) -> Vec<(f64, f64)> {
    let rule = on_unit_interval(q).into_iter();
    rule.map(|[x, w]| (low + (high - low) * x, (high - low) * w))
        .collect()
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
