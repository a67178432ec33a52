//! The zero set of a symbol: the real z with det P(i w) = 0, where z is the component or the length that is solved for.
//!
//! The determinant is a polynomial in z. Its coefficients come from values on a circle, all roots at once, and each is made exact by
//! Newton's method, or, where several are one, by that of a derivative.

use super::roots::{all_roots, determinant, multiple_root, together};
use super::symbol::{Along, Symbol, Term};
use crate::expr::largest;
use faer::c64;

/// Lengths below this share of the largest root are none.
const NOTHING: f64 = 1e-7;
/// A root counts as real where the determinant at its real part is this share of its terms.
const REAL: f64 = 1e-11;
/// Roots that differ by less, as a share of the largest, may be one.
const ALIKE: f64 = 1e-4;
/// Newton's steps for a root.
const STEPS: usize = 4;
/// The step of difference quotients, as a share.
const STEP: f64 = 1e-4;

impl Symbol {
    /// The real roots; along a direction those that are positive.
    pub(super) fn roots(&self, w: &[f64]) -> Vec<f64> {
        let size = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        let mut radius = match self.along {
            Along::Axis(_) => size,
            Along::Radius => 1.0,
        };
        let mut found = Vec::new();
        for _ in 0..2 {
            // the second time with coefficients that are exact for roots as large as these
            let coefficients = self.coefficients(w, radius);
            found = all_roots(&coefficients)
                .iter()
                .map(|z| z * radius)
                .collect();
            let largest = largest(found.iter().map(|z: &c64| z.norm()));
            if !(largest > 0.0 && largest.is_finite()) {
                break;
            }
            radius = largest;
        }
        let coefficients = self.coefficients(w, radius);
        let mut real: Vec<f64> = together(&found, ALIKE * radius)
            .into_iter()
            .flat_map(|alike| self.real_root(w, &alike, radius, &coefficients))
            .filter(|z| self.along != Along::Radius || *z > NOTHING * radius)
            .collect();
        real.sort_by(f64::total_cmp);
        real.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * radius);
        real
    }

    /// The real roots among some that are nearly alike: one, of a derivative, if it is a multiple one, or each by Newton's method.
    fn real_root(&self, w: &[f64], alike: &[c64], radius: f64, coefficients: &[c64]) -> Vec<f64> {
        let terms: f64 = coefficients.iter().map(|c| c.norm()).sum();
        let left = |z: f64| self.determinant(w, c64::new(z, 0.0)).norm();
        let is_root = |z: &f64| z.is_finite() && left(*z) <= REAL * terms;
        if alike.len() > 1 {
            let mean = alike.iter().sum::<c64>() / (alike.len() as f64 * radius);
            let multiple = multiple_root(coefficients, alike.len(), mean).re * radius;
            if is_root(&multiple) {
                return vec![multiple];
            }
        }
        let polished = alike.iter().map(|z| self.polished(w, *z, radius).re);
        polished.filter(is_root).collect()
    }

    /// A root by Newton's method.
    fn polished(&self, w: &[f64], mut z: c64, radius: f64) -> c64 {
        let step = STEP * radius;
        for _ in 0..STEPS {
            let slope =
                (self.determinant(w, z + step) - self.determinant(w, z - step)) / (2.0 * step);
            let off = self.determinant(w, z) / slope;
            if !off.is_finite() {
                break;
            }
            z -= off;
        }
        z
    }

    /// The coefficients of the determinant as a polynomial in z/radius, lowest first, from its values on a circle.
    fn coefficients(&self, w: &[f64], radius: f64) -> Vec<c64> {
        let n = self.degree + 1;
        let turn =
            |k: usize| c64::from_polar(1.0, 2.0 * std::f64::consts::PI * (k % n) as f64 / n as f64);
        let values: Vec<c64> = (0..n)
            .map(|j| self.determinant(w, turn(j) * radius))
            .collect();
        let coefficient = |k: usize| {
            let sum: c64 = (0..n).map(|j| values[j] * turn(j * k).conj()).sum();
            sum / n as f64
        };
        (0..n).map(coefficient).collect()
    }

    /// det P(i w) with z for what is solved for.
    pub(super) fn determinant(&self, w: &[f64], z: c64) -> c64 {
        let i = c64::new(0.0, 1.0);
        let component = |k: &usize| match self.along {
            Along::Axis(axis) if axis == *k => i * z,
            Along::Axis(_) => i * w[*k],
            Along::Radius => i * z * w[*k],
        };
        let mut matrix = vec![vec![c64::new(0.0, 0.0); self.unknowns]; self.unknowns];
        for Term {
            place,
            coefficient,
            axes,
        } in &self.terms
        {
            matrix[place[0]][place[1]] +=
                axes.iter().map(component).product::<c64>() * *coefficient;
        }
        determinant(matrix)
    }
}
