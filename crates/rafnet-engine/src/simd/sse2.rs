//! The baseline of x86-64: 128-bit registers, which every such processor has.
//!
//! The same operations as [`Lanes`](super::Lanes) of four and two numbers, bit for bit. Arrays would do, but the compiler has to find the
//! registers in them again: over all kernels that takes it twice as long as everything else in this crate.
#![allow(
    unsafe_code,
    reason = "processor intrinsics and loads through pointers"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the intrinsics carry their own prefix"
)]
#![cfg(target_arch = "x86_64")]

use super::{Isa, Vector};
use std::arch::x86_64::*;
use std::mem::transmute;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

/// 4 numbers.
#[derive(Clone, Copy)]
pub(super) struct F32(__m128);
/// 2 numbers.
#[derive(Clone, Copy)]
pub(super) struct F64(__m128d);

impl Isa for Baseline {
    type F32 = F32;
    type F64 = F64;
    const ROWS: usize = 6;
}

/// What is several instructions: these registers have no fused product, and no floor.
macro_rules! register {
    ($type:ident, $raw:ident, $lanes:literal, $fraction:literal,
     $splat:ident $and:ident $andnot:ident $or:ident $above:ident $at_most:ident $mask:ident $low:ident $high:ident $signs:ident $fused:ident) => {
        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            $fused(self, factor, term)
        }
        #[inline(always)]
        fn neg_mul_add(self, factor: Self, term: Self) -> Self {
            self.xor(Self::splat(-0.0)).mul_add(factor, term)
        }
        #[inline(always)]
        fn floor(self) -> Self {
            // |x| to the nearest whole number with the sign of x, one less where that is above; from 2^fraction on all are whole
            let sign = self.and(Self::splat(-0.0));
            let large = Self::splat((1u64 << $fraction) as $type);
            let size = self.xor(sign);
            let near = size.add(large).sub(large).xor(sign);
            let less = operation!(Self($and($above(near.0, self.0), $splat(1.0))));
            large.select_above(size, near.sub(less), self)
        }
        #[inline(always)]
        fn select_by_sign(self, negative: Self, positive: Self) -> Self {
            let mask = $signs(self.0);
            operation!(Self($or($and(mask, negative.0), $andnot(mask, positive.0))))
        }
        #[inline(always)]
        fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
            let mask = operation!($above(self.0, bound.0));
            operation!(Self($or($and(mask, then.0), $andnot(mask, otherwise.0))))
        }
        #[inline(always)]
        fn all_at_most(self, bound: Self) -> bool {
            operation!($mask($at_most(self.0, bound.0)) == (1 << $lanes) - 1)
        }
        #[inline(always)]
        fn sum(self) -> $type {
            let lanes = operation!(transmute::<$raw, [$type; $lanes]>(self.0));
            lanes.iter().fold(0.0, |sum, a| sum + a)
        }
        #[inline(always)]
        fn zip(self, other: Self) -> (Self, Self) {
            operation!((Self($low(self.0, other.0)), Self($high(self.0, other.0))))
        }
    };
}

impl Vector for F32 {
    single_instructions!(f32, __m128, 4,
        _mm_loadu_ps _mm_storeu_ps _mm_set1_ps _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_max_ps _mm_min_ps _mm_sqrt_ps
        _mm_and_ps _mm_xor_ps _mm_castps_si128 _mm_castsi128_ps _mm_sll_epi32);
    scaled_by_bits!(f32, 23, 127.0);
    register!(f32, __m128, 4, 23,
        _mm_set1_ps _mm_and_ps _mm_andnot_ps _mm_or_ps _mm_cmpgt_ps _mm_cmple_ps _mm_movemask_ps _mm_unpacklo_ps _mm_unpackhi_ps signs_f32 fused_f32);
}

impl Vector for F64 {
    single_instructions!(f64, __m128d, 2,
        _mm_loadu_pd _mm_storeu_pd _mm_set1_pd _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_max_pd _mm_min_pd _mm_sqrt_pd
        _mm_and_pd _mm_xor_pd _mm_castpd_si128 _mm_castsi128_pd _mm_sll_epi64);
    scaled_by_bits!(f64, 52, 1023.0);
    register!(f64, __m128d, 2, 52,
        _mm_set1_pd _mm_and_pd _mm_andnot_pd _mm_or_pd _mm_cmpgt_pd _mm_cmple_pd _mm_movemask_pd _mm_unpacklo_pd _mm_unpackhi_pd signs_f64 fused_f64);
}

/// The sign bit in every bit of its lane.
#[inline(always)]
fn signs_f32(a: __m128) -> __m128 {
    operation!(_mm_castsi128_ps(_mm_srai_epi32::<31>(_mm_castps_si128(a))))
}

/// The same; words of 32 bits are shifted, and the upper one of each lane taken twice.
#[inline(always)]
fn signs_f64(a: __m128d) -> __m128d {
    operation!({
        let words = _mm_srai_epi32::<31>(_mm_castpd_si128(a));
        _mm_castsi128_pd(_mm_shuffle_epi32::<0b11_11_01_01>(words))
    })
}

/// Through f64, with nearly one rounding.
#[inline(always)]
fn fused_f32(a: F32, b: F32, c: F32) -> F32 {
    let two = |a: __m128, b: __m128, c: __m128| {
        operation!(_mm_cvtpd_ps(_mm_add_pd(
            _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)),
            _mm_cvtps_pd(c)
        )))
    };
    let upper = |a: __m128| operation!(_mm_movehl_ps(a, a));
    operation!(F32(_mm_movelh_ps(
        two(a.0, b.0, c.0),
        two(upper(a.0), upper(b.0), upper(c.0))
    )))
}

/// Rounded twice.
#[inline(always)]
fn fused_f64(a: F64, b: F64, c: F64) -> F64 {
    a.mul(b).add(c)
}
