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

mod sums;

use super::coefficients::Coefficients;
use super::column::Row;
use super::forward::CHUNK;
use super::plan::{GroupPlan, Plan};
use crate::activation::MOST_TERMS;
use crate::activation::neuron::Mixed;
use crate::basis::{Function, Visitor, rational};
use crate::simd::{Isa, Kernel, Real, Vector};
use std::ops::Range;
use sums::put;

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
            // SAFETY: the table has a row of n points for each entry, asserted by `run`.
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
        self.plan.assert_level::<I, T>();
        let layer = &self.plan.layers[self.layer];
        let n = self.blocks * self.plan.carried.len() * layer.width * self.plan.block;
        assert!(self.z.len() >= n && self.bar.len() >= n);
        let entries = 2 * self.plan.table_len + self.plan.shape_len;
        assert!(match &self.gradient {
            Coefficient::Summed(tables) => tables.len() >= entries,
            Coefficient::ByPoint(rows, n) =>
                *n >= self.blocks * self.plan.block && rows.len() >= entries * *n,
        });
        let mut room = Room::<I, T>::new();
        for group in &layer.groups {
            for i in group.neurons.clone() {
                if self.plan.carried.len() == 1 {
                    self.neuron::<I, 1>(group, i, &mut room);
                } else {
                    self.neuron::<I, 3>(group, i, &mut room);
                }
            }
        }
    }
}

/// Registers in memory, made once for a layer.
struct Room<I: Isa, T: Real> {
    blocks: [Stored<I, T>; CHUNK],
    /// ᾱ and β̄ of every term, and the gradients of the functions' own coefficients: sums over the blocks.
    terms: [[Row<I, T>; 2]; MOST_TERMS],
    shape: [Row<I, T>; rational::COEFFICIENTS],
}

impl<I: Isa, T: Real> Room<I, T> {
    #[inline(always)]
    fn new() -> Self {
        let zero = Row::<I, T>::zero();
        let block = Stored {
            h: [zero; 3],
            sigma: [zero; 4],
        };
        Self {
            blocks: [block; CHUNK],
            terms: [[zero; 2]; MOST_TERMS],
            shape: [zero; rational::COEFFICIENTS],
        }
    }
}

/// What several terms of a neuron hand on at one block: [H₀, H₁, H₂], and σ with its derivatives of the terms so far.
#[derive(Clone, Copy)]
struct Stored<I: Isa, T: Real> {
    h: [Row<I, T>; 3],
    sigma: [Row<I, T>; 4],
}

/// With `ORDER` 1 only H₀ and σ′ are read, else all but σ: no more goes through memory.
impl<I: Isa, T: Real> Stored<I, T> {
    #[inline(always)]
    fn load<const ORDER: usize>(&self) -> Self {
        let zero = Row::<I, T>::zero();
        if ORDER == 1 {
            Self {
                h: [self.h[0], zero, zero],
                sigma: [zero, self.sigma[1], zero, zero],
            }
        } else {
            let [_, first, second, third] = self.sigma;
            Self {
                h: self.h,
                sigma: [zero, first, second, third],
            }
        }
    }

    #[inline(always)]
    fn store<const ORDER: usize>(&mut self, h: [Row<I, T>; 3], sigma: [Row<I, T>; 4]) {
        self.h[0] = h[0];
        self.sigma[1] = sigma[1];
        if ORDER > 1 {
            (self.h[1], self.h[2]) = (h[1], h[2]);
            (self.sigma[2], self.sigma[3]) = (sigma[2], sigma[3]);
        }
    }
}

/// One term of one neuron over a few blocks: its coefficients' gradients, and after the last term z̄.
struct ReverseTerm<'a, 'b, I: Isa, T: Real, const ORDER: usize> {
    reverse: &'a mut Reverse<'b, T>,
    group: &'a GroupPlan,
    neuron: usize,
    /// Which of the neuron's terms.
    place: usize,
    blocks: Range<usize>,
    room: &'a mut Room<I, T>,
}

