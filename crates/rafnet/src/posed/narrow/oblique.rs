//! Whether a narrow place is part of a strip that lies along no axis: the text then depends on n·x alone, near it.
//!
//! ```text
//! n        the gradient's direction on a flank
//! a strip  the direction is the same far along it, so that the line stays in the strip from end to end
//! ```

use crate::expr::{Expr, Interval, largest};
use crate::problem::Strip;

/// How far along the strip is looked, over the domain's extent.
const ALONG: [f64; 4] = [-0.3, -0.1, 0.1, 0.3];
/// At how many points at least.
const LOOKS: usize = 2;
/// By how many widths a line may leave its strip over the domain's extent.
const LEAVES: f64 = 0.3;
/// Components of n below are none.
const NOTHING: f64 = 1e-9;

/// A text's derivatives along some coordinates of its problem.
pub(super) struct Gradient<'a> {
    pub(super) axes: &'a [usize],
    pub(super) slopes: &'a [Expr],
    /// What each coordinate of the problem runs through.
    pub(super) sides: &'a [Interval],
}

impl Gradient<'_> {
    /// The strip around a point, which is narrowest along an axis.
    pub(super) fn strip(&self, at: &[f64], narrowest: usize, width: f64) -> Option<Strip> {
        let flank = |by: f64| {
            let mut x = at.to_vec();
            x[narrowest] += by * width;
            x
        };
        let flanks = [flank(0.25), flank(-0.25)].into_iter();
        let from = flanks.max_by(|a, b| self.steepness(a).total_cmp(&self.steepness(b)))?;
        let mut normal = self.direction(&from)?;
        let width = width * normal[narrowest].abs();
        let sides = self.axes.iter().map(|k| self.sides[*k].width());
        let extent = largest(sides);
        let mut looks: Vec<Vec<f64>> = Vec::new();
        for axis in self.axes {
            for share in ALONG {
                // along the axis, less what of it leads across
                let step = |k: usize| f64::from(u8::from(k == *axis)) - normal[*axis] * normal[k];
                let moved = |(k, x): (usize, &f64)| x + share * extent * step(k);
                let x: Vec<f64> = from.iter().enumerate().map(moved).collect();
                let inside = |(x, side): (&f64, &Interval)| side.low <= *x && *x <= side.high;
                if x.iter().zip(self.sides).all(inside) {
                    looks.push(self.direction(&x)?);
                }
            }
        }
        let turned = |n: &Vec<f64>| {
            let product: f64 = n.iter().zip(&normal).map(|(a, b)| a * b).sum();
            let off = n.iter().zip(&normal).map(|(a, b)| (a - product * b).abs());
            largest(off)
        };
        let straight = largest(looks.iter().map(turned)) * extent <= LEAVES * width;
        let across = normal.iter().filter(|n| **n != 0.0).count();
        if looks.len() < LOOKS || !straight || across < 2 {
            return None;
        }
        // one sign for one line
        if normal.iter().find(|n| **n != 0.0).is_some_and(|n| *n < 0.0) {
            normal.iter_mut().for_each(|n| *n = -*n);
        }
        let offset = at.iter().zip(&normal).map(|(x, n)| x * n).sum();
        Some(Strip {
            normal,
            offset,
            width,
        })
    }

    fn steepness(&self, x: &[f64]) -> f64 {
        let slopes = self.slopes.iter().map(|slope| slope.at(x));
        slopes.map(|s| s * s).sum::<f64>().sqrt()
    }

    /// The gradient's direction, in all coordinates of the problem.
    fn direction(&self, x: &[f64]) -> Option<Vec<f64>> {
        let length = self.steepness(x);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let mut direction = vec![0.0; x.len()];
        for (axis, slope) in self.axes.iter().zip(self.slopes) {
            let share = slope.at(x) / length;
            direction[*axis] = if share.abs() < NOTHING { 0.0 } else { share };
        }
        Some(direction)
    }
}
