//! A layer's reverse sweep over the blocks of a tile: from the loss's feeling for h to that for z and for α, β.
//!
//! ```text
//! z̄_s = σ′ h̄_s
//! z̄_k = σ′ h̄_k + 2σ″ Σ_s h̄_s (C_s z)_k
//! z̄_v = H₀ σ′ + H₁ σ″ + H₂ σ‴        H₀ = h̄_v    H₁ = Σ_k h̄_k z_k + Σ_s h̄_s z_s    H₂ = Σ_s h̄_s q_s
//! ```
//!
//! and the same three sums give ᾱ and β̄ (`activation::neuron`). z̄ takes h̄'s place in memory.
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores; every place is an offset into a buffer sized by the plan"
)]

use super::coefficients::Coefficients;
use super::forward::{Row, neuron};
use super::plan::{GroupPlan, Plan, SLOPE};
use super::product::{Start, multiply};
use crate::activation::MOST_TERMS;
use crate::activation::neuron::Neuron;
use crate::basis::{MOST_NAMES, rational};
use crate::simd::{Isa, Kernel, Real, Vector};

/// h̄ = Wᵀ z̄ of the next layer, over one tile.
pub(super) struct Back<'a, T> {
    pub(super) plan: &'a Plan,
    /// The next layer, whose weights are used.
    pub(super) layer: usize,
    pub(super) coefficients: &'a Coefficients<T>,
    pub(super) blocks: usize,
    /// z̄ of the next layer (blocks, streams, width, B).
    pub(super) z_bar: &'a [T],
    /// h̄ of this one (blocks, streams, fan_in, B).
    pub(super) h_bar: &'a mut [T],
    /// Whether h̄ already holds what a skip brought.
    pub(super) accumulate: bool,
}

impl<T: Real> Kernel for Back<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let layer = &self.plan.layers[self.layer];
        let (pairs, b) = (self.blocks * self.plan.carried.len(), self.plan.block);
        assert!(
            self.z_bar.len() >= pairs * layer.width * b
                && self.h_bar.len() >= pairs * layer.fan_in * b
        );
        let start = if self.accumulate {
            Start::Accumulate
        } else {
            Start::Zero
        };
        let weights = &self.coefficients.transposed[self.layer];
        for pair in 0..pairs {
            // SAFETY: the offsets are below the lengths asserted above, the weights have the size of the plan.
            unsafe {
                let a = self.z_bar.as_ptr().add(pair * layer.width * b);
                let c = self.h_bar.as_mut_ptr().add(pair * layer.fan_in * b);
                multiply::<I, T>(
                    weights.as_ptr(),
                    layer.width,
                    &layer.transposed_panels,
                    a,
                    c,
                    start,
                );
            }
        }
    }
}

/// Where the gradients of α, β and of the rational function's coefficients go.
pub(super) enum Coefficient<'a, T> {
    /// Summed over the points: three tables one after the other, as long as the plan says.
    Summed(&'a mut [T]),
    /// Point by point: the same tables with a row of that many points for each number.
    ByPoint(&'a mut [T], usize),
}

impl<T: Real> Coefficient<'_, T> {
    /// Adds a register's worth of gradient for table entry `place`, at the points from `point`.
    #[inline(always)]
    unsafe fn store<V: Vector<Element = T>>(&mut self, place: usize, point: usize, value: V) {
        if let Self::ByPoint(rows, n) = self {
            debug_assert!(place * *n + point + V::LANES <= rows.len());
            // SAFETY: the table has a row of n points for each entry.
            unsafe {
                V::load(rows.as_ptr().add(place * *n + point))
                    .add(value)
                    .store(rows.as_mut_ptr().add(place * *n + point))
            };
        }
    }
}

/// z̄ from h̄ in place, and the coefficients' gradients, over one tile.
pub(super) struct Reverse<'a, T> {
    pub(super) plan: &'a Plan,
    pub(super) layer: usize,
    pub(super) coefficients: &'a Coefficients<T>,
    pub(super) blocks: usize,
    /// Pre-activations (blocks, streams, width, B).
    pub(super) z: &'a [T],
    /// h̄, becoming z̄ (blocks, streams, width, B).
    pub(super) bar: &'a mut [T],
    pub(super) gradient: Coefficient<'a, T>,
}

impl<T: Real> Kernel for Reverse<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let layer = &self.plan.layers[self.layer];
        let n = self.blocks * self.plan.carried.len() * layer.width * self.plan.block;
        assert!(self.z.len() >= n && self.bar.len() >= n);
        for group in &layer.groups {
            for i in group.neurons.clone() {
                let neuron = neuron(group, self.coefficients, i);
                // SAFETY: the buffers have the plan's sizes, asserted above.
                unsafe {
                    if self.plan.carried.len() == 1 {
                        self.neuron::<I, 1>(group, &neuron, i);
                    } else {
                        self.neuron::<I, 3>(group, &neuron, i);
                    }
                }
            }
        }
    }
}

