//! AVX-512: 512-bit registers.
//!
//! Each operation is one or a few instructions; the formulas above it never name them.
#![allow(
    unsafe_code,
    reason = "processor intrinsics and loads through pointers"
)]
#![cfg(target_arch = "x86_64")]

use super::{Isa, Kernel};
use double::F64;
use single::F32;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Avx512;

impl Isa for Avx512 {
    type F32 = F32;
    type F64 = F64;
    const ROWS: usize = 14;
}

/// Whether this processor has it.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

/// Runs a kernel compiled for it.
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    assert!(detected(), "this processor lacks the instruction set");
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    fn inner<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }
    // SAFETY: the features were found just above.
    unsafe { inner(kernel) }
}

// SAFETY (all of the operations in `single` and `double`): a value of these types only exists inside a body entered through `run`, which
// has checked the processor; `load` and `store` pass their caller's guarantee on.
macro_rules! operation {
    ($body:expr) => {
        // SAFETY: see above.
        unsafe { $body }
    };
}

mod double;
mod single;
