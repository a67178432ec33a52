//! The functions that every piece has, in its own coordinates ξ from −1 to 1:
//!
//! ```text
//! sin(w·ξ) and cos(w·ξ)      w in a half of the box |w_k| ≤ s, spread evenly      s = 0.31 p,  N = (p + d choose d)
//! ```
//!
//! So many waves span what polynomials of degree p span, to the rounding error, and follow oscillations better (Fourier extensions;
//! D. Huybrechs, 2010). Even spreading is that of the sequence k φ mod 1 with φ the powers of the root of x^(d+1) = x + 1 (M. Roberts,
//! 2018), shifted by the seed.

use super::Bounds;
use crate::activation::random;
use crate::basis::Basis;
use crate::engine::ridges::{Layer, LocalBox};
use rand::RngExt;
use std::f64::consts::FRAC_PI_2;

/// Waves over a degree of polynomials.
const WAVES: f64 = 0.31;

/// Functions in coordinates from −1 to 1.
#[derive(Clone, Debug)]
pub(super) struct Functions {
    pub(super) layer: Layer,
    /// The degree of polynomials of which there are as many.
    pub(super) degree: usize,
    /// w of waves sin(w·x), cos(w·x) that solve the equations, in the user's coordinates.
    pub(super) waves: Vec<[f64; 2]>,
}

impl Functions {
    /// Draws `n` of `d` coordinates.
    pub(super) fn draw(n: usize, d: usize, seed: u64) -> Self {
        let degree = degree(n, d);
        let scale = scale(degree);
        let mut random = random(seed ^ 0x91ec);
        let shift: Vec<f64> = (0..d).map(|_| random.random::<f64>()).collect();
        let root = (0..64).fold(1.5f64, |x, _| (1.0 + x).powf(1.0 / (d as f64 + 1.0)));
        let wave = |k: usize| {
            let along = |axis: usize| {
                let step = root.powi(-(i32::try_from(axis).unwrap_or(0) + 1));
                let u = (shift[axis] + (k as f64 + 1.0) * step).fract();
                scale * if axis == 0 { u } else { 2.0 * u - 1.0 }
            };
            (0..d).map(along).collect::<Vec<f64>>()
        };
        let mut layer = Layer {
            bases: vec![Basis::Sine; n],
            ..Layer::default()
        };
        for j in 0..n {
            layer.weights.extend(wave(j / 2));
            layer.biases.push(if j % 2 == 0 { 0.0 } else { FRAC_PI_2 });
        }
        Self {
            layer,
            degree,
            waves: Vec::new(),
        }
    }

    /// The same on a box; the last ones are instead a corner's, each times a number, or waves that solve the equations.
    pub(super) fn on(&self, bounds: &Bounds, own: &Own) -> Layer {
        let first = self.len() - own.len();
        let layer = match own {
            Own::Corner(_, units) => self.with(first, units),
            Own::Waves(_) => {
                let mut layer = self.with(first, &[]);
                let waves = self.waves_on(bounds);
                waves.for_each(|(weights, bias)| layer.push(Basis::Sine, &weights, bias));
                layer
            }
            Own::Nothing => self.with(first, &[]),
        };
        Layer {
            local: Some(LocalBox::new(bounds)),
            ..layer
        }
    }

    /// The first of them, and known functions of the place, each times a number.
    pub(super) fn with(&self, first: usize, known: &[f64]) -> Layer {
        let d = self.layer.weights.len() / self.len();
        let mut layer = Layer::default();
        let mut row = vec![0.0; d + known.len()];
        for (j, weights) in self.layer.weights.chunks_exact(d).take(first).enumerate() {
            row[..d].copy_from_slice(weights);
            layer.push(self.layer.bases[j], &row, self.layer.biases[j]);
        }
        for (k, times) in known.iter().enumerate() {
            row.fill(0.0);
            row[d + k] = *times;
            layer.push(Basis::Identity, &row, 0.0);
        }
        layer
    }

    pub(super) fn len(&self) -> usize {
        self.layer.len()
    }

    /// The largest component of w.
    pub(super) fn scale(&self) -> f64 {
        scale(self.degree)
    }
}

fn scale(degree: usize) -> f64 {
    WAVES * degree as f64
}

/// Which functions a box has in place of the last ones that all have.
#[derive(Clone, Debug)]
pub(super) enum Own {
    Nothing,
    /// Which corner's, and what each is multiplied by to be as large as a wave.
    Corner(usize, Vec<f64>),
    /// So many waves that solve the equations.
    Waves(usize),
}

impl Own {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Corner(_, units) => units.len(),
            Self::Waves(count) => *count,
        }
    }
}

/// (degree + d choose d).
pub(super) fn n_polynomials(degree: usize, d: usize) -> usize {
    (1..=d).fold(1, |count, k| count * (degree + k) / k)
}

/// The largest degree of which there are no more than n.
fn degree(n: usize, d: usize) -> usize {
    let fits = |p: &usize| n_polynomials(*p, d) <= n;
    (0..n).take_while(fits).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Functions, degree};

    #[test]
    fn there_are_as_many_as_polynomials() {
        assert_eq!(
            [degree(24, 1), degree(120, 2), degree(119, 2), degree(20, 3)],
            [23, 14, 13, 3]
        );
        let f = Functions::draw(121, 2, 3);
        assert_eq!((f.len(), f.layer.weights.len()), (121, 242));
        assert!(f.layer.weights.iter().all(|w| w.abs() <= 0.31 * 14.0));
    }
}
