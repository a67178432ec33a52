//! A layer's forward sweep over the blocks of a tile.
//!
//! ```text
//! dense        z_• = W a_•                     (bias on v only)
//! activation   h_v = σ(z_v)    h_k = σ′ z_k    h_s = σ′ z_s + σ″ q_s,   q_s = Σ_ij C_s,ij z_i z_j
//! skip         h_• += skip_•
//! ```
//!
//! The product of a block is followed by its activation while it is still in the cache.
#![allow(
    unsafe_code,
    reason = "unchecked loads and stores; every place is an offset into a buffer sized by the plan"
)]

use super::coefficients::Coefficients;
use super::column::{Column, Row};
use super::plan::{GroupPlan, LayerPlan, Plan, VALUE};
use super::product::{Start, multiply};
use crate::activation::neuron::Mixed;
use crate::basis::{Function, Visitor};
use crate::simd::{Isa, Kernel, Real, Vector};
use std::marker::PhantomData;
use std::ops::Range;

/// One layer over one tile.
pub(super) struct Forward<'a, T> {
    pub(super) plan: &'a Plan,
    pub(super) layer: usize,
    pub(super) coefficients: &'a Coefficients<T>,
    pub(super) blocks: usize,
    /// The layer's inputs (blocks, streams, fan_in, B).
    pub(super) a: &'a [T],
    /// Pre-activations (blocks, streams, width, B); not used by a linear layer.
    pub(super) z: &'a mut [T],
    /// Outputs (blocks, streams, width, B).
    pub(super) h: &'a mut [T],
    /// What is added, and how many of the neurons it reaches (blocks, streams, that many, B).
    pub(super) skip: Option<(&'a [T], usize)>,
}

impl<T: Real> Kernel for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.plan.assert_level::<I, T>();
        let layer = &self.plan.layers[self.layer];
        let (streams, b) = (self.plan.carried.len(), self.plan.block);
        let linear = layer.groups.is_empty();
        let pairs = self.blocks * streams;
        assert!(
            self.a.len() >= pairs * layer.fan_in * b && self.h.len() >= pairs * layer.width * b
        );
        assert!(linear || self.z.len() >= pairs * layer.width * b);
        assert!(
            self.skip
                .is_none_or(|(s, n)| n <= layer.width && s.len() >= pairs * n * b)
        );
        let raw = self.layer == 0 && self.plan.inputs.is_raw();
        let weights = &self.coefficients.weights[self.layer];
        let bias = self.coefficients.biases[self.layer].as_ref();
        assert!(
            weights.len() >= layer.width * layer.fan_in
                && bias.is_none_or(|b| b.len() >= layer.width)
        );
        let out = if linear {
            self.h.as_mut_ptr()
        } else {
            self.z.as_mut_ptr()
        };
        let mut sums = [[Row::<I, T>::zero(); 4]; CHUNK];
        for block in 0..self.blocks {
            // SAFETY: every offset is below the lengths asserted above; weights and biases have the sizes of the plan.
            unsafe {
                for s in 0..streams {
                    let pair = block * streams + s;
                    let c = out.add(pair * layer.width * b);
                    if raw && s > 0 {
                        columns::<I, T>(
                            layer,
                            weights,
                            self.plan.carried.directions().get(s - 1).copied(),
                            c,
                        );
                        continue;
                    }
                    let start = match bias {
                        Some(bias) if s == 0 => Start::Bias(bias.as_ptr()),
                        _ => Start::Zero,
                    };
                    let a = self.a.as_ptr().add(pair * layer.fan_in * b);
                    multiply::<I, T>(weights.as_ptr(), layer.fan_in, &layer.panels, a, c, start);
                }
                let skip = self
                    .skip
                    .map(|(s, n)| (s.as_ptr().add(block * streams * n * b), n));
                let offset = block * streams * layer.width * b;
                let h = self.h.as_mut_ptr().add(offset);
                if linear {
                    if let Some((skip, n)) = skip {
                        add_skip::<I, T>(skip, n, h, layer.width, streams);
                    }
                } else {
                    let z = self.z.as_ptr().add(offset);
                    let places = Places::<I, T> {
                        plan: self.plan,
                        layer,
                        z,
                        h,
                        skip,
                        isa: PhantomData,
                    };
                    if streams == 1 {
                        activate::<I, T, 0>(places, self.coefficients, &mut sums);
                    } else {
                        activate::<I, T, 2>(places, self.coefficients, &mut sums);
                    }
                }
            }
        }
    }
}

/// The derivative streams of the first layer on raw inputs: column k of W along coordinate k, zero in second order.
#[inline(always)]
unsafe fn columns<I: Isa, T: Real>(
    layer: &LayerPlan,
    weights: &[T],
    direction: Option<usize>,
    c: *mut T,
) {
    let lanes = T::Register::<I>::LANES;
    for panel in &layer.panels {
        for r in 0..panel.rows {
            let value = direction.map_or(T::ZERO, |k| {
                weights[panel.start * layer.fan_in + k * panel.rows + r]
            });
            let value = T::Register::<I>::splat(value);
            // SAFETY: `c` has a row of two registers for each neuron.
            unsafe {
                let row = c.add((panel.start + r) * 2 * lanes);
                value.store(row);
                value.store(row.add(lanes));
            }
        }
    }
}

