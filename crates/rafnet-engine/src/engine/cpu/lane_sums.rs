//! W̄ += Σ z̄ aᵀ by products of registers: an entry is a sum over registers and then over lanes.
//!
//! Up to 5 × 5 entries are summed at once, each in a register of its own: 25 fused multiply-adds for 10 loads.
#![allow(unsafe_code, reason = "unchecked loads in the innermost loop")]

use crate::simd::{Isa, Real, Vector, reduce_rows};

/// Rows and columns of W̄ that are summed at once.
const SIDE: usize = 5;

/// `c[i][j]` += ⟨z row i, a row j⟩ summed over every `step`-th (block, stream) pair.
///
/// # Safety
/// `z` must hold `pairs · step` groups of m rows of two registers, `a` as many of k rows.
#[inline(always)]
pub(super) unsafe fn products<I: Isa, T: Real>(
    z: *const T,
    m: usize,
    a: *const T,
    k: usize,
    pairs: usize,
    step: usize,
    c: &mut [T],
) {
    let b = 2 * T::Register::<I>::LANES;
    let (rows, columns) = (m.div_ceil(SIDE), k.div_ceil(SIDE));
    for q in 0..columns {
        let (j, j_end) = (q * k / columns, (q + 1) * k / columns);
        for p in 0..rows {
            let (i, i_end) = (p * m / rows, (p + 1) * m / rows);
            let mut sums = [T::ZERO; 32];
            macro_rules! sizes {
                ($($n:literal $l:literal),*) => {
                    match (i_end - i, j_end - j) {
                        // SAFETY: rows i.. and columns j.. exist in every pair.
                        $(($n, $l) => unsafe {
                            corner::<T::Register<I>, $n, $l>(z.add(i * b), m * b * step, a.add(j * b), k * b * step, pairs, &mut sums);
                        },)*
                        (n, l) => unreachable!("{n} × {l} sums, at most {SIDE} × {SIDE} are cut"),
                    }
                };
            }
            sizes!(1 1, 1 2, 1 3, 1 4, 1 5, 2 1, 2 2, 2 3, 2 4, 2 5, 3 1, 3 2, 3 3, 3 4, 3 5, 4 1, 4 2, 4 3, 4 4, 4 5, 5 1, 5 2, 5 3, 5 4, 5 5);
            let width = j_end - j;
            for (r, sums) in sums.chunks_exact(width).take(i_end - i).enumerate() {
                for (out, &sum) in c[(i + r) * k + j..(i + r) * k + j_end].iter_mut().zip(sums) {
                    *out += sum;
                }
            }
        }
    }
}

/// N × L sums, in `out` row by row.
#[inline(always)]
unsafe fn corner<V: Vector, const N: usize, const L: usize>(
    z: *const V::Element,
    z_step: usize,
    a: *const V::Element,
    a_step: usize,
    pairs: usize,
    out: &mut [V::Element; 32],
) {
    let b = 2 * V::LANES;
    let mut sums = [[V::zero(); L]; N];
    let (mut z, mut a) = (z, a);
    for _ in 0..pairs {
        for half in [0, V::LANES] {
            // SAFETY: see `products`.
            unsafe {
                let mut right = [V::zero(); L];
                for (j, right) in right.iter_mut().enumerate() {
                    *right = V::load(a.add(j * b + half));
                }
                for (i, sums) in sums.iter_mut().enumerate() {
                    let left = V::load(z.add(i * b + half));
                    for (sum, right) in sums.iter_mut().zip(right) {
                        *sum = left.mul_add(right, *sum);
                    }
                }
            }
        }
        z = z.wrapping_add(z_step);
        a = a.wrapping_add(a_step);
    }
    // out of the registers in one unrolled go: a loop with more in it would keep the sums in memory all along
    let mut flat = [V::zero(); 32];
    for (i, sums) in sums.iter().enumerate() {
        for (j, sum) in sums.iter().enumerate() {
            flat[i * L + j] = *sum;
        }
    }
    for group in 0..(N * L).div_ceil(V::LANES) {
        let mut rows = [V::zero(); 16];
        rows[..V::LANES].copy_from_slice(&flat[group * V::LANES..(group + 1) * V::LANES]);
        // SAFETY: 25 sums fill at most 32 places, and every register's lanes divide 32.
        unsafe { reduce_rows(&rows).store(out.as_mut_ptr().add(group * V::LANES)) };
    }
}
