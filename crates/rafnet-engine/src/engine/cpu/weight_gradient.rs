//! The gradient of a dense layer: W̄ += Σ_• z̄_• a_•ᵀ, b̄ += Σ z̄_v.
//!
//! The sum runs over points and streams, and both factors have their points along the registers. Narrow layers add products
//! of registers and sum the lanes at the end (`lane_sums`); wide ones transpose the inputs first (`transposed`), which costs
//! less when there are many sums of few points.
#![allow(unsafe_code, reason = "unchecked loads in the innermost loop")]

use super::plan::Plan;
use super::{lane_sums, transposed};
use crate::simd::{Isa, Kernel, Real, Vector};

/// From how many rows and columns of W̄ on the inputs are transposed.
const WIDE: (usize, usize) = (16, 64);

/// How a layer's W̄ is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summation {
    LaneSums,
    Transposed,
}

impl Summation {
    /// The way that costs less.
    pub(super) fn of(width: usize, fan_in: usize) -> Self {
        if width >= WIDE.0 && fan_in >= WIDE.1 {
            Self::Transposed
        } else {
            Self::LaneSums
        }
    }
}

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
    /// Room for a transposed panel: see [`transposed::room`].
    pub(super) scratch: &'a mut [T],
}

impl<T: Real> Kernel for WeightGradient<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        self.plan.assert_level::<I, T>();
        let layer = &self.plan.layers[self.layer];
        let (streams, b) = (self.plan.carried.len(), self.plan.block);
        let (m, k) = (layer.width, layer.fan_in);
        assert!(
            self.z_bar.len() >= self.blocks * streams * m * b
                && self.a.len() >= self.blocks * streams * k * b
        );
        let raw = self.layer == 0 && self.plan.inputs.is_raw();
        // on raw inputs only the value stream is a product; a first derivative meets a column of ones
        let (pairs, step) = if raw {
            (self.blocks, streams)
        } else {
            (self.blocks * streams, 1)
        };
        let weight = &mut self.gradient[layer.weight..layer.weight + m * k];
        let (z_bar, a) = (self.z_bar.as_ptr(), self.a.as_ptr());
        // SAFETY: `pairs · step` blocks are inside both buffers, as asserted.
        unsafe {
            match Summation::of(m, k) {
                Summation::Transposed => transposed::products::<I, T>(
                    z_bar,
                    m,
                    &layer.panels,
                    a,
                    k,
                    pairs,
                    step,
                    weight,
                    self.scratch,
                ),
                Summation::LaneSums => {
                    lane_sums::products::<I, T>(z_bar, m, a, k, pairs, step, weight);
                }
            }
        }
        if raw {
            for (s, &direction) in self.plan.carried.directions().iter().enumerate() {
                for i in 0..m {
                    // SAFETY: stream 1 + s exists.
                    weight[i * k + direction] += unsafe {
                        row_sum::<I, T>(self.z_bar.as_ptr(), i, m, 1 + s, self.blocks, streams)
                    };
                }
            }
        }
        if let Some(bias) = layer.bias {
            for i in 0..m {
                // SAFETY: as above.
                self.gradient[bias + i] +=
                    unsafe { row_sum::<I, T>(self.z_bar.as_ptr(), i, m, 0, self.blocks, streams) };
            }
        }
    }
}

/// Σ over the points of row `i` of stream `s`.
#[inline(always)]
unsafe fn row_sum<I: Isa, T: Real>(
    z: *const T,
    i: usize,
    m: usize,
    s: usize,
    blocks: usize,
    streams: usize,
) -> T {
    let lanes = T::Register::<I>::LANES;
    let mut sum = T::Register::<I>::zero();
    for block in 0..blocks {
        // SAFETY: the caller's buffer has `blocks · streams · m` rows of two registers.
        unsafe {
            let row = z.add(((block * streams + s) * m + i) * 2 * lanes);
            sum = sum
                .add(T::Register::<I>::load(row))
                .add(T::Register::<I>::load(row.add(lanes)));
        }
    }
    sum.sum()
}
