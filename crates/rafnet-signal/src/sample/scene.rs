//! The sample video: a ball bouncing over drifting bands, while the light changes.

use super::{coverage, mix};
use crate::error::Result;
use crate::image::{Channels, Depth, require, sample_count};
use crate::video::Frame;
use std::f64::consts::{PI, TAU};

/// The sample video, frame after frame.
pub struct Scene {
    width: usize,
    height: usize,
    n_frames: usize,
    next: usize,
}

/// The sample video at any size and with any number of frames, which always show one whole cycle.
///
/// ```
/// let frames: Vec<_> = rafnet_signal::sample::scene(32, 24, 10)?.collect();
/// assert_eq!((frames.len(), frames[0].rgb().len()), (10, 32 * 24 * 3));
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If a side is zero or the frames could not exist.
pub fn scene(width: usize, height: usize, n_frames: usize) -> Result<Scene> {
    sample_count(width, height, Channels::Rgb)?;
    require(width, height, Channels::Rgb, 8)?;
    Ok(Scene {
        width,
        height,
        n_frames,
        next: 0,
    })
}

impl Iterator for Scene {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if self.next == self.n_frames {
            return None;
        }
        let phase = self.next as f64 / self.n_frames as f64;
        self.next += 1;
        let scale = 1.0 / self.width.min(self.height) as f64;
        let (centre_x, centre_y) = (self.width as f64 / 2.0, self.height as f64 / 2.0);
        let colours = (0..self.height * self.width).flat_map(|index| {
            let x = ((index % self.width) as f64 + 0.5 - centre_x) * scale;
            let y = ((index / self.width) as f64 + 0.5 - centre_y) * scale;
            colour(x, y, phase, scale)
        });
        let steps =
            colours.map(|value| u8::try_from(Depth::Eight.quantise_unit(value)).unwrap_or(u8::MAX));
        Frame::new(self.width, self.height, steps.collect()).ok()
    }
}

/// The colour at (x, y), the shorter side reaching over [−½, ½], at a phase in [0, 1) of the cycle.
fn colour(x: f64, y: f64, phase: f64, pixel: f64) -> [f64; 3] {
    let light = 0.85 + 0.15 * (TAU * phase).cos();
    let band = 0.5 + 0.5 * (TAU * (2.5 * x + 1.2 * y - 2.0 * phase)).sin();
    let back = mix([0.13, 0.22, 0.42], [0.45, 0.62, 0.70], band);
    let floor = mix(
        [0.35, 0.27, 0.22],
        [0.50, 0.42, 0.33],
        0.5 + 0.5 * (40.0 * x).sin() * (60.0 * y).sin(),
    );
    let behind = mix(back, floor, coverage(0.33 - y, pixel));
    let height = (PI * (3.0 * phase).fract()).sin();
    let (ball_x, ball_y) = (0.34 * (TAU * phase).sin(), 0.21 - 0.5 * height);
    let shadow = ((x - ball_x) / 0.14).hypot((y - 0.36) / 0.03);
    let behind = mix(
        behind,
        [0.08, 0.06, 0.05],
        (0.7 - 0.5 * height) * (1.0 - shadow).clamp(0.0, 1.0),
    );
    let radius = (x - ball_x).hypot(y - ball_y);
    let shade =
        0.5 + 0.5 * (1.0 - (x - ball_x + 0.04).hypot(y - ball_y + 0.05) / 0.18).clamp(0.0, 1.0);
    let ball = [0.95, 0.55, 0.15].map(|value| value * shade);
    mix(behind, ball, coverage(radius - 0.12, pixel)).map(|value| value * light)
}
