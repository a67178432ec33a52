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

/// Widths to each side over which the finest functions lie.
const REACH: f64 = 4.0;
/// How much wider the next ones are.
const WIDER: f64 = 4.0;
/// The share of the finest.
const FINEST: f64 = 0.6;
/// A function's width over its distance from the next.
const OVERLAP: f64 = 2.0;

/// Functions of one kind across a strip, at most: more than this resolve what is smooth beyond rounding.
const MOST: usize = 80;

/// A frozen function: its basis, weights and bias.
pub(super) type Function = (Basis, Vec<f64>, f64);

/// At most `n` functions across strips, as many for each.
pub(super) fn across(strips: &[Strip], ranges: &[[f64; 2]], n: usize) -> Vec<Function> {
    let kink = "x*erf(x) + exp(-x^2)/sqrt(pi)".parse::<Text>();
    let bases = [kink.ok().map(Basis::Text), Some(Basis::Gaussian)];
    let bases: Vec<Basis> = bases.into_iter().flatten().collect();
    let each = (n / (bases.len() * strips.len()).max(1)).min(MOST);
    let mut functions = Vec::with_capacity(n);
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