impl<T: Real> Reverse<'_, T> {
    /// One neuron over all blocks; `ORDER` 1 where only values are carried.
    #[inline(always)]
    unsafe fn neuron<I: Isa, const ORDER: usize>(
        &mut self,
        group: &GroupPlan,
        neuron: &Neuron<'_, T>,
        i: usize,
    ) {
        let b = Row::<I, T>::LANES;
        let streams = self.plan.carried.len();
        let stride = self.plan.layers[self.layer].width * b;
        let terms = group.bases.len();
        let place = group.table + (i - group.neurons.start) * terms;
        let tables = self.plan.table_len;
        let mut sums = [[Row::<I, T>::zero(); 2]; MOST_TERMS];
        let shape = group.shape_of(i);
        const { assert!(MOST_NAMES <= rational::COEFFICIENTS) };
        let mut shape_sums = [Row::<I, T>::zero(); rational::COEFFICIENTS];
        let summed = matches!(self.gradient, Coefficient::Summed(_));
        for block in 0..self.blocks {
            let offset = block * streams * stride + i * b;
            // SAFETY: the offsets stay below the lengths that `run` asserted.
            let (z, bar) = unsafe {
                (
                    self.z.as_ptr().add(offset),
                    self.bar.as_mut_ptr().add(offset),
                )
            };
            // SAFETY: as above; stream s stands s·stride further on.
            let (z_v, h) = unsafe { self.sums::<I>(z, bar, stride) };
            let point = block * b;
            let gradient = &mut self.gradient;
            let sigma =
                neuron.tower_and_gradient::<_, ORDER>(z_v, h, &group.wanted, |p, alpha, beta| {
                    if summed {
                        sums[p] = [sums[p][0].add(alpha), sums[p][1].add(beta)];
                    } else {
                        // SAFETY: the tables have a row for each entry.
                        unsafe {
                            gradient.store(place + p, point, alpha);
                            gradient.store(tables + place + p, point, beta);
                        }
                    }
                });
            if !shape.is_empty() {
                for (p, basis) in group
                    .bases
                    .iter()
                    .enumerate()
                    .filter(|(_, b)| b.shape_len() > 0)
                {
                    for (k, sum) in shape_sums.iter_mut().enumerate().take(basis.shape_len()) {
                        let value = neuron.shape_gradient::<_, ORDER>(p, k, z_v, h);
                        *sum = sum.add(value);
                        // SAFETY: as above.
                        unsafe { gradient.store(2 * tables + shape.start + k, point, value) };
                    }
                }
            }
            // SAFETY: as for the sums.
            unsafe {
                if ORDER == 1 {
                    group.without_tail(SLOPE, h[0].mul(sigma[1])).store(bar);
                } else {
                    self.back::<I>(group, sigma, h, z, bar, stride);
                }
            }
        }
        if let Coefficient::Summed(tables_out) = &mut self.gradient
            && group.trained
        {
            for (p, [alpha, beta]) in sums[..terms].iter().enumerate() {
                tables_out[place + p] += alpha.sum();
                tables_out[tables + place + p] += beta.sum();
            }
            for (k, value) in shape_sums[..shape.len()].iter().enumerate() {
                tables_out[2 * tables + shape.start + k] += value.sum();
            }
        }
    }

    /// z_v and [H₀, H₁, H₂] at one register of points.
    #[inline(always)]
    unsafe fn sums<I: Isa>(
        &self,
        z: *const T,
        bar: *const T,
        stride: usize,
    ) -> (Row<I, T>, [Row<I, T>; 3]) {
        let carried = &self.plan.carried;
        // SAFETY: the caller's offsets are inside; stream s stands s·stride further on.
        unsafe {
            let z_at = |s: usize| Row::<I, T>::load(z.add(s * stride));
            let bar_at = |s: usize| Row::<I, T>::load(bar.add(s * stride));
            let mut h = [bar_at(0), Row::<I, T>::zero(), Row::<I, T>::zero()];
            for s in 1..carried.len() {
                h[1] = bar_at(s).mul_add(z_at(s), h[1]);
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                let mut q = Row::<I, T>::zero();
                for &(i, j, c) in &quadratic.entries {
                    q = z_at(1 + i)
                        .mul(Row::<I, T>::constant(c))
                        .mul_add(z_at(1 + j), q);
                }
                h[2] = bar_at(carried.second_stream(s)).mul_add(q, h[2]);
            }
            (z_at(0), h)
        }
    }

    /// Writes z̄ over h̄.
    #[inline(always)]
    unsafe fn back<I: Isa>(
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
        // SAFETY: as for the sums; each stream is read before it is written.
        unsafe {
            let z_at = |s: usize| Row::<I, T>::load(z.add(s * stride));
            let bar_at = |s: usize| Row::<I, T>::load(bar.add(s * stride));
            let put = |s: usize, value: Row<I, T>| {
                group.without_tail(SLOPE, value).store(bar.add(s * stride));
            };
            put(
                0,
                h[2].mul_add(third, h[1].mul_add(second, h[0].mul(first))),
            );
            for k in 1..=carried.directions().len() {
                put(k, first.mul(bar_at(k)));
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                let s = carried.second_stream(s);
                let felt = bar_at(s);
                let bent = second.mul(felt);
                for &(i, j, c) in &quadratic.entries {
                    let c = bent.mul(Row::<I, T>::constant(c));
                    put(1 + i, c.mul_add(z_at(1 + j), bar_at(1 + i)));
                    put(1 + j, c.mul_add(z_at(1 + i), bar_at(1 + j)));
                }
                put(s, first.mul(felt));
            }
        }
    }
}
