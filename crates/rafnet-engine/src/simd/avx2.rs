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

// SAFETY (all of the operations below): a value of these types only exists inside a body entered through `run`, which
// has checked the processor; `load` and `store` pass their caller's guarantee on.
macro_rules! operation {
    ($body:expr) => {
        // SAFETY: see above.
        unsafe { $body }
    };
}
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
