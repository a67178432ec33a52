//! Quality: mean squared error, PSNR and SSIM of one signal against another.
//!
//! ```text
//! MSE = mean (a − b)²        PSNR = 10 log₁₀(R² / MSE) dB
//! ```
//! with R the range of the data (1 for values in [0, 1], 255 for 8-bit steps). Everything is computed in f64 and in a
//! fixed order, whatever the type of the input. Truth: scikit-image, in `tests/signals/metrics.rs`.

mod ssim;

pub use ssim::ssim;

use crate::error::{Error, Result};

/// Sums are built from blocks of this many terms, so that rounding errors do not grow with the number of samples.
const BLOCK: usize = 4096;

/// The mean squared difference.
///
/// ```
/// assert_eq!(rafnet_signal::metrics::mse(&[0.0, 1.0], &[0.0, 3.0])?, 2.0);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If the signals are empty or have different lengths.
pub fn mse<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> Result<f64> {
    if a.len() != b.len() || a.is_empty() {
        let expected = a.len().max(1);
        return Err(Error::Length {
            what: "the second signal",
            found: b.len(),
            expected,
        });
    }
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
    let total: f64 = blocks
        .map(|(a, b)| {
            a.iter()
                .zip(b)
                .map(|(&a, &b)| square(a.into() - b.into()))
                .sum::<f64>()
        })
        .sum();
    Ok(total / a.len() as f64)
}

/// The peak signal-to-noise ratio in dB; infinite for equal signals.
///
/// ```
/// let psnr = rafnet_signal::metrics::psnr(&[0u8, 255], &[0, 250], 255.0)?;
/// assert!((psnr - 10.0 * (255.0f64 * 255.0 / 12.5).log10()).abs() < 1e-12);
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If the signals are empty or have different lengths.
pub fn psnr<T: Copy + Into<f64>>(a: &[T], b: &[T], range: f64) -> Result<f64> {
    Ok(psnr_of_mse(mse(a, b)?, range))
}

/// The PSNR that belongs to a mean squared error.
pub fn psnr_of_mse(mse: f64, range: f64) -> f64 {
    10.0 * (range * range / mse).log10()
}

fn square(x: f64) -> f64 {
    x * x
}
