//! What plain interpolation gives between samples: the cubic convolution with a = −½ (Keys 1981) through every k-th sample of every
//! k-th row. Beyond the edge the outermost sample is repeated.

use rafnet_signal::image::cubic_weights;

/// The mean square difference at the samples that interpolation does not see; `None` if there are none. `values` are rows × columns ×
/// channels.
pub(super) fn between(
    values: &[f64],
    [rows, columns]: [usize; 2],
    channels: usize,
    k: usize,
) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0usize);
    for i in 0..rows {
        for j in 0..columns {
            if i % k == 0 && j % k == 0 {
                continue;
            }
            for c in 0..channels {
                let mut found = 0.0;
                for (row, weight) in taps(i, rows, k) {
                    let along = taps(j, columns, k);
                    let line = along
                        .map(|(column, w)| w * values[(row * columns + column) * channels + c]);
                    found += weight * line.iter().sum::<f64>();
                }
                sum += (found.clamp(0.0, 1.0) - values[(i * columns + j) * channels + c]).powi(2);
                count += 1;
            }
        }
    }
    (count > 0).then(|| sum / count as f64)
}

/// The four samples around a place, with their weights.
fn taps(place: usize, size: usize, k: usize) -> [(usize, f64); 4] {
    let last = (size - 1) / k;
    let (cell, t) = (place / k, (place % k) as f64 / k as f64);
    let weights = cubic_weights(t);
    [0, 1, 2, 3].map(|m| (((cell + m).saturating_sub(1)).min(last) * k, weights[m]))
}

#[cfg(test)]
mod tests {
    use super::{between, taps};

    /// The weights of one half are (−1, 9, 9, −1)/16, and away from the edge a parabola is met exactly.
    #[test]
    fn a_parabola_is_met_exactly() {
        let halves = taps(5, 20, 2).map(|t| t.1 * 16.0);
        assert!(
            halves
                .iter()
                .zip([-1.0, 9.0, 9.0, -1.0])
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
        let at = |x: f64| 0.1 + 0.02 * x - 0.0005 * x * x;
        for place in 4..14 {
            let found: f64 = taps(place, 20, 2)
                .iter()
                .map(|(k, w)| w * at(*k as f64))
                .sum();
            assert!((found - at(place as f64)).abs() < 1e-15);
        }
        let flat = vec![0.25; 30];
        assert_eq!(between(&flat, [5, 6], 1, 2), Some(0.0));
        assert_eq!(between(&flat[..1], [1, 1], 1, 2), None);
    }
}
