//! The weights of antialiased resampling along one axis.
//!
//! With `scale = n_in / n_out`, `f = max(scale, 1)` and the filter's support `r`, output pixel `o` has its centre at
//! `c = (o + ½) scale` and takes the input pixels
//! ```text
//! k = max(0, ⌊c − r f + ½⌋) … min(n_in, ⌊c + r f + ½⌋) − 1    with weights  w_k = h((k − c + ½) / f) / Σ w
//! ```
//! Widening the filter by `f` is what averages away the detail that a smaller picture cannot hold. These are Pillow's
//! windows; the order of the operations matters for equality to the last bit.

use std::f64::consts::PI;

/// An interpolation filter.
///
/// ```
/// use rafnet_signal::image::{Channels, Filter, Image, Samples};
///
/// let picture = Image::new(4, 1, Channels::Grey, Samples::Eight(vec![0, 0, 80, 80]))?;
/// let half = picture.resize(2, 1, Filter::Bilinear)?; // at the edge (3, 3, 1) / 7 of the pixels
/// assert_eq!(half.samples(), &Samples::Eight(vec![11, 69]));
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The triangle: linear interpolation, what the paper's targets are made with.
    Bilinear,
    /// The cubic convolution with a = −½.
    Bicubic,
    /// The windowed sinc over three lobes.
    Lanczos,
}

impl Filter {
    fn support(self) -> f64 {
        match self {
            Self::Bilinear => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        const A: f64 = -0.5;
        match self {
            Self::Bilinear => (1.0 - x.abs()).max(0.0),
            Self::Bicubic => match x.abs() {
                x if x < 1.0 => ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0,
                x if x < 2.0 => (((x - 5.0) * x + 8.0) * x - 4.0) * A,
                _ => 0.0,
            },
            Self::Lanczos if (-3.0..3.0).contains(&x) => sinc(x) * sinc(x / 3.0),
            Self::Lanczos => 0.0,
        }
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        (x * PI).sin() / (x * PI)
    }
}

/// What one output pixel takes: the first input pixel and the weights from there on.
pub(super) struct Window {
    pub(super) first: usize,
    pub(super) weights: Vec<f64>,
}

/// The windows of all output pixels of an axis.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 … n_in"
)]
pub(super) fn windows(n_in: usize, n_out: usize, filter: Filter) -> Vec<Window> {
    let scale = n_in as f64 / n_out as f64;
    let widening = scale.max(1.0);
    let reach = filter.support() * widening;
    let shrink = 1.0 / widening;
    let window = |o: usize| {
        let centre = (o as f64 + 0.5) * scale;
        let first = (centre - reach + 0.5).max(0.0) as usize;
        let end = ((centre + reach + 0.5) as usize).min(n_in);
        let weight = |k: usize| filter.weight((k as f64 - centre + 0.5) * shrink);
        let mut weights: Vec<f64> = (first..end).map(weight).collect();
        let total: f64 = weights.iter().fold(0.0, |sum, w| sum + w);
        if total != 0.0 {
            weights.iter_mut().for_each(|w| *w /= total);
        }
        Window { first, weights }
    };
    (0..n_out).map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_takes_one_three_three_one_eighths() {
        let windows = windows(512, 256, Filter::Bilinear);
        assert_eq!(
            (windows[7].first, &windows[7].weights[..]),
            (13, &[0.125, 0.375, 0.375, 0.125][..])
        );
    }

    #[test]
    fn weights_sum_to_one_and_stay_inside() {
        for filter in [Filter::Bilinear, Filter::Bicubic, Filter::Lanczos] {
            for (n_in, n_out) in [(1, 1), (1, 9), (9, 1), (7, 13), (13, 7), (2, 3)] {
                for window in windows(n_in, n_out, filter) {
                    assert!(
                        window.first + window.weights.len() <= n_in && !window.weights.is_empty()
                    );
                    assert!((window.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                }
            }
        }
    }
}
