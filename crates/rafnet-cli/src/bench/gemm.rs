//! This machine's matrix product, by faer: the better of 1024³ and of tall products 2048 × 256 × 256, all threads at once.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use faer_traits::ComplexField;
use faer_traits::math_utils::{from_f64, one};
use rafnet::expr::{largest, smaller};
use std::time::Instant;

/// Rows and columns of the product, and its inner length.
const SHAPES: [[usize; 3]; 2] = [[1024, 1024, 1024], [2048, 256, 256]];
/// Arithmetic of one timing on one thread.
const FLOP: f64 = 3e9;

/// Matrices for every thread, kept so that a timing is nothing but products.
pub(super) struct Product<T> {
    matrices: Vec<[[Mat<T>; 3]; SHAPES.len()]>,
}

impl<T: ComplexField + Copy> Product<T> {
    pub(super) fn new(threads: usize) -> Self {
        let value = |i: usize, j: usize| from_f64::<T>(((i * 7 + j * 3) % 11) as f64 / 11.0);
        let set = || {
            SHAPES.map(|[m, n, k]| {
                [
                    Mat::zeros(m, n),
                    Mat::from_fn(m, k, value),
                    Mat::from_fn(k, n, value),
                ]
            })
        };
        Self {
            matrices: (0..threads).map(|_| set()).collect(),
        }
    }

    /// GFLOP/s over all threads right now: the better of the shapes.
    pub(super) fn rate(&mut self) -> f64 {
        let shapes = 0..SHAPES.len();
        largest(shapes.map(|s| self.rate_of(s)))
    }

    fn rate_of(&mut self, shape: usize) -> f64 {
        let [m, n, k] = SHAPES[shape];
        let flop = 2.0 * (m * n * k) as f64;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let calls = (FLOP / flop).ceil() as usize;
        let threads = self.matrices.len();
        let barrier = std::sync::Barrier::new(threads);
        let time = |[c, a, b]: &mut [Mat<T>; 3]| {
            barrier.wait();
            let start = Instant::now();
            for _ in 0..calls {
                matmul(&mut *c, Accum::Replace, &*a, &*b, one::<T>(), Par::Seq);
            }
            barrier.wait();
            start.elapsed().as_secs_f64()
        };
        // the barriers make every thread's time that of the slowest
        let seconds = std::thread::scope(|scope| {
            let all = self.matrices.iter_mut();
            let running: Vec<_> = all
                .map(|set| scope.spawn(|| time(&mut set[shape])))
                .collect();
            let times = running.into_iter().filter_map(|h| h.join().ok());
            times.fold(f64::INFINITY, smaller)
        });
        flop * (calls * threads) as f64 / seconds / 1e9
    }
}
