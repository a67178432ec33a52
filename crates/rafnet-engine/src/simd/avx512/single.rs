//! 16 numbers of `f32` in a 512-bit register.
#![allow(
    unsafe_code,
    reason = "processor intrinsics and loads through pointers"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the intrinsics carry their own prefix"
)]

use crate::simd::Vector;
use std::arch::x86_64::*;
use std::mem::transmute;

/// 16 numbers.
#[derive(Clone, Copy)]
pub(in crate::simd) struct F32(__m512);

impl Vector for F32 {
    type Element = f32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        operation!(Self(_mm512_loadu_ps(from)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        operation!(_mm512_storeu_ps(to, self.0))
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        operation!(Self(_mm512_set1_ps(value)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        operation!(Self(_mm512_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        operation!(Self(_mm512_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        operation!(Self(_mm512_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        operation!(Self(_mm512_div_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm512_fmadd_ps(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm512_fnmadd_ps(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        operation!(Self(_mm512_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        operation!(Self(_mm512_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        operation!(Self(_mm512_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        operation!(Self(_mm512_roundscale_ps::<0x01>(self.0)))
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        operation!(Self(_mm512_scalef_ps(self.0, n.0)))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        operation!(Self(_mm512_castsi512_ps(_mm512_sll_epi32(
            _mm512_castps_si512(self.0),
            _mm_cvtsi32_si128(N.cast_signed())
        ))))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        operation!(Self(_mm512_and_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        operation!(Self(_mm512_xor_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        operation!(Self(_mm512_mask_blend_ps(
            _mm512_movepi32_mask(_mm512_castps_si512(self.0)),
            positive.0,
            negative.0
        )))
    }
    #[inline(always)]
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        operation!(Self(_mm512_mask_blend_ps(
            _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, bound.0),
            otherwise.0,
            then.0
        )))
    }
    #[inline(always)]
    fn all_at_most(self, bound: Self) -> bool {
        operation!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, bound.0) == 0xffff)
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        operation!(_mm512_reduce_add_ps(self.0))
    }
    #[inline(always)]
    fn lanewise(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        operation!({
            let a = transmute::<__m512, [f32; 16]>(self.0);
            let b = transmute::<__m512, [f32; 16]>(other.0);
            Self(transmute::<[f32; 16], __m512>(std::array::from_fn(|i| {
                f(a[i], b[i])
            })))
        })
    }
    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        operation!({
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high =
                _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            (
                Self(_mm512_permutex2var_ps(self.0, low, other.0)),
                Self(_mm512_permutex2var_ps(self.0, high, other.0)),
            )
        })
    }
}
