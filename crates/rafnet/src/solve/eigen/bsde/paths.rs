//! Paths of a Brownian motion around the torus: X₀ uniform, X_{k+1} = X_k + √2 dW_k.

use crate::activation::random;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::{SQRT_2, TAU};

/// A batch of paths.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    pub(super) dimension: usize,
    /// K
    pub(super) steps: usize,
    pub(super) dt: f64,
    /// M × d
    pub(super) start: Vec<f64>,
    /// M × K × d
    pub(super) increments: Vec<f64>,
}

impl Paths {
    /// Fresh ones; the same seed, the same bits.
    pub(super) fn draw(
        dimension: usize,
        (count, steps): (usize, usize),
        duration: f64,
        seed: u64,
    ) -> Self {
        let mut random = random(seed);
        let dt = duration / steps as f64;
        let start = (0..count * dimension).map(|_| TAU * random.random::<f64>());
        let start = start.collect();
        let normal = (0..count * steps * dimension)
            .map(|_| dt.sqrt() * random.sample::<f64, _>(StandardNormal));
        Self {
            dimension,
            steps,
            dt,
            start,
            increments: normal.collect(),
        }
    }

    /// M
    pub(super) fn len(&self) -> usize {
        self.start.len() / self.dimension
    }

    /// X_k of the paths `from..to`, time after time: (K + 1) × paths × d.
    pub(super) fn points(&self, from: usize, to: usize) -> Vec<f64> {
        let (d, count) = (self.dimension, to - from);
        let mut points = self.start[from * d..to * d].to_vec();
        points.reserve(self.steps * count * d);
        for k in 0..self.steps {
            for m in from..to {
                for i in 0..d {
                    let x = points[(k * count + m - from) * d + i];
                    points.push(x + SQRT_2 * self.increment(m, k)[i]);
                }
            }
        }
        points
    }

    /// dW_k of a path.
    pub(super) fn increment(&self, path: usize, k: usize) -> &[f64] {
        let at = (path * self.steps + k) * self.dimension;
        &self.increments[at..at + self.dimension]
    }
}
