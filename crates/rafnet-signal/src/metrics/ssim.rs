//! The structural similarity index over 7 × 7 windows (Wang et al. 2004), as scikit-image computes it by default.
//!
//! With the window's means m, sample variances v and covariance c (49/48 times the mean of the products less the product
//! of the means),
//! ```text
//!          (2 m_x m_y + C₁) (2 c_xy + C₂)
//! SSIM = ─────────────────────────────────────,    C₁ = (0.01 R)²,  C₂ = (0.03 R)²,
//!        (m_x² + m_y² + C₁) (v_x + v_y + C₂)
//! ```
//! averaged over all windows that lie inside the picture, and over the channels. Memory: five sums a column.

use crate::error::{Error, Result};

const WINDOW: usize = 7;

/// The mean structural similarity of two pictures of `height` × `width` pixels with `n_channels` interleaved channels.
///
/// ```
/// let x: Vec<f64> = (0..64).map(|k| f64::from(k) / 64.0).collect();
/// assert_eq!(rafnet_signal::metrics::ssim(&x, &x, 8, 8, 1, 1.0)?, 1.0);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If a side is below 7 pixels, there is no channel, or a slice has another length than height · width · channels.
pub fn ssim<T: Copy + Into<f64>>(
    x: &[T],
    y: &[T],
    height: usize,
    width: usize,
    n_channels: usize,
    range: f64,
) -> Result<f64> {
    for (what, size, least) in [
        ("the height", height, WINDOW),
        ("the width", width, WINDOW),
        ("the number of channels", n_channels, 1),
    ] {
        if size < least {
            let expected = format!("{least} or more for SSIM");
            return Err(Error::Range {
                what,
                found: size.to_string(),
                expected,
            });
        }
    }
    let expected = height.saturating_mul(width).saturating_mul(n_channels);
    for (what, found) in [
        ("the first picture", x.len()),
        ("the second picture", y.len()),
    ] {
        if found != expected {
            return Err(Error::Length {
                what,
                found,
                expected,
            });
        }
    }
    let stride = width * n_channels;
    let mut columns = vec![[0.0; 5]; stride]; // (width, channels) of x, y, x², y², xy over seven rows
    let mut total = 0.0;
    for top in 0..=height - WINDOW {
        columns.fill([0.0; 5]);
        for row in top..top + WINDOW {
            let span = row * stride..(row + 1) * stride;
            for ((sums, &x), &y) in columns.iter_mut().zip(&x[span.clone()]).zip(&y[span]) {
                let (x, y) = (x.into(), y.into());
                for (sum, term) in sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
                    *sum += term;
                }
            }
        }
        // one sum a row, added to the total at its end, keeps the rounding errors of large pictures small
        let row_total: f64 = (0..stride - (WINDOW - 1) * n_channels)
            .map(|left| {
                let mut sums = [0.0; 5];
                for column in columns[left..].iter().step_by(n_channels).take(WINDOW) {
                    sums.iter_mut()
                        .zip(column)
                        .for_each(|(sum, term)| *sum += term);
                }
                similarity(sums, range)
            })
            .sum();
        total += row_total;
    }
    let n_windows = (height - WINDOW + 1) * (width - WINDOW + 1) * n_channels;
    Ok(total / n_windows as f64)
}

/// The index of one window from its sums of x, y, x², y², xy.
fn similarity(sums: [f64; 5], range: f64) -> f64 {
    let n = (WINDOW * WINDOW) as f64;
    let [mx, my, mxx, myy, mxy] = sums.map(|sum| sum / n);
    let sample = n / (n - 1.0);
    let (vx, vy, cxy) = (
        sample * (mxx - mx * mx),
        sample * (myy - my * my),
        sample * (mxy - mx * my),
    );
    let (c1, c2) = ((0.01 * range).powi(2), (0.03 * range).powi(2));
    ((2.0 * mx * my + c1) * (2.0 * cxy + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2))
}
