//! Samples: a picture, a chord and a moving scene made on the spot, so that everything can be tried without a file.
//!
//! Each is a closed formula of its coordinates, so any size, rate and length can be asked for and the content stays the
//! same.

mod chord;
mod picture;
mod scene;

pub use chord::chord;
pub use picture::picture;
pub use scene::{Scene, scene};

/// 1 inside, 0 outside, and a straight ramp one pixel wide where a boundary at signed distance 0 crosses the pixel.
///
/// `distance` is negative inside; `pixel` is the size of a pixel in the same unit.
fn coverage(distance: f64, pixel: f64) -> f64 {
    (0.5 - distance / pixel).clamp(0.0, 1.0)
}

/// From `a` at 0 to `b` at 1.
fn mix(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    [0, 1, 2].map(|channel| a[channel] + (b[channel] - a[channel]) * share)
}
