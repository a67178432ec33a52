//! The matrix product of a sweep: C = W·A for one (block, stream) pair.
//!
//! A and C have rows of B = 2·LANES numbers, so a row is two registers. W comes in packed panels of up to `Isa::ROWS` rows:
//! a panel's results stay in registers while k runs over the columns of W,
//!
//! ```text
//! c[r][0..B] += w[k][r] · a[k][0..B]        2·ROWS fused multiply-adds for 2 loads and ROWS broadcasts
//! ```
//!
//! and A (k × B numbers) stays in the first-level cache while W streams by.
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores in the innermost loop"
)]

use super::plan::Panel;
use crate::simd::{Isa, Real, Vector};

/// What C starts from.
#[derive(Clone, Copy)]
pub(super) enum Start<T> {
    /// C = W·A
    Zero,
    /// C = W·A + b, one number a row.
    Bias(*const T),
    /// C += W·A
    Accumulate,
}

/// C = W·A (+ start).
///
/// # Safety
/// `w` must hold the packed panels (rows × k numbers), `a` k rows and `c` as many rows as the panels cover, of 2·LANES numbers each;
/// a bias must have one number a row.
///
/// # Panics
/// If a panel has more rows than the registers hold.
#[inline(always)]
pub(super) unsafe fn multiply<I: Isa, T: Real>(
    w: *const T,
    k: usize,
    panels: &[Panel],
    a: *const T,
    c: *mut T,
    start: Start<T>,
) {
    let b = 2 * T::Register::<I>::LANES;
    for panel in panels {
        // SAFETY: the panels cover the rows that the caller vouches for.
        unsafe {
            let (w, c) = (w.add(panel.start * k), c.add(panel.start * b));
            let start = match start {
                Start::Bias(bias) => Start::Bias(bias.add(panel.start)),
                other => other,
            };
            macro_rules! rows {
                ($($n:literal)*) => {
                    match panel.rows {
                        $($n if $n <= I::ROWS => panel_rows::<T::Register<I>, $n>(w, k, a, c, start),)*
                        rows => unreachable!("a panel of {rows} rows, at most {} fit", I::ROWS),
                    }
                };
            }
            rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
        }
    }
}

#[inline(always)]
unsafe fn panel_rows<V: Vector, const R: usize>(
    w: *const V::Element,
    k: usize,
    a: *const V::Element,
    c: *mut V::Element,
    start: Start<V::Element>,
) {
    let b = 2 * V::LANES;
    // SAFETY: see `multiply`.
    unsafe {
        let mut sum = [[V::zero(); 2]; R];
        for (r, sum) in sum.iter_mut().enumerate() {
            match start {
                Start::Zero => {}
                Start::Bias(bias) => *sum = [V::splat(*bias.add(r)); 2],
                Start::Accumulate => {
                    *sum = [V::load(c.add(r * b)), V::load(c.add(r * b + V::LANES))]
                }
            }
        }
        let (mut w, mut a) = (w, a);
        for _ in 0..k {
            let (a0, a1) = (V::load(a), V::load(a.add(V::LANES)));
            for (r, sum) in sum.iter_mut().enumerate() {
                let w = V::splat(*w.add(r));
                sum[0] = w.mul_add(a0, sum[0]);
                sum[1] = w.mul_add(a1, sum[1]);
            }
            w = w.add(R);
            a = a.add(b);
        }
        for (r, sum) in sum.iter().enumerate() {
            sum[0].store(c.add(r * b));
            sum[1].store(c.add(r * b + V::LANES));
        }
    }
}
