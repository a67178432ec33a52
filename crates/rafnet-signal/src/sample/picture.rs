//! The sample picture: a landscape with sharp edges, fine texture and smooth shading.
//!
//! A sky that fades to the horizon, a sun with a rim, hills in three layers with a skyline of a few sines, a chequered
//! field that narrows into the distance, and a striped ball with a highlight. Edges are blended over one pixel.

use super::{coverage, mix};
use crate::error::{Error, Result};
use crate::image::{Channels, Depth, Image, require, sample_count};

/// The largest side: beyond this it is no sample any more.
const LARGEST: usize = 1 << 15;

/// The sample picture at any size, 8-bit RGB.
///
/// ```
/// let picture = rafnet_signal::sample::picture(256, 256)?;
/// assert_eq!((picture.width(), picture.height()), (256, 256));
/// # Ok::<(), rafnet_signal::Error>(())
/// ```
///
/// # Errors
/// If a side is zero or above 32,768.
pub fn picture(width: usize, height: usize) -> Result<Image> {
    sample_count(width, height, Channels::Rgb)?;
    for found in [width, height] {
        if found > LARGEST {
            let hint = "ask for a smaller sample";
            let (found, limit) = (found as u64, LARGEST as u64);
            return Err(Error::TooLarge {
                what: "a side of the sample picture",
                found,
                limit,
                hint,
            });
        }
    }
    require(width, height, Channels::Rgb, 8)?;
    let pixel = 1.0 / width.min(height) as f64;
    let colours = (0..height * width).flat_map(|index| {
        let x = 0.5 + ((index % width) as f64 + 0.5 - 0.5 * width as f64) * pixel;
        let y = 0.5 + ((index / width) as f64 + 0.5 - 0.5 * height as f64) * pixel;
        colour(x, y, pixel)
    });
    let samples = Depth::Eight.collect(colours.map(|value| Depth::Eight.quantise_unit(value)));
    Image::new(width, height, Channels::Rgb, samples)
}

/// The colour at (x, y), y downwards; the square in the middle is [0, 1]², the longer side shows more of the landscape.
fn colour(x: f64, y: f64, pixel: f64) -> [f64; 3] {
    let mut colour = mix(
        [0.20, 0.38, 0.66],
        [0.93, 0.80, 0.66],
        (y / 0.62).clamp(0.0, 1.0).powi(2),
    );
    let sun = (x - 0.76).hypot(y - 0.2) - 0.085;
    colour = mix(
        colour,
        [1.0, 0.93, 0.72],
        0.35 * (-9.0 * sun.max(0.0)).exp(),
    );
    colour = mix(colour, [1.0, 0.96, 0.82], coverage(sun, pixel));
    for (layer, shade) in [[0.47, 0.52, 0.63], [0.30, 0.40, 0.42], [0.18, 0.27, 0.20]]
        .into_iter()
        .enumerate()
    {
        let k = layer as f64;
        let skyline = 0.46
            + 0.07 * k
            + 0.055 * (5.1 * x + 1.7 * k).sin()
            + 0.021 * (13.7 * x + 2.9 * k).sin()
            + 0.006 * (41.0 * x * (1.0 + 0.3 * k) + k).sin();
        let haze = mix(
            shade,
            [0.80, 0.78, 0.72],
            0.35 * (1.0 - 0.5 * k) * (1.0 - ((y - skyline) / 0.25).clamp(0.0, 1.0)),
        );
        colour = mix(colour, haze, coverage(skyline - y, pixel));
    }
    colour = mix(colour, field(x, y), coverage(0.66 - y, pixel));
    ball(colour, x, y, pixel)
}

/// The field: chequers in perspective with grass on them.
fn field(x: f64, y: f64) -> [f64; 3] {
    let depth = 0.12 / (y - 0.60).max(0.02);
    let (across, along) = ((x - 0.5) * depth * 14.0, depth * 9.0);
    // a product of sines instead of a hard pattern, steep near the viewer and fading with the distance
    let sharpness = 9.0 / depth;
    let chequer =
        ((std::f64::consts::PI * across).sin() * (std::f64::consts::PI * along).sin() * sharpness)
            .tanh();
    let grass =
        (173.0 * x + 31.0 * (23.0 * y).sin()).sin() * (211.0 * y + 17.0 * (29.0 * x).sin()).sin();
    let base = mix([0.62, 0.57, 0.34], [0.27, 0.36, 0.16], 0.5 + 0.5 * chequer);
    base.map(|value| value + 0.06 * grass)
}

/// The ball in the foreground, laid on what is behind it.
fn ball(behind: [f64; 3], x: f64, y: f64, pixel: f64) -> [f64; 3] {
    const RADIUS: f64 = 0.17;
    let (u, v) = ((x - 0.31) / RADIUS, (y - 0.71) / RADIUS);
    let shadow = ((u - 0.5) / 1.3).hypot((v - 0.92) / 0.28);
    let behind = mix(
        behind,
        [0.07, 0.08, 0.06],
        0.6 * (1.0 - shadow).clamp(0.0, 1.0).sqrt(),
    );
    let radius = u.hypot(v);
    if radius > 1.0 + 2.0 * pixel / RADIUS {
        return behind;
    }
    let w = (1.0 - u * u - v * v).max(0.0).sqrt();
    let stripes = ((14.0 * (0.8 * u + 0.5 * v + 0.3 * w)).sin() * 4.0).tanh();
    let base = mix([0.80, 0.16, 0.12], [0.94, 0.90, 0.82], 0.5 + 0.5 * stripes);
    let light = (0.5 * u - 0.62 * v + 0.6 * w).max(0.0);
    let lit = base.map(|value| value * (0.22 + 0.78 * light) + 0.55 * light.powi(40));
    mix(behind, lit, coverage((radius - 1.0) * RADIUS, pixel))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::image::{Filter, Samples};

    #[test]
    fn the_picture_uses_the_whole_range_and_is_the_same_at_every_size() {
        let large = picture(256, 256).unwrap();
        let Samples::Eight(samples) = large.samples() else {
            panic!("the sample is 8-bit")
        };
        assert!(samples.iter().min() < Some(&25) && samples.iter().max() > Some(&245));
        let small = picture(64, 64).unwrap();
        let reduced = large.resize(64, 64, Filter::Bilinear).unwrap();
        assert!(crate::metrics::psnr(&small.to_unit(), &reduced.to_unit(), 1.0).unwrap() > 20.0);
    }

    #[test]
    fn odd_sizes_work_and_impossible_ones_are_refused() {
        assert!(picture(1, 1).is_ok() && picture(3, 700).is_ok());
        assert!(picture(0, 4).is_err() && picture(4, usize::MAX).is_err());
    }
}
