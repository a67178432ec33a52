//! The gradient of a dense layer: W̄ += Σ_• z̄_• a_•ᵀ, b̄ += Σ z̄_v.
//!
//! Both factors have their points along the registers, so an entry of W̄ is a sum over registers: up to 5 × 5 entries are
//! summed at once, each in a register of its own, and the lanes are added at the end.
#![allow(unsafe_code, reason = "unchecked loads in the innermost loop")]

use super::plan::Plan;
use crate::simd::{Isa, Kernel, Real, Vector, reduce_rows};

/// Rows and columns of W̄ that are summed at once.
const SIDE: usize = 5;

/// One layer over one tile.
pub(super) struct WeightGradient<'a, T> {
    pub(super) plan: &'a Plan,
    pub(super) layer: usize,
    pub(super) blocks: usize,
    /// z̄ (blocks, streams, width, B)
    pub(super) z_bar: &'a [T],
    /// The layer's inputs (blocks, streams, fan_in, B).
    pub(super) a: &'a [T],
    /// The whole gradient, laid out as the parameters.
    pub(super) gradient: &'a mut [T],
}

impl<T: Real> Kernel for WeightGradient<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let layer = &self.plan.layers[self.layer];
        let (streams, b) = (self.plan.carried.len(), self.plan.block);
        let (m, k) = (layer.width, layer.fan_in);
        assert!(self.z_bar.len() >= self.blocks * streams * m * b && self.a.len() >= self.blocks * streams * k * b);
        let raw = self.layer == 0 && self.plan.inputs.is_raw();
        // on raw inputs only the value stream is a product; a first derivative meets a column of ones
        let (pairs, step) = if raw { (self.blocks, streams) } else { (self.blocks * streams, 1) };
        let weight = &mut self.gradient[layer.weight..layer.weight + m * k];
        // SAFETY: `pairs · step` blocks are inside both buffers, as asserted.
        unsafe { products::<I, T>(self.z_bar.as_ptr(), m, self.a.as_ptr(), k, pairs, step, weight) };
        if raw {
            for (s, &direction) in self.plan.carried.directions().iter().enumerate() {
                for i in 0..m {
                    // SAFETY: stream 1 + s exists.
                    weight[i * k + direction] +=
                        unsafe { row_sum::<I, T>(self.z_bar.as_ptr(), i, m, 1 + s, self.blocks, streams) };
                }
            }
        }
        if let Some(bias) = layer.bias {
            for i in 0..m {
                // SAFETY: as above.
                self.gradient[bias + i] += unsafe { row_sum::<I, T>(self.z_bar.as_ptr(), i, m, 0, self.blocks, streams) };
            }
        }
    }
}

/// Σ over the points of row `i` of stream `s`.
#[inline(always)]
unsafe fn row_sum<I: Isa, T: Real>(z: *const T, i: usize, m: usize, s: usize, blocks: usize, streams: usize) -> T {
    let lanes = T::Register::<I>::LANES;
    let mut sum = T::Register::<I>::zero();
    for block in 0..blocks {
        // SAFETY: the caller's buffer has `blocks · streams · m` rows of two registers.
        unsafe {
            let row = z.add(((block * streams + s) * m + i) * 2 * lanes);
            sum = sum.add(T::Register::<I>::load(row)).add(T::Register::<I>::load(row.add(lanes)));
        }
    }
    sum.sum()
}

/// c[i][j] += Σ_pairs ⟨z row i, a row j⟩
#[inline(always)]
unsafe fn products<I: Isa, T: Real>(z: *const T, m: usize, a: *const T, k: usize, pairs: usize, step: usize, c: &mut [T]) {
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
                        _ => {}
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
    let mut group = 0;
    while group * V::LANES < N * L {
        let mut rows = [V::zero(); 16];
        for (lane, row) in rows.iter_mut().enumerate().take(V::LANES) {
            let flat = group * V::LANES + lane;
            if flat < N * L {
                *row = sums[flat / L][flat % L];
            }
        }
        // SAFETY: 25 sums fill at most 32 places, and every register's lanes divide 32.
        unsafe { reduce_rows(&rows).store(out.as_mut_ptr().add(group * V::LANES)) };
        group += 1;
    }
}
