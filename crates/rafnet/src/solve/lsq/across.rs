//! Functions across strips: what is narrow across a line is a function of the distance from it.
//!
//! ```text
//! γ((n·x − c)/σ)     γ = exp(−y²), and the kink y erf y + exp(−y²)/√π, whose second derivative is the same peak
//! c, σ               evenly over REACH widths to both sides, σ twice their distance; then over four times as much, until it is all
//! ```
//!
//! A source along a slanted line makes a kink of the solution, a pulse that travels stays one.

use crate::basis::{Basis, Text};
use crate::expr::largest;
use crate::problem::Strip;
use std::sync::LazyLock;

/// Widths to each side over which the finest functions lie.
const REACH: f64 = 3.5;
/// How much wider the next ones are.
const WIDER: f64 = 4.0;
/// The share of the finest.
const FINEST: f64 = 0.7;
/// A function's width over its distance from the next.
const OVERLAP: f64 = 2.0;

/// Functions of one kind across a strip: more resolve what is smooth beyond rounding.
const FEWEST: usize = 48;
const MOST: usize = 80;

/// The kink.
static KINK: LazyLock<Text> = LazyLock::new(|| {
    let text = "x*erf(x) + exp(-x^2)/sqrt(pi)".parse();
    text.expect("a function of x, in the words of texts")
});

/// A frozen function: its basis, weights and bias.
pub(super) type Function = (Basis, Vec<f64>, f64);

/// Functions across strips, beside `n` others: as many for each strip.
pub(super) fn across(strips: &[Strip], ranges: &[[f64; 2]], n: usize) -> Vec<Function> {
    let bases = [Basis::Text(*KINK), Basis::Gaussian];
    let each = (n / (bases.len() * strips.len()).max(1)).clamp(FEWEST, MOST);
    let mut functions = Vec::new();
    for basis in bases {
        for strip in strips {
            let function = |[c, sigma]: [f64; 2]| {
                let mut weights: Vec<f64> = strip.normal.iter().map(|n| n / sigma).collect();
                weights.resize(ranges.len(), 0.0);
                (basis, weights, -c / sigma)
            };
            functions.extend(centres(strip, ranges, each).into_iter().map(function));
        }
    }
    functions
}

/// Where the functions across a strip are, and how wide.
fn centres(strip: &Strip, ranges: &[[f64; 2]], n: usize) -> Vec<[f64; 2]> {
    let sides = ranges.iter().zip(&strip.normal);
    let extent = largest(sides.map(|([low, high], n)| (high - low) * n.abs()));
    let mut reach = REACH * strip.width;
    let mut reaches = vec![reach];
    while WIDER * reach < extent {
        reach *= WIDER;
        reaches.push(reach);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number"
    )]
    let finest = (FINEST * n as f64).ceil() as usize;
    let mut left = n;
    let mut centres = Vec::with_capacity(n);
    for (k, reach) in reaches.iter().enumerate() {
        let levels = reaches.len() - k;
        let mine = match k {
            0 if levels > 1 => finest.min(left),
            _ => left / levels,
        };
        left -= mine;
        let step = 2.0 * reach / mine.max(1) as f64;
        let centre = |j: usize| strip.offset - reach + (j as f64 + 0.5) * step;
        centres.extend((0..mine).map(|j| [centre(j), OVERLAP * step]));
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::across;
    use crate::problem::Strip;

    /// The functions lie around their strip, the finest a part of its width apart, and are constant along it; the kink's second derivative is
    /// the Gaussian, by a difference quotient whose error is h² γ⁗/12 < 1e-6.
    #[test]
    fn functions_lie_across() {
        let strip = Strip {
            normal: vec![0.6, 0.8],
            offset: 0.7,
            width: 1e-3,
        };
        let functions = across(std::slice::from_ref(&strip), &[[0.0, 1.0]; 2], 240);
        assert_eq!(functions.len(), 160);
        for (basis, w, b) in &functions {
            assert!((w[0] * 0.8 - w[1] * 0.6).abs() < 1e-9 * w[0]);
            let centre = -b / (w[0] * 0.6 + w[1] * 0.8);
            assert!((centre - 0.7).abs() < 1.0, "{basis:?} at {centre}");
        }
        let fine = functions
            .iter()
            .filter(|(_, w, _)| 1.0 / w[0].hypot(w[1]) < 5e-4);
        assert!(fine.count() > 80);
        let (kink, gauss) = (functions[0].0, functions[159].0);
        let value = |y: f64| kink.derivatives(y)[0];
        let h = 1e-3;
        for y in [-3.0, -0.4, 0.0, 1.1, 2.5] {
            let second = (value(y + h) - 2.0 * value(y) + value(y - h)) / (h * h);
            let expected = 2.0 / std::f64::consts::PI.sqrt() * gauss.derivatives(y)[0];
            assert!((second - expected).abs() < 1e-6, "{y}: {second} {expected}");
        }
    }
}
