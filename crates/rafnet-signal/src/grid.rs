//! Coordinates of samples on a regular grid.
//!
//! Sample k of n lies at
//! ```text
//! x_k = low + (high − low) k / (n − 1),    k = 0 … n − 1,
//! ```
//! end points included; a single sample lies in the middle. Points are listed in row-major order, the slowest axis
//! first: (row, column) for an image, (time, row, column) for a video. Images and videos use [−1, 1], sounds
//! [−100, 100].

/// The place of sample `k` of `n` between `low` and `high`.
///
/// ```
/// assert_eq!(rafnet_signal::grid::coordinate(64, 256, -1.0, 1.0), 2.0 * 64.0 / 255.0 - 1.0);
/// ```
pub fn coordinate(k: usize, n: usize, low: f64, high: f64) -> f64 {
    position(k as f64, n, low, high)
}

/// The place of a fractional sample number.
fn position(k: f64, n: usize, low: f64, high: f64) -> f64 {
    if n < 2 {
        return low + 0.5 * (high - low);
    }
    low + (high - low) * k / (n as f64 - 1.0)
}

/// All places along one axis.
///
/// ```
/// assert_eq!(rafnet_signal::grid::axis(5, -100.0, 100.0), [-100.0, -50.0, 0.0, 50.0, 100.0]);
/// ```
pub fn axis(n: usize, low: f64, high: f64) -> Vec<f64> {
    (0..n).map(|k| coordinate(k, n, low, high)).collect()
}

/// Places of `n_out` samples spread evenly over the samples `first ..= last` of an axis with `n` samples.
///
/// With `n_out = last − first + 1` they are the original samples; the whole axis is `first = 0`, `last = n − 1`. A
/// single sample lies in the middle of the region.
///
/// ```
/// use rafnet_signal::grid::{axis, region_axis};
/// assert_eq!(region_axis(256, 10, 19, 10, -1.0, 1.0), axis(256, -1.0, 1.0)[10..20]);
/// ```
pub fn region_axis(
    n: usize,
    first: usize,
    last: usize,
    n_out: usize,
    low: f64,
    high: f64,
) -> Vec<f64> {
    let (from, to) = (first as f64, last as f64);
    (0..n_out)
        .map(|k| {
            let share = if n_out < 2 {
                0.5
            } else {
                k as f64 / (n_out as f64 - 1.0)
            };
            position(from + (to - from) * share, n, low, high)
        })
        .collect()
}

/// All points of the grid with these sizes, one after the other, the last axis fastest: Π sizes × axes numbers.
///
/// ```
/// let points = rafnet_signal::grid::points(&[2, 3], -1.0, 1.0);
/// assert_eq!(points, [-1.0, -1.0, -1.0, 0.0, -1.0, 1.0, 1.0, -1.0, 1.0, 0.0, 1.0, 1.0]);
/// ```
pub fn points(sizes: &[usize], low: f64, high: f64) -> Vec<f64> {
    let n_points: usize = sizes.iter().product();
    let mut points = vec![0.0; n_points * sizes.len()];
    for (index, point) in points.chunks_exact_mut(sizes.len().max(1)).enumerate() {
        point_into(index, sizes, low, high, point);
    }
    points
}

/// One point of the grid by its place in the list of [`points`], without making the list.
///
/// `point` has one number for each axis; further numbers are left as they are.
///
/// ```
/// let mut point = [0.0; 3];
/// rafnet_signal::grid::point_into(7, &[2, 2, 2], -1.0, 1.0, &mut point);
/// assert_eq!(point, [1.0, 1.0, 1.0]);
/// ```
pub fn point_into(index: usize, sizes: &[usize], low: f64, high: f64, point: &mut [f64]) {
    let mut rest = index;
    for (value, &n) in point.iter_mut().zip(sizes).rev() {
        let n_steps = n.max(1);
        *value = coordinate(rest % n_steps, n, low, high);
        rest /= n_steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sample_lies_in_the_middle_and_none_is_an_empty_list() {
        assert_eq!(axis(1, -1.0, 1.0), [0.0]);
        assert_eq!(points(&[0, 3], -1.0, 1.0), [0.0; 0]);
        assert_eq!(points(&[], -1.0, 1.0), [0.0; 0]);
        assert_eq!(region_axis(1, 0, 0, 1, -1.0, 1.0), [0.0]);
    }

    #[test]
    fn the_end_points_are_exact() {
        for n in 2..2000 {
            let axis = axis(n, -100.0, 100.0);
            assert_eq!((axis[0], axis[n - 1]), (-100.0, 100.0));
        }
    }
}
