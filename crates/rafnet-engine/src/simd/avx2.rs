//! AVX2 with FMA: 256-bit registers.
//!
//! Each operation is one or a few instructions; the formulas above it never name them.
#![allow(
    unsafe_code,
    reason = "processor intrinsics and loads through pointers"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the intrinsics carry their own prefix"
)]
#![cfg(target_arch = "x86_64")]

use super::{Isa, Kernel, Vector};
use std::arch::x86_64::*;
use std::mem::transmute;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Avx2;

/// 8 numbers.
#[derive(Clone, Copy)]
pub(super) struct F32(__m256);
/// 4 numbers.
#[derive(Clone, Copy)]
pub(super) struct F64(__m256d);

impl Isa for Avx2 {
    type F32 = F32;
    type F64 = F64;
    const ROWS: usize = 6;
}

/// Whether this processor has it.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Runs a kernel compiled for it.
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    assert!(detected(), "this processor lacks the instruction set");
    #[target_feature(enable = "avx2,fma")]
    fn inner<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }
    // SAFETY: the features were found just above.
    unsafe { inner(kernel) }
}

/// What is several instructions, or named unlike the others.
macro_rules! register {
    ($type:ident, $lanes:literal, $floor:ident $blend:ident $compare:ident $mask:ident $low:ident $high:ident $halves:ident $sum:path) => {
        #[inline(always)]
        fn floor(self) -> Self {
            operation!(Self($floor(self.0)))
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, positive: Self) -> Self {
            operation!(Self($blend(positive.0, negative.0, self.0)))
        }
        #[inline(always)]
        fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
            let above = operation!($compare::<_CMP_GT_OQ>(self.0, bound.0));
            operation!(Self($blend(otherwise.0, then.0, above)))
        }
        #[inline(always)]
        fn all_at_most(self, bound: Self) -> bool {
            operation!($mask($compare::<_CMP_LE_OQ>(self.0, bound.0)) == (1 << $lanes) - 1)
        }
        #[inline(always)]
        fn sum(self) -> $type {
            $sum(self.0)
        }
        #[inline(always)]
        fn zip(self, other: Self) -> (Self, Self) {
            operation!({
                let (low, high) = ($low(self.0, other.0), $high(self.0, other.0));
                (
                    Self($halves::<0x20>(low, high)),
                    Self($halves::<0x31>(low, high)),
                )
            })
        }
    };
}

impl Vector for F32 {
    single_instructions!(f32, __m256, 8,
        _mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_max_ps _mm256_min_ps _mm256_sqrt_ps
        _mm256_and_ps _mm256_xor_ps _mm256_castps_si256 _mm256_castsi256_ps _mm256_sll_epi32);
    fused_instructions!(_mm256_fmadd_ps _mm256_fnmadd_ps);
    scaled_by_bits!(f32, 23, 127.0);
    register!(f32, 8,
        _mm256_floor_ps _mm256_blendv_ps _mm256_cmp_ps _mm256_movemask_ps _mm256_unpacklo_ps _mm256_unpackhi_ps _mm256_permute2f128_ps sum_f32);
}

impl Vector for F64 {
    single_instructions!(f64, __m256d, 4,
        _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_max_pd _mm256_min_pd _mm256_sqrt_pd
        _mm256_and_pd _mm256_xor_pd _mm256_castpd_si256 _mm256_castsi256_pd _mm256_sll_epi64);
    fused_instructions!(_mm256_fmadd_pd _mm256_fnmadd_pd);
    scaled_by_bits!(f64, 52, 1023.0);
    register!(f64, 4,
        _mm256_floor_pd _mm256_blendv_pd _mm256_cmp_pd _mm256_movemask_pd _mm256_unpacklo_pd _mm256_unpackhi_pd _mm256_permute2f128_pd sum_f64);
}

/// Halves, then quarters, then eighths are added.
#[inline(always)]
fn sum_f32(a: __m256) -> f32 {
    operation!({
        let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    })
}

/// Halves, then quarters are added.
#[inline(always)]
fn sum_f64(a: __m256d) -> f64 {
    operation!({
        let two = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd::<1>(a));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    })
}