impl<I: Isa, T: Real, const ORDER: usize> Visitor for ReverseTerm<'_, '_, I, T, ORDER> {
    type Output = ();
    #[inline(always)]
    fn visit<F: Function>(self, gamma: F) {
        let (plan, group, i, p) = (self.reverse.plan, self.group, self.neuron, self.place);
        let coefficients = self.reverse.coefficients;
        let (alpha, beta) = coefficients.of(group, i, p);
        let term = Mixed::<Row<I, T>>::new(alpha, beta);
        let shape = group.shape_of(i);
        let own = &coefficients.shape[shape.clone()];
        let place = group.table + (i - group.neurons.start) * group.bases.len() + p;
        let (tables, wanted) = (plan.table_len, group.wanted[p]);
        let is_last = p + 1 == group.bases.len();
        let n_shape = group.bases[p].shape_len();
        let b = Row::<I, T>::LANES;
        let (streams, stride) = (
            plan.carried.len(),
            plan.layers[self.reverse.layer].width * b,
        );
        let mut sums = self.room.terms[p];
        for (block, stored) in self.blocks.zip(&mut self.room.blocks) {
            let offset = block * streams * stride + i * b;
            // SAFETY: stream s of neuron i stands s·stride after the block's first row; `run` asserted the lengths.
            let (z, bar) = unsafe {
                (
                    self.reverse.z.as_ptr().add(offset),
                    self.reverse.bar.as_mut_ptr().add(offset),
                )
            };
            // SAFETY: as above.
            let z_v = unsafe { Row::<I, T>::load(z) };
            let Stored { h, mut sigma } = if p == 0 {
                // SAFETY: as above.
                let h = unsafe { self.reverse.sums::<I>(z, bar, stride) };
                let sigma = [Row::<I, T>::zero(); 4];
                Stored { h, sigma }
            } else {
                stored.load::<ORDER>()
            };
            let tower = gamma.tower::<_, ORDER>(term.argument(z_v), own);
            term.add::<ORDER>(&mut sigma, tower);
            // SAFETY: the tables have a row for each entry, as `run` asserted.
            unsafe {
                let (gradient, point) = (&mut self.reverse.gradient, block * b);
                if wanted.alpha {
                    let value = term.for_alpha::<ORDER>(h, tower);
                    sums[0] = sums[0].add(value);
                    gradient.store(place, point, value);
                }
                if wanted.beta {
                    let value = term.for_beta::<ORDER>(z_v, h, tower);
                    sums[1] = sums[1].add(value);
                    gradient.store(tables + place, point, value);
                }
                if n_shape > 0 {
                    let each = gamma.sensitivities::<_, ORDER>(term.argument(z_v), own);
                    let sums = self.room.shape.iter_mut().zip(&each).take(n_shape);
                    for (k, (sum, &g)) in sums.enumerate() {
                        let value = term.for_shape::<ORDER>(h, g);
                        *sum = sum.add(value);
                        gradient.store(2 * tables + shape.start + k, point, value);
                    }
                }
            }
            if !is_last {
                stored.store::<ORDER>(h, sigma);
                continue;
            }
            // SAFETY: as for the sums.
            unsafe {
                if ORDER == 1 {
                    put(group, bar, h[0].mul(sigma[1]));
                } else {
                    self.reverse.back::<I>(group, sigma, h, z, bar, stride);
                }
            }
        }
        self.room.terms[p] = sums;
    }
}

impl<T: Real> Reverse<'_, T> {
    /// One neuron over all blocks; `ORDER` 1 where only values are carried.
    #[inline(always)]
    fn neuron<I: Isa, const ORDER: usize>(
        &mut self,
        group: &GroupPlan,
        i: usize,
        room: &mut Room<I, T>,
    ) {
        let shape = group.shape_of(i);
        room.terms[..group.bases.len()].fill([Row::<I, T>::zero(); 2]);
        room.shape[..shape.len()].fill(Row::<I, T>::zero());
        for start in (0..self.blocks).step_by(CHUNK) {
            let blocks = start..self.blocks.min(start + CHUNK);
            for (place, basis) in group.bases.iter().enumerate() {
                basis.visit(ReverseTerm::<I, T, ORDER> {
                    reverse: self,
                    group,
                    neuron: i,
                    place,
                    blocks: blocks.clone(),
                    room,
                });
            }
        }
        if let Coefficient::Summed(out) = &mut self.gradient
            && group.trained
        {
            let place = group.table + (i - group.neurons.start) * group.bases.len();
            let tables = self.plan.table_len;
            for (p, [alpha, beta]) in room.terms[..group.bases.len()].iter().enumerate() {
                out[place + p] += alpha.sum();
                out[tables + place + p] += beta.sum();
            }
            for (out, value) in out[2 * tables..][shape].iter_mut().zip(&room.shape) {
                *out += value.sum();
            }
        }
    }
}