#[inline(always)]
unsafe fn add_skip<I: Isa, T: Real>(
    skip: *const T,
    n: usize,
    h: *mut T,
    width: usize,
    streams: usize,
) {
    let b = 2 * T::Register::<I>::LANES;
    for s in 0..streams {
        for i in 0..n * b {
            // SAFETY: both have `streams` groups of at least n rows.
            unsafe { *h.add(s * width * b + i) += *skip.add(s * n * b + i) };
        }
    }
}

/// Neurons whose functions are looked up together.
pub(super) const CHUNK: usize = 8;

/// One block of a layer.
#[derive(Clone, Copy)]
struct Places<'a, I, T> {
    plan: &'a Plan,
    layer: &'a LayerPlan,
    z: *const T,
    h: *mut T,
    skip: Option<(*const T, usize)>,
    isa: PhantomData<I>,
}

/// σ over one block, all streams; `ORDER` 0 where only values are carried.
///
/// # Safety
/// The places must hold `streams · width` rows, the skip `streams` groups of its own number of rows.
#[inline(always)]
unsafe fn activate<I: Isa, T: Real, const ORDER: usize>(
    places: Places<'_, I, T>,
    coefficients: &Coefficients<T>,
    sums: &mut [[Row<I, T>; 4]; CHUNK],
) {
    for group in &places.layer.groups {
        for start in group.neurons.clone().step_by(CHUNK) {
            for (term, basis) in group.bases.iter().enumerate() {
                basis.visit(Activate::<I, T, ORDER> {
                    places,
                    group,
                    coefficients,
                    neurons: start..group.neurons.end.min(start + CHUNK),
                    term,
                    sums,
                });
            }
        }
    }
}

/// One term of a few neurons of a block: added to the sums of the terms before it, and after the last term the streams.
struct Activate<'a, I: Isa, T: Real, const ORDER: usize> {
    places: Places<'a, I, T>,
    group: &'a GroupPlan,
    coefficients: &'a Coefficients<T>,
    neurons: Range<usize>,
    term: usize,
    /// σ and its derivatives, of the terms so far.
    sums: &'a mut [[Row<I, T>; 4]; CHUNK],
}

impl<I: Isa, T: Real, const ORDER: usize> Visitor for Activate<'_, I, T, ORDER> {
    type Output = ();
    #[inline(always)]
    fn visit<F: Function>(self, gamma: F) {
        let stride = self.places.layer.width * Row::<I, T>::LANES;
        let is_last = self.term + 1 == self.group.bases.len();
        for (i, sum) in self.neurons.zip(self.sums) {
            let (alpha, beta) = self.coefficients.of(self.group, i, self.term);
            let term = Mixed::<Row<I, T>>::new(alpha, beta);
            let shape = &self.coefficients.shape[self.group.shape_of(i)];
            let mut sigma = [Row::<I, T>::zero(); 4];
            if self.term > 0 {
                sigma[..=ORDER].copy_from_slice(&sum[..=ORDER]);
            }
            // SAFETY: neuron i has its row in every stream.
            let z = unsafe { Row::<I, T>::load(self.places.z.add(i * Row::<I, T>::LANES)) };
            term.add::<ORDER>(&mut sigma, gamma.tower::<_, ORDER>(term.argument(z), shape));
            if is_last {
                // SAFETY: as above.
                unsafe { self.places.streams::<ORDER>(self.group, i, sigma, stride) };
            } else {
                sum[..=ORDER].copy_from_slice(&sigma[..=ORDER]);
            }
        }
    }
}

impl<I: Isa, T: Real> Places<'_, I, T> {
    /// h's streams of neuron `i` from those of z and from σ with its derivatives.
    #[inline(always)]
    unsafe fn streams<const ORDER: usize>(
        &self,
        group: &GroupPlan,
        i: usize,
        sigma: [Row<I, T>; 4],
        stride: usize,
    ) {
        let [value, first, second, _] = sigma;
        let z = Column::<I, T>::new(self.z.wrapping_add(i * Row::<I, T>::LANES), stride);
        // SAFETY: stream s of neuron i stands at s·stride + i·b in z and h.
        unsafe {
            self.put(group, i, 0, value, stride);
            if ORDER == 0 {
                return;
            }
            let carried = &self.plan.carried;
            for k in 1..=carried.directions().len() {
                self.put(group, i, k, first.mul(z.row(k)), stride);
            }
            for (s, quadratic) in carried.second().iter().enumerate() {
                let q = z.quadratic(&quadratic.entries);
                let s = carried.second_stream(s);
                let value = first.mul_add(z.row(s), second.mul(q));
                self.put(group, i, s, value, stride);
            }
        }
    }

    /// Writes stream `s` of h, what the skip brings added.
    #[inline(always)]
    unsafe fn put(&self, group: &GroupPlan, i: usize, s: usize, value: Row<I, T>, stride: usize) {
        let b = Row::<I, T>::LANES;
        let mut value = group.without_tail(VALUE, value);
        // SAFETY: stream s of neuron i stands at s·stride + i·b; the skip has n rows a stream.
        unsafe {
            if let Some((from, n)) = self.skip
                && i < n
            {
                value = value.add(Row::<I, T>::load(from.add((s * n + i) * b)));
            }
            value.store(self.h.add(s * stride + i * b));
        }
    }
}
