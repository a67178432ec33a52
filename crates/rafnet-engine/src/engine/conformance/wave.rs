//! Known functions around a network, in a form that the oracle can differentiate:
//!
//! ```text
//! f = a + b·x + sin(w·x)        ∂_k f = b_k + w_k cos(w·x)        ∂_kl f = −w_k w_l sin(w·x)
//! ```

use super::number::Number;
use crate::engine::{Carried, Field, Points};
use crate::expr::{Expr, Leaf, Unary};
use crate::simd::Real;
use rand::{Rng, RngExt};

/// a + b·x + sin(w·x): a known function for factors, lifts and features.
#[derive(Clone, Debug)]
pub struct Wave {
    /// a
    pub offset: f64,
    /// b
    pub slope: Vec<f64>,
    /// w
    pub frequency: Vec<f64>,
}

impl Wave {
    pub(super) fn at<N: Number>(&self, x: &[N]) -> N {
        let dot = |c: &[f64]| {
            c.iter()
                .zip(x)
                .fold(N::exact(0.0), |sum, (&c, &x)| sum + N::rounded(c) * x)
        };
        N::rounded(self.offset) + dot(&self.slope) + dot(&self.frequency).sin()
    }

    pub(super) fn random(dimension: usize, random: &mut impl Rng) -> Self {
        let mut draw = |low: f64, high: f64| random.random_range(low..high);
        Self {
            offset: draw(0.5, 1.5),
            slope: (0..dimension).map(|_| draw(-0.6, 0.6)).collect(),
            frequency: (0..dimension).map(|_| draw(-1.2, 1.2)).collect(),
        }
    }
}

impl<T: Real> Field<T> for Wave {
    fn streams(&self, points: &Points<'_, T>, carried: &Carried, out: &mut [T]) {
        let n = points.len();
        let w = |p: usize| self.frequency[carried.directions()[p]];
        for i in 0..n {
            let dot = |c: &[f64]| -> f64 {
                let x = (0..c.len()).map(|k| points.coordinate(k)[i].to_f64());
                c.iter().zip(x).map(|(c, x)| c * x).sum()
            };
            let (sin, cos) = dot(&self.frequency).sin_cos();
            out[i] = T::from_f64(self.offset + dot(&self.slope) + sin);
            for (p, &k) in carried.directions().iter().enumerate() {
                out[(1 + p) * n + i] = T::from_f64(self.slope[k] + w(p) * cos);
            }
            for (s, q) in carried.second().iter().enumerate() {
                let sum: f64 = q.entries.iter().map(|&(a, b, c)| c * w(a) * w(b)).sum();
                out[carried.second_stream(s) * n + i] = T::from_f64(-sum * sin);
            }
        }
    }
}

/// A wave with its expression, for devices that compile what stands around a network.
pub(super) struct Written {
    wave: Wave,
    expr: Expr,
}

impl Written {
    pub(super) fn new(wave: &Wave) -> Self {
        let dot = |c: &[f64]| {
            let terms = c.iter().enumerate();
            terms.fold(Expr::number(0.0), |sum, (k, &c)| {
                sum + Expr::number(c) * Expr::leaf(Leaf::Coordinate(k))
            })
        };
        let line = Expr::number(wave.offset) + dot(&wave.slope);
        Self {
            expr: line + dot(&wave.frequency).apply(Unary::Sin),
            wave: wave.clone(),
        }
    }
}

impl<T: Real> Field<T> for Written {
    fn streams(&self, points: &Points<'_, T>, carried: &Carried, out: &mut [T]) {
        self.wave.streams(points, carried, out);
    }
    fn formula(&self) -> Option<&Expr> {
        Some(&self.expr)
    }
}

/// What stands around a network, in a form that the oracle can differentiate.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Known functions appended to the inputs.
    pub features: Vec<Wave>,
    /// Factor and lift of each output, or nothing for u = φ.
    pub ansatz: Vec<(Option<Wave>, Option<Wave>)>,
}
