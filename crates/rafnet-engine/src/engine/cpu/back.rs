//! A dense layer backward over one tile: from z̄ of the layer above to h̄ of this one.
//!
//! ```text
//! h̄_• = Wᵀ z̄_•        every stream by the same product; with a skip, on top of what it brought
//! ```
#![allow(
    unsafe_code,
    reason = "the product reads and writes by pointer, at places asserted here"
)]

use super::coefficients::Coefficients;
use super::plan::Plan;
use super::product::{Start, multiply};
use crate::simd::{Isa, Kernel, Real};

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
        self.plan.assert_level::<I, T>();
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
        assert!(weights.len() >= layer.width * layer.fan_in);
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
