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

// SAFETY (all of the operations below): every x86-64 processor has SSE2; `load` and `store` pass their caller's guarantee on.
macro_rules! operation {
    ($body:expr) => {
        // SAFETY: see above.
        unsafe { $body }
    };
}

/// One register type: its numbers, the fraction's bits and the exponent's bias, and its instructions.
macro_rules! register {
    ($name:ident, $type:ident, $raw:ident, $lanes:literal, $fraction:literal, $bias:literal,
     $load:ident $store:ident $splat:ident $add:ident $sub:ident $mul:ident $div:ident $max:ident $min:ident $sqrt:ident
     $and:ident $andnot:ident $or:ident $xor:ident $above:ident $at_most:ident $mask:ident $low:ident $high:ident
     $to_bits:ident $from_bits:ident $shift:ident $sign:path, $fused:expr) => {
        impl $name {
            /// `then` where all bits of `mask` are set, `otherwise` where none is.
            #[inline(always)]
            fn select(mask: $raw, then: Self, otherwise: Self) -> Self {
                operation!(Self($or($and(mask, then.0), $andnot(mask, otherwise.0))))
            }
            #[inline(always)]
            fn lanes(self) -> [$type; $lanes] {
                operation!(transmute::<$raw, [$type; $lanes]>(self.0))
            }
        }

        impl Vector for $name {
            type Element = $type;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(from: *const $type) -> Self {
                operation!(Self($load(from)))
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $type) {
                operation!($store(to, self.0))
            }
            #[inline(always)]
            fn splat(value: $type) -> Self {
                operation!(Self($splat(value)))
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                operation!(Self($add(self.0, other.0)))
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                operation!(Self($sub(self.0, other.0)))
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                operation!(Self($mul(self.0, other.0)))
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                operation!(Self($div(self.0, other.0)))
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                let fused: fn(Self, Self, Self) -> Self = $fused;
                fused(self, factor, term)
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: Self, term: Self) -> Self {
                self.xor(Self::splat(-0.0)).mul_add(factor, term)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                operation!(Self($max(self.0, other.0)))
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                operation!(Self($min(self.0, other.0)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                operation!(Self($sqrt(self.0)))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                // |x| to the nearest whole number with the sign of x, one less where that is above; from 2^fraction on all are whole
                let sign = self.and(Self::splat(-0.0));
                let large = Self::splat((1u64 << $fraction) as $type);
                let size = self.xor(sign);
                let near = size.add(large).sub(large).xor(sign);
                let less = operation!(Self($and($above(near.0, self.0), $splat(1.0))));
                let whole = operation!($above(large.0, size.0));
                Self::select(whole, near.sub(less), self)
            }
            #[inline(always)]
            fn scale(self, n: Self) -> Self {
                // 2ᵏ from the low bits of k + bias + 1.5·2^fraction; in two halves, so that each factor is a normal number
                let bias = Self::splat((3u64 << ($fraction - 1)) as $type + $bias);
                let half = n.mul(Self::splat(0.5)).floor();
                let rest = n.sub(half);
                self.mul(half.add(bias).shift_left::<$fraction>())
                    .mul(rest.add(bias).shift_left::<$fraction>())
            }
            #[inline(always)]
            fn shift_left<const N: u32>(self) -> Self {
                operation!(Self($from_bits($shift(
                    $to_bits(self.0),
                    _mm_cvtsi32_si128(N.cast_signed())
                ))))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                operation!(Self($and(self.0, other.0)))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                operation!(Self($xor(self.0, other.0)))
            }
            #[inline(always)]
            fn select_by_sign(self, negative: Self, positive: Self) -> Self {
                Self::select($sign(self.0), negative, positive)
            }
            #[inline(always)]
            fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
                Self::select(operation!($above(self.0, bound.0)), then, otherwise)
            }
            #[inline(always)]
            fn all_at_most(self, bound: Self) -> bool {
                operation!($mask($at_most(self.0, bound.0)) == (1 << $lanes) - 1)
            }
            #[inline(always)]
            fn sum(self) -> $type {
                self.lanes().iter().fold(0.0, |sum, a| sum + a)
            }
            #[inline(always)]
            fn lanewise(self, other: Self, f: impl Fn($type, $type) -> $type) -> Self {
                let (a, b) = (self.lanes(), other.lanes());
                let values: [$type; $lanes] = std::array::from_fn(|i| f(a[i], b[i]));
                operation!(Self(transmute::<[$type; $lanes], $raw>(values)))
            }
            #[inline(always)]
            fn zip(self, other: Self) -> (Self, Self) {
                operation!((Self($low(self.0, other.0)), Self($high(self.0, other.0))))
            }
        }
    };
}

register!(F32, f32, __m128, 4, 23, 127.0,
    _mm_loadu_ps _mm_storeu_ps _mm_set1_ps _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_max_ps _mm_min_ps _mm_sqrt_ps
    _mm_and_ps _mm_andnot_ps _mm_or_ps _mm_xor_ps _mm_cmpgt_ps _mm_cmple_ps _mm_movemask_ps _mm_unpacklo_ps _mm_unpackhi_ps
    _mm_castps_si128 _mm_castsi128_ps _mm_sll_epi32 signs_f32, fused_f32);
register!(F64, f64, __m128d, 2, 52, 1023.0,
    _mm_loadu_pd _mm_storeu_pd _mm_set1_pd _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_max_pd _mm_min_pd _mm_sqrt_pd
    _mm_and_pd _mm_andnot_pd _mm_or_pd _mm_xor_pd _mm_cmpgt_pd _mm_cmple_pd _mm_movemask_pd _mm_unpacklo_pd _mm_unpackhi_pd
    _mm_castpd_si128 _mm_castsi128_pd _mm_sll_epi64 signs_f64, fused_f64);

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
