//! How smooth the answer is: the sizes of its Chebyshev coefficients along each axis.
//!
//! On a box, along lines through it with n points x_j = cos(π (j + ½)/n) each,
//! ```text
//! c_k = 2/n · Σ_j u(x_j) cos(π k (j + ½)/n)          (c_0 half of that)
//! ```
//! and of several lines the largest |c_k|. Where the sizes fall to rounding, every scale of the answer is resolved.

use super::Solution;
use crate::array;
use crate::page::Section;
use rafnet::expr::{larger, largest};
use serde_json::json;
use std::f64::consts::PI;

/// Points and coefficients of a line.
const POINTS: usize = 192;
/// Lines along an axis.
const LINES: usize = 7;

/// The coefficients of every unknown along every axis.
pub(crate) fn sections(solution: &Solution<'_>) -> Vec<Section> {
    let problem = solution.problem;
    let bounds = problem.domain.bounds();
    if problem.domain.as_cuboid().is_none() {
        return Vec::new();
    }
    let degrees: Vec<f64> = (0..POINTS).map(|k| k as f64).collect();
    let own = problem.n_own();
    let mut series = Vec::new();
    for (axis, coordinate) in problem.coordinates.iter().enumerate().take(4) {
        let points = lines(bounds, axis);
        let Ok(values) = solution.model.eval(&points) else {
            return Vec::new();
        };
        for (u, unknown) in problem.unknowns.iter().enumerate().take(own.min(4)) {
            let column: Vec<f64> = values.iter().skip(u).step_by(own).copied().collect();
            let mut sizes = vec![0.0; POINTS];
            for line in column.chunks(POINTS) {
                for (size, c) in sizes.iter_mut().zip(coefficients(line)) {
                    *size = larger(*size, c.abs());
                }
            }
            let whole = largest(sizes.iter().copied());
            if whole > 0.0 {
                let sizes: Vec<f64> = sizes.iter().map(|s| s / whole).collect();
                series.push(json!({
                    "name": format!("{unknown} along {coordinate}"), "x": array::f64(&degrees), "y": array::f64(&sizes), "points": false,
                }));
            }
        }
    }
    if series.is_empty() {
        return Vec::new();
    }
    let data = json!({
        "x": { "label": "degree of the Chebyshev polynomial", "log": false },
        "y": { "label": "coefficient over the largest", "log": true }, "series": series,
    });
    let text = "The answer as a series of Chebyshev polynomials along each axis. Where the coefficients fall to rounding (1e-16) before the right end, \
                the answer is smooth and every scale of it is resolved; a slow fall tells of a kink, a front or a corner.";
    vec![Section::new("plot", "Spectrum of the answer", text, data)]
}

/// Lines along an axis, one after the other, evenly spread over the other axes.
fn lines(bounds: &[[f64; 2]], axis: usize) -> Vec<f64> {
    let lines = if bounds.len() == 1 { 1 } else { LINES };
    let mut points = Vec::with_capacity(lines * POINTS * bounds.len());
    for line in 0..lines {
        for j in 0..POINTS {
            for (k, [low, high]) in bounds.iter().enumerate() {
                let unit = if k == axis {
                    0.5 + 0.5 * (PI * (j as f64 + 0.5) / POINTS as f64).cos()
                } else {
                    // a lattice of its own for every axis
                    (0.5 + line as f64 * (2.0 + k as f64).sqrt()).fract()
                };
                points.push(low + (high - low) * unit);
            }
        }
    }
    points
}

/// The coefficients of values at Chebyshev's points.
fn coefficients(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let coefficient = |k: usize| {
        let term = |(j, v): (usize, &f64)| v * (PI * k as f64 * (j as f64 + 0.5) / n as f64).cos();
        let sum: f64 = values.iter().enumerate().map(term).sum();
        sum * if k == 0 { 1.0 } else { 2.0 } / n as f64
    };
    (0..n).map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::{POINTS, coefficients, lines};

    /// T₂(x) = 2x² − 1.
    #[test]
    fn a_polynomial_has_its_own_coefficients() {
        let x: Vec<f64> = lines(&[[-1.0, 1.0]], 0);
        assert_eq!(x.len(), POINTS);
        let values: Vec<f64> = x.iter().map(|x| 3.0 + 0.5 * (2.0 * x * x - 1.0)).collect();
        let found = coefficients(&values);
        for (k, c) in found.iter().enumerate() {
            let expected = [3.0, 0.0, 0.5].get(k).copied().unwrap_or(0.0);
            assert!((c - expected).abs() < 1e-13, "{k}: {c}");
        }
    }
}
