//! 4 numbers of `f64` in a 256-bit register.
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

/// 4 numbers.
#[derive(Clone, Copy)]
pub(in crate::simd) struct F64(__m256d);

impl Vector for F64 {
    type Element = f64;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        operation!(Self(_mm256_loadu_pd(from)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        operation!(_mm256_storeu_pd(to, self.0))
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        operation!(Self(_mm256_set1_pd(value)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        operation!(Self(_mm256_add_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        operation!(Self(_mm256_sub_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        operation!(Self(_mm256_mul_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        operation!(Self(_mm256_div_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm256_fmadd_pd(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm256_fnmadd_pd(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        operation!(Self(_mm256_max_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        operation!(Self(_mm256_min_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        operation!(Self(_mm256_sqrt_pd(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        operation!(Self(_mm256_floor_pd(self.0)))
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // 2ᵏ from the low bits of k + bias + 1.5·2^fraction; in two halves, so that each factor is a normal number
        let bias = Self::splat(6_755_399_441_055_744.0 + 1023.0);
        let half = n.mul(Self::splat(0.5)).floor();
        let rest = n.sub(half);
        self.mul(half.add(bias).shift_left::<52>())
            .mul(rest.add(bias).shift_left::<52>())
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        operation!(Self(_mm256_castsi256_pd(_mm256_sll_epi64(
            _mm256_castpd_si256(self.0),
            _mm_cvtsi32_si128(N.cast_signed())
        ))))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        operation!(Self(_mm256_and_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        operation!(Self(_mm256_xor_pd(self.0, other.0)))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        operation!(Self(_mm256_blendv_pd(positive.0, negative.0, self.0)))
    }
    #[inline(always)]
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        operation!(Self(_mm256_blendv_pd(
            otherwise.0,
            then.0,
            _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, bound.0)
        )))
    }
    #[inline(always)]
    fn all_at_most(self, bound: Self) -> bool {
        operation!(_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, bound.0)) == 0xf)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        operation!({
            let two = _mm_add_pd(
                _mm256_castpd256_pd128(self.0),
                _mm256_extractf128_pd::<1>(self.0),
            );
            _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
        })
    }
    #[inline(always)]
    fn lanewise(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        operation!({
            let a = transmute::<__m256d, [f64; 4]>(self.0);
            let b = transmute::<__m256d, [f64; 4]>(other.0);
            Self(transmute::<[f64; 4], __m256d>(std::array::from_fn(|i| {
                f(a[i], b[i])
            })))
        })
    }
    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        operation!({
            let (low, high) = (
                _mm256_unpacklo_pd(self.0, other.0),
                _mm256_unpackhi_pd(self.0, other.0),
            );
            (
                Self(_mm256_permute2f128_pd::<0x20>(low, high)),
                Self(_mm256_permute2f128_pd::<0x31>(low, high)),
            )
        })
    }
}
