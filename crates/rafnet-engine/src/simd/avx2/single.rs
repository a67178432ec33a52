//! 8 numbers of `f32` in a 256-bit register.
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
pub(in crate::simd) struct F32(__m256);

impl Vector for F32 {
    type Element = f32;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        operation!(Self(_mm256_loadu_ps(from)))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        operation!(_mm256_storeu_ps(to, self.0))
    }
    #[inline(always)]
    fn splat(value: f32) -> Self {
        operation!(Self(_mm256_set1_ps(value)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        operation!(Self(_mm256_add_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        operation!(Self(_mm256_sub_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        operation!(Self(_mm256_mul_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        operation!(Self(_mm256_div_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm256_fmadd_ps(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        operation!(Self(_mm256_fnmadd_ps(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        operation!(Self(_mm256_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        operation!(Self(_mm256_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        operation!(Self(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        operation!(Self(_mm256_floor_ps(self.0)))
    }
    #[inline(always)]
    fn scale(self, n: Self) -> Self {
        // 2ᵏ from the low bits of k + bias + 1.5·2^fraction; in two halves, so that each factor is a normal number
        let bias = Self::splat(12_582_912.0 + 127.0);
        let half = n.mul(Self::splat(0.5)).floor();
        let rest = n.sub(half);
        self.mul(half.add(bias).shift_left::<23>())
            .mul(rest.add(bias).shift_left::<23>())
    }
    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        operation!(Self(_mm256_castsi256_ps(_mm256_sll_epi32(
            _mm256_castps_si256(self.0),
            _mm_cvtsi32_si128(N.cast_signed())
        ))))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        operation!(Self(_mm256_and_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        operation!(Self(_mm256_xor_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn select_by_sign(self, negative: Self, positive: Self) -> Self {
        operation!(Self(_mm256_blendv_ps(positive.0, negative.0, self.0)))
    }
    #[inline(always)]
    fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        operation!(Self(_mm256_blendv_ps(
            otherwise.0,
            then.0,
            _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, bound.0)
        )))
    }
    #[inline(always)]
    fn all_at_most(self, bound: Self) -> bool {
        operation!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, bound.0)) == 0xff)
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        operation!({
            let four = _mm_add_ps(
                _mm256_castps256_ps128(self.0),
                _mm256_extractf128_ps::<1>(self.0),
            );
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        })
    }
    #[inline(always)]
    fn lanewise(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        operation!({
            let a = transmute::<__m256, [f32; 8]>(self.0);
            let b = transmute::<__m256, [f32; 8]>(other.0);
            Self(transmute::<[f32; 8], __m256>(std::array::from_fn(|i| {
                f(a[i], b[i])
            })))
        })
    }
    #[inline(always)]
    fn zip(self, other: Self) -> (Self, Self) {
        operation!({
            let (low, high) = (
                _mm256_unpacklo_ps(self.0, other.0),
                _mm256_unpackhi_ps(self.0, other.0),
            );
            (
                Self(_mm256_permute2f128_ps::<0x20>(low, high)),
                Self(_mm256_permute2f128_ps::<0x31>(low, high)),
            )
        })
    }
}
