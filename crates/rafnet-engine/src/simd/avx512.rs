//! AVX-512: 512-bit registers.
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
pub(super) struct Avx512;

/// 16 numbers.
#[derive(Clone, Copy)]
pub(super) struct F32(__m512);
/// 8 numbers.
#[derive(Clone, Copy)]
pub(super) struct F64(__m512d);

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

/// What is several instructions, or named unlike the others; `$all` is the mask of all lanes.
macro_rules! register {
    ($type:ident, $all:literal, $round:ident $scale:ident $blend:ident $signs:ident $to_bits:ident $compare:ident $sum:ident
     $permute:ident, $low:expr, $high:expr) => {
        #[inline(always)]
        fn floor(self) -> Self {
            operation!(Self($round::<0x01>(self.0)))
        }
        #[inline(always)]
        fn scale(self, n: Self) -> Self {
            operation!(Self($scale(self.0, n.0)))
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, positive: Self) -> Self {
            let signs = operation!($signs($to_bits(self.0)));
            operation!(Self($blend(signs, positive.0, negative.0)))
        }
        #[inline(always)]
        fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
            let above = operation!($compare::<_CMP_GT_OQ>(self.0, bound.0));
            operation!(Self($blend(above, otherwise.0, then.0)))
        }
        #[inline(always)]
        fn all_at_most(self, bound: Self) -> bool {
            operation!($compare::<_CMP_LE_OQ>(self.0, bound.0) == $all)
        }
        #[inline(always)]
        fn sum(self) -> $type {
            operation!($sum(self.0))
        }
        #[inline(always)]
        fn zip(self, other: Self) -> (Self, Self) {
            operation!((
                Self($permute(self.0, $low, other.0)),
                Self($permute(self.0, $high, other.0))
            ))
        }
    };
}

impl Vector for F32 {
    single_instructions!(f32, __m512, 16,
        _mm512_loadu_ps _mm512_storeu_ps _mm512_set1_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_min_ps _mm512_sqrt_ps
        _mm512_and_ps _mm512_xor_ps _mm512_castps_si512 _mm512_castsi512_ps _mm512_sll_epi32);
    fused_instructions!(_mm512_fmadd_ps _mm512_fnmadd_ps);
    register!(f32, 0xffff,
        _mm512_roundscale_ps _mm512_scalef_ps _mm512_mask_blend_ps _mm512_movepi32_mask _mm512_castps_si512 _mm512_cmp_ps_mask _mm512_reduce_add_ps
        _mm512_permutex2var_ps,
        _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
}

impl Vector for F64 {
    single_instructions!(f64, __m512d, 8,
        _mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_max_pd _mm512_min_pd _mm512_sqrt_pd
        _mm512_and_pd _mm512_xor_pd _mm512_castpd_si512 _mm512_castsi512_pd _mm512_sll_epi64);
    fused_instructions!(_mm512_fmadd_pd _mm512_fnmadd_pd);
    register!(f64, 0xff,
        _mm512_roundscale_pd _mm512_scalef_pd _mm512_mask_blend_pd _mm512_movepi64_mask _mm512_castpd_si512 _mm512_cmp_pd_mask _mm512_reduce_add_pd
        _mm512_permutex2var_pd,
        _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
        _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15));
}
