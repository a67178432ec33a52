//! This machine's matrix product, by faer: the best of 1024³ and of tall products 2048 × 256 × 256, all threads at once.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use std::time::Instant;

/// GFLOP/s over all threads.
pub(super) fn peak<T: faer_traits::ComplexField + Copy>(threads: usize) -> f64 {
    let shapes = [(1024, 1024, 1024), (2048, 256, 256)];
    shapes
        .map(|shape| rate::<T>(threads, shape))
        .into_iter()
        .fold(0.0, f64::max)
}

/// Every thread multiplies matrices of its own; the best of a few rounds, each timed from first start to last end.
fn rate<T: faer_traits::ComplexField + Copy>(
    threads: usize,
    (m, n, k): (usize, usize, usize),
) -> f64 {
    let flop = 2.0 * (m * n * k) as f64;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small positive number"
    )]
    let calls = (3e9 / flop).ceil().max(1.0) as usize;
    let barrier = std::sync::Barrier::new(threads);
    let one = || {
        let value = |i: usize, j: usize| {
            faer_traits::math_utils::from_f64::<T>(((i * 7 + j * 3) % 11) as f64 / 11.0)
        };
        let a = Mat::<T>::from_fn(m, k, value);
        let b = Mat::<T>::from_fn(k, n, value);
        let mut c = Mat::<T>::zeros(m, n);
        let mut best = f64::INFINITY;
        for _ in 0..8 {
            barrier.wait();
            let start = Instant::now();
            for _ in 0..calls {
                matmul(
                    &mut c,
                    Accum::Replace,
                    &a,
                    &b,
                    faer_traits::math_utils::one::<T>(),
                    Par::Seq,
                );
            }
            barrier.wait();
            best = best.min(start.elapsed().as_secs_f64());
        }
        best
    };
    let seconds = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        running
            .into_iter()
            .filter_map(|h| h.join().ok())
            .fold(f64::INFINITY, f64::min)
    });
    flop * (calls * threads) as f64 / seconds / 1e9
}
