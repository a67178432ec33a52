//! A neuron's three sums over the streams, and what they make of h̄, at one register of points.
//!
//! ```text
//! H₀ = h̄_v    H₁ = Σ_k h̄_k z_k + Σ_s h̄_s z_s    H₂ = Σ_s h̄_s q_s        z̄_v = H₀ σ′ + H₁ σ″ + H₂ σ‴
//! ```
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores; every place is an offset into a buffer sized by the plan"
)]

use super::Reverse;
use crate::engine::cpu::column::{Column, Row};
use crate::engine::cpu::plan::{GroupPlan, SLOPE};
use crate::simd::{Isa, Real, Vector};

impl<T: Real> Reverse<'_, T> {
    /// [H₀, H₁, H₂] at one register of points.
    #[inline(always)]
    pub(super) unsafe fn sums<I: Isa>(
        &self,
        z: *const T,
        bar: *const T,
        stride: usize,
    ) -> [Row<I, T>; 3] {
        let carried = &self.plan.carried;
        let (z, bar) = (Column::<I, T>::new(z, stride), Column::new(bar, stride));
        // SAFETY: the caller's offsets are inside; stream s stands s·stride further on.
        unsafe {
            let mut h = [bar.row(0), Row::<I, T>::zero(), Row::<I, T>::zero()];
            for s in 1..carried.len() {
                h[1] = bar.row(s).mul_add(z.row(s), h[1]);
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                let felt = bar.row(carried.second_stream(s));
                h[2] = felt.mul_add(z.quadratic(&quadratic.entries), h[2]);
            }
            h
        }
    }

    /// Writes z̄ over h̄.
    #[inline(always)]
    pub(super) unsafe fn back<I: Isa>(
        &self,
        group: &GroupPlan,
        sigma: [Row<I, T>; 4],
        h: [Row<I, T>; 3],
        z: *const T,
        bar: *mut T,
        stride: usize,
    ) {
        let carried = &self.plan.carried;
        let [_, first, second, third] = sigma;
        let (z, old) = (
            Column::<I, T>::new(z, stride),
            Column::<I, T>::new(bar, stride),
        );
        // SAFETY: as for the sums; each stream is read before it is written.
        unsafe {
            let value = h[2].mul_add(third, h[1].mul_add(second, h[0].mul(first)));
            put(group, bar, value);
            for k in 1..=carried.directions().len() {
                put(group, bar.add(k * stride), first.mul(old.row(k)));
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                let s = carried.second_stream(s);
                let felt = old.row(s);
                let bent = second.mul(felt);
                for &(i, j, c) in &quadratic.entries {
                    let c = bent.mul(Row::<I, T>::constant(c));
                    let along = c.mul_add(z.row(1 + j), old.row(1 + i));
                    put(group, bar.add((1 + i) * stride), along);
                    let along = c.mul_add(z.row(1 + i), old.row(1 + j));
                    put(group, bar.add((1 + j) * stride), along);
                }
                put(group, bar.add(s * stride), first.mul(felt));
            }
        }
    }
}

/// Writes a row of z̄.
#[inline(always)]
pub(super) unsafe fn put<V: Vector>(group: &GroupPlan, to: *mut V::Element, value: V) {
    // SAFETY: the caller's row.
    unsafe { group.without_tail(SLOPE, value).store(to) };
}
