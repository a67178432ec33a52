//! The points at which constructions are measured, and the boxes they fill.
//!
//! One dimension: a uniform grid with both ends. More: the additive recurrence frac(½ + i α_k) with α_k = φ_d⁻ᵏ, φ_d the root of
//! φ^(d+1) = φ + 1, which fills a box evenly, and the corners before it.

use super::TheoryError;

/// Points of a measurement in one dimension.
const GRID: usize = 2001;
/// Points of a measurement in several.
const SCATTERED: usize = 4096;
/// Corners are taken up to this dimension.
const MOST_CORNERED: usize = 8;

/// [−1, 1] in every coordinate.
pub(super) fn unit_box(dimension: usize) -> Vec<[f64; 2]> {
    vec![[-1.0, 1.0]; dimension]
}

/// Refuses bounds that are no box.
pub(super) fn check_box(bounds: &[[f64; 2]], dimension: usize) -> Result<(), TheoryError> {
    if bounds.len() != dimension {
        return Err(TheoryError::Count {
            what: "intervals",
            found: bounds.len(),
            expected: dimension,
        });
    }
    match bounds
        .iter()
        .find(|[low, high]| !(low < high && (high - low).is_finite()))
    {
        None => Ok(()),
        Some([low, high]) => Err(TheoryError::number(
            "an interval",
            format!("[{low}, {high}]"),
            "two finite numbers in ascending order",
        )),
    }
}

/// Points of a box, n × d.
pub(super) fn points(bounds: &[[f64; 2]]) -> Vec<f64> {
    match bounds {
        [[low, high]] => grid([*low, *high], GRID),
        _ => scattered(bounds),
    }
}

/// A uniform grid with both ends.
pub(super) fn grid([low, high]: [f64; 2], n: usize) -> Vec<f64> {
    let step = |i: usize| i as f64 / (n - 1) as f64;
    (0..n)
        .map(|i| low * (1.0 - step(i)) + high * step(i))
        .collect()
}

fn scattered(bounds: &[[f64; 2]]) -> Vec<f64> {
    let d = bounds.len();
    let mut points = Vec::new();
    if d <= MOST_CORNERED {
        for corner in 0..1_usize << d {
            points.extend((0..d).map(|k| bounds[k][corner >> k & 1]));
        }
    }
    let mut root = 2.0_f64;
    for _ in 0..64 {
        root = (1.0 + root).powf(1.0 / (d as f64 + 1.0));
    }
    for i in 0..SCATTERED {
        let mut alpha = 1.0;
        for [low, high] in bounds {
            alpha /= root;
            let share = (0.5 + i as f64 * alpha).fract();
            points.push(low + (high - low) * share);
        }
    }
    points
}
