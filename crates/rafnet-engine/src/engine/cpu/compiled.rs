//! The heavy kernels, compiled once for f32 and once for f64, in this crate.
//!
//! A generic function is compiled again in every crate that uses it, and these take minutes. So the generic call goes to one of
//! two plain functions.
#![allow(
    unsafe_code,
    reason = "a type parameter that is known to be f32 or f64 is named as such"
)]

use super::back::Back;
use super::forward::Forward;
use super::reverse::Reverse;
use super::waves::Waves;
use super::weight_gradient::WeightGradient;
use crate::simd::{Real, dispatch_at};
use std::mem::{ManuallyDrop, transmute_copy};

macro_rules! compiled {
    ($kernel:ident, $single:ident, $double:ident) => {
        #[inline(never)]
        fn $single(kernel: $kernel<'_, f32>) {
            dispatch_at(kernel.plan.level, kernel);
        }
        #[inline(never)]
        fn $double(kernel: $kernel<'_, f64>) {
            dispatch_at(kernel.plan.level, kernel);
        }
        impl<T: Real> $kernel<'_, T> {
            /// Runs the kernel compiled for its numbers and for this processor.
            pub(super) fn execute(self) {
                let kernel = ManuallyDrop::new(self);
                // SAFETY: `Real` is sealed: T is f32 (23 fraction bits) or f64, so the kernel's type is the one named; it is moved
                // out once and not dropped here.
                unsafe {
                    if T::FRACTION_BITS == 23 {
                        $single(transmute_copy(&kernel));
                    } else {
                        $double(transmute_copy(&kernel));
                    }
                }
            }
        }
    };
}

compiled!(Forward, forward_f32, forward_f64);
compiled!(Back, back_f32, back_f64);
compiled!(Reverse, reverse_f32, reverse_f64);
compiled!(WeightGradient, weight_gradient_f32, weight_gradient_f64);
compiled!(Waves, waves_f32, waves_f64);
