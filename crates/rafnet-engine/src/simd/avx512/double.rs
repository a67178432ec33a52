//! 8 numbers of `f64` in a 512-bit register.
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

/// 8 numbers.
#[derive(Clone, Copy)]
pub(in crate::simd) struct F64(__m512d);

impl Vector for F64 {
    type Element = f64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        operation!(Self(_mm512_loadu_pd(from)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        operation!(_mm512_storeu_pd(to, self.0))
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        operation!(Self(_mm512_set1_pd(value)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        operation!(Self(_mm512_add_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        operation!(Self(_mm512_sub_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        operation!(Self(_mm512_mul_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        operation!(Self(_mm512_div_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm512_fmadd_pd(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm512_fnmadd_pd(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        operation!(Self(_mm512_max_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        operation!(Self(_mm512_min_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        operation!(Self(_mm512_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        operation!(Self(_mm512_roundscale_pd::<0x01>(self.0)))
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        operation!(Self(_mm512_scalef_pd(self.0, n.0)))
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        operation!(Self(_mm512_castsi512_pd(_mm512_sll_epi64(
            _mm512_castpd_si512(self.0),
            _mm_cvtsi32_si128(N.cast_signed())
        ))))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        operation!(Self(_mm512_and_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        operation!(Self(_mm512_xor_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        operation!(Self(_mm512_mask_blend_pd(
            _mm512_movepi64_mask(_mm512_castpd_si512(self.0)),
            positive.0,
            negative.0
        )))
    }
    #[inline(always)]
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        operation!(Self(_mm512_mask_blend_pd(
            _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, bound.0),
            otherwise.0,
            then.0
        )))
    }
    #[inline(always)]
    fn all_at_most(self, bound: Self) -> bool {
        operation!(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, bound.0) == 0xff)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        operation!(_mm512_reduce_add_pd(self.0))
    }
    #[inline(always)]
    fn lanewise(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        operation!({
            let a = transmute::<__m512d, [f64; 8]>(self.0);
            let b = transmute::<__m512d, [f64; 8]>(other.0);
            Self(transmute::<[f64; 8], __m512d>(std::array::from_fn(|i| {
                f(a[i], b[i])
            })))
        })
    }
    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        operation!({
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            (
                Self(_mm512_permutex2var_pd(self.0, low, other.0)),
                Self(_mm512_permutex2var_pd(self.0, high, other.0)),
            )
        })
    }
}
