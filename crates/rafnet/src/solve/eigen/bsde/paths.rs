//! Paths of a Brownian motion around the torus: X₀ uniform, X_{k+1} = X_k + √2 dW_k.

use crate::activation::random;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::{SQRT_2, TAU};

/// Seeds of batches are this far apart, so that no path has the seed of another batch's.
const BATCH: u64 = 1 << 24;
/// Numbers below which more threads are not worth starting.
const FEW: usize = 100_000;

/// A batch of paths.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    pub(super) dimension: usize,
    /// K
    pub(super) steps: usize,
    pub(super) dt: f64,
    /// X, M × (K + 1) × d
    pub(super) points: Vec<f64>,
    /// dW, M × K × d
    pub(super) increments: Vec<f64>,
}

impl Paths {
    /// Room for so many paths of so many steps.
    pub(super) fn new(dimension: usize, (count, steps): (usize, usize), duration: f64) -> Self {
        Self {
            dimension,
            steps,
            dt: duration / steps as f64,
            points: vec![0.0; count * (steps + 1) * dimension],
            increments: vec![0.0; count * steps * dimension],
        }
    }

    /// Fresh ones: the same seed and batch, the same bits, on any number of threads.
    pub(super) fn draw(&mut self, (seed, batch): (u64, u64), threads: usize) {
        let first = seed.wrapping_add(batch.wrapping_mul(BATCH));
        let (d, deviation, len) = (self.dimension, self.dt.sqrt(), self.len());
        let threads = if self.increments.len() < FEW {
            1
        } else {
            threads
        };
        let share = len.div_ceil(threads.max(1)).max(1);
        let (of_points, of_increments) = ((self.steps + 1) * d, self.steps * d);
        let points = self.points.chunks_mut(share * of_points);
        let increments = self.increments.chunks_mut(share * of_increments);
        let some = |(part, (points, increments)): (usize, (&mut [f64], &mut [f64]))| {
            let paths = points.chunks_exact_mut(of_points);
            let paths = paths.zip(increments.chunks_exact_mut(of_increments));
            for (path, (points, increments)) in paths.enumerate() {
                let path = (part * share + path) as u64;
                walk(d, deviation, first.wrapping_add(path), points, increments);
            }
        };
        let mut parts = points.zip(increments).enumerate();
        let mine = parts.next();
        std::thread::scope(|scope| {
            for part in parts {
                scope.spawn(move || some(part));
            }
            if let Some(part) = mine {
                some(part);
            }
        });
    }

    /// M
    pub(super) fn len(&self) -> usize {
        self.points.len() / ((self.steps + 1) * self.dimension)
    }

    /// X_k of every path, M × d.
    pub(super) fn at(&self, k: usize) -> Vec<f64> {
        let d = self.dimension;
        let paths = self.points.chunks_exact((self.steps + 1) * d);
        paths
            .flat_map(|x| &x[k * d..(k + 1) * d])
            .copied()
            .collect()
    }

    /// dW_k of a path.
    pub(super) fn increment(&self, path: usize, k: usize) -> &[f64] {
        let at = (path * self.steps + k) * self.dimension;
        &self.increments[at..at + self.dimension]
    }
}

/// One path.
fn walk(d: usize, deviation: f64, seed: u64, points: &mut [f64], increments: &mut [f64]) {
    let mut random = random(seed);
    for x in &mut points[..d] {
        *x = TAU * random.random::<f64>();
    }
    for (j, dw) in increments.iter_mut().enumerate() {
        *dw = deviation * random.sample::<f64, _>(StandardNormal);
        points[d + j] = points[j] + SQRT_2 * *dw;
    }
}
