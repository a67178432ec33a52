//! Points of a box: Chebyshev points along every axis, or on a face.

use super::Bounds;
use crate::domain::product;
use std::f64::consts::PI;

/// The zeros of a Chebyshev polynomial, from −1 to 1.
pub(super) fn chebyshev(n: usize) -> impl Iterator<Item = f64> + Clone {
    (0..n)
        .rev()
        .map(move |i| (PI * (i as f64 + 0.5) / n as f64).cos())
}

/// `n` points along every axis of a box that is not held at a value, row by row, the last axis fastest.
pub(super) fn grid(bounds: &Bounds, n: usize, held: Option<(usize, f64)>) -> Vec<f64> {
    let along = |(k, [low, high]): (usize, &[f64; 2])| match held {
        Some((axis, at)) if axis == k => vec![at],
        _ => chebyshev(n)
            .map(|x| 0.5 * (low + high) + 0.5 * (high - low) * x)
            .collect(),
    };
    let axes: Vec<Vec<f64>> = bounds.iter().enumerate().map(along).collect();
    product(&axes)
}

/// For values on a [`grid`] of `n` points an axis: along each of `d` axes the share of the finer half of what is resolved.
pub(super) fn tails(values: &[f64], n: usize, d: usize, degree: usize) -> Vec<f64> {
    let along = |axis: usize| {
        let step = n.pow(u32::try_from(d - 1 - axis).unwrap_or(0));
        let starts = (0..values.len()).filter(|i| (i / step).is_multiple_of(n));
        let mut square = 0.0;
        for start in starts {
            for k in degree.div_ceil(2)..=degree.min(n - 1) {
                // point i is the i-th from −1
                let wave = |i: usize| (PI * k as f64 * ((n - 1 - i) as f64 + 0.5) / n as f64).cos();
                let sum: f64 = (0..n).map(|i| values[start + i * step] * wave(i)).sum();
                square += sum * sum;
            }
        }
        square.sqrt()
    };
    (0..d).map(along).collect()
}

#[cfg(test)]
mod tests {
    use super::{grid, tails};

    #[test]
    fn grids_fill_boxes_and_faces() {
        let bounds = vec![[0.0, 2.0], [5.0, 6.0]];
        let points = grid(&bounds, 3, None);
        assert_eq!(points.len(), 18);
        assert!((points[0] - (1.0 - 0.75f64.sqrt())).abs() < 1e-15 && points[1] < points[3]);
        let face = grid(&bounds, 3, Some((0, 2.0)));
        assert!(face.len() == 6 && face.iter().step_by(2).all(|x| (x - 2.0).abs() < 1e-15));
    }

    /// A function that is steep along one axis has its tail there.
    #[test]
    fn tails_say_along_which_axis_a_function_is_rough() {
        let bounds = vec![[-1.0, 1.0]; 2];
        let points = grid(&bounds, 12, None);
        let values: Vec<f64> = points
            .chunks(2)
            .map(|x| (4.0 * x[1]).tanh() + x[0])
            .collect();
        let tails = tails(&values, 12, 2, 10);
        assert!(tails[1] > 1e3 * tails[0], "{tails:?}");
    }
}
