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
use super::plan::{GroupPlan, LayerPlan, Plan, VALUE};
use super::product::{Start, multiply};
use crate::activation::neuron::Neuron;
use crate::simd::{Isa, Kernel, Real, Two, Vector};

/// A row of a block.
pub(super) type Row<I, T> = Two<<T as Real>::Register<I>>;

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

/// The neuron `i` of a group, as the formulas see it.
#[inline(always)]
pub(super) fn neuron<'a, T: Real>(
    group: &'a GroupPlan,
    coefficients: &'a Coefficients<T>,
    i: usize,
) -> Neuron<'a, T> {
    let terms = group.bases.len();
    let place = group.table + (i - group.neurons.start) * terms;
    Neuron {
        bases: &group.bases,
        alpha: &coefficients.alpha[place..place + terms],
        beta: &coefficients.beta[place..place + terms],
        shape: &coefficients.shape[group.shape_of(i)],
    }
}

impl<T: Real> Kernel for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
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
        let out = if linear {
            self.h.as_mut_ptr()
        } else {
            self.z.as_mut_ptr()
        };
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
                } else if streams == 1 {
                    activate::<I, T, 0>(
                        self.plan,
                        layer,
                        self.coefficients,
                        self.z.as_ptr().add(offset),
                        h,
                        skip,
                    );
                } else {
                    activate::<I, T, 2>(
                        self.plan,
                        layer,
                        self.coefficients,
                        self.z.as_ptr().add(offset),
                        h,
                        skip,
                    );
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

/// σ over one block, all streams; `ORDER` 0 where only values are carried.
#[inline(always)]
unsafe fn activate<I: Isa, T: Real, const ORDER: usize>(
    plan: &Plan,
    layer: &LayerPlan,
    coefficients: &Coefficients<T>,
    z: *const T,
    h: *mut T,
    skip: Option<(*const T, usize)>,
) {
    let b = Row::<I, T>::LANES;
    let (directions, stride) = (plan.carried.directions().len(), layer.width * b);
    for group in &layer.groups {
        for i in group.neurons.clone() {
            let neuron = neuron(group, coefficients, i);
            let skip = skip.filter(|(_, n)| i < *n);
            let place = i * b;
            // SAFETY: stream s of neuron i stands at s·stride + place in z and h; the skip has n rows a stream.
            unsafe {
                let load = |s: usize| Row::<I, T>::load(z.add(s * stride + place));
                let put = |s: usize, value: Row<I, T>| {
                    let value = group.without_tail(VALUE, value);
                    let value = match skip {
                        Some((from, n)) => {
                            value.add(Row::<I, T>::load(from.add(s * n * b + place)))
                        }
                        None => value,
                    };
                    value.store(h.add(s * stride + place));
                };
                let [value, first, second, _] = neuron.tower::<_, ORDER>(load(0));
                put(0, value);
                if ORDER == 0 {
                    continue;
                }
                for k in 1..=directions {
                    put(k, first.mul(load(k)));
                }
                for (s, quadratic) in plan.carried.second().iter().enumerate() {
                    let mut q = Row::<I, T>::zero();
                    for &(i, j, c) in &quadratic.entries {
                        q = load(1 + i)
                            .mul(Row::<I, T>::constant(c))
                            .mul_add(load(1 + j), q);
                    }
                    let s = 1 + directions + s;
                    put(s, first.mul_add(load(s), second.mul(q)));
                }
            }
        }
    }
}
