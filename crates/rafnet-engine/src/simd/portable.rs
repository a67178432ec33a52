//! Registers as plain arrays: the baseline instruction set, and with one lane the scalar code.
//!
//! Without a fused multiply-add in the baseline, `mul_add` of f32 goes through f64 (nearly one rounding) and of f64
//! rounds twice; the argument reductions are written so that both keep their accuracy.

#[cfg(not(target_arch = "x86_64"))]
use super::Isa;
use super::{Real, Vector};

/// `N` numbers in an array.
///
/// ```
/// use rafnet::simd::{Lanes, Vector};
/// let v = Lanes([1.0f64, 2.0]);
/// assert_eq!(v.mul_add(v, v).0, [2.0, 6.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lanes<T, const N: usize>(pub [T; N]);

/// The baseline of other processors than x86-64: 128-bit registers.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(super) struct Baseline;

#[cfg(not(target_arch = "x86_64"))]
impl Isa for Baseline {
    type F32 = Lanes<f32, 4>;
    type F64 = Lanes<f64, 2>;
    const ROWS: usize = 6;
}

macro_rules! lanes {
    ($type:ident, $bits:ident, $exponent_bias:literal, $fused:expr) => {
        impl<const N: usize> Lanes<$type, N> {
            #[inline(always)]
            fn map(self, f: impl Fn($type) -> $type) -> Self {
                Self(self.0.map(f))
            }
            #[inline(always)]
            fn with(self, other: Self, f: impl Fn($type, $type) -> $type) -> Self {
                Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
            }
        }

        #[allow(
            unsafe_code,
            reason = "reads and writes through pointers, as the trait asks"
        )]
        impl<const N: usize> Vector for Lanes<$type, N> {
            type Element = $type;
            const LANES: usize = N;

            #[inline(always)]
            unsafe fn load(from: *const $type) -> Self {
                // SAFETY: the caller guarantees N readable elements; arrays need no more than element alignment.
                Self(unsafe { from.cast::<[$type; N]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $type) {
                // SAFETY: the caller guarantees N writable elements.
                unsafe { to.cast::<[$type; N]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            fn splat(value: $type) -> Self {
                Self([value; N])
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.with(other, |a, b| a + b)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.with(other, |a, b| a - b)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.with(other, |a, b| a * b)
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self.with(other, |a, b| a / b)
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                let fused: fn($type, $type, $type) -> $type = $fused;
                Self(std::array::from_fn(|i| {
                    fused(self.0[i], factor.0[i], term.0[i])
                }))
            }
            #[inline(always)]
            fn neg_mul_add(self, factor: Self, term: Self) -> Self {
                self.map(|a| -a).mul_add(factor, term)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.with(other, |a, b| if a > b { a } else { b })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                self.with(other, |a, b| if a < b { a } else { b })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map($type::sqrt)
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.map($type::floor)
            }
            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number within the exponent's range"
            )]
            fn scale(self, n: Self) -> Self {
                // in two halves, so that each factor is a normal number
                let power = |k: $type| {
                    <$type>::from_bits(
                        ((k as i64 + $exponent_bias) as $bits) << <$type as Real>::FRACTION_BITS,
                    )
                };
                let half = n.map(|k| (k * 0.5).floor());
                let rest = n.sub(half);
                self.mul(half.map(power)).mul(rest.map(power))
            }
            #[inline(always)]
            fn shift_left<const S: u32>(self) -> Self {
                self.map(|a| <$type>::from_bits(a.to_bits() << S))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self.with(other, |a, b| <$type>::from_bits(a.to_bits() & b.to_bits()))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self.with(other, |a, b| <$type>::from_bits(a.to_bits() ^ b.to_bits()))
            }
            #[inline(always)]
            fn select_by_sign(self, negative: Self, positive: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if self.0[i].is_sign_negative() {
                        negative.0[i]
                    } else {
                        positive.0[i]
                    }
                }))
            }
            #[inline(always)]
            fn select_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if self.0[i] > bound.0[i] {
                        then.0[i]
                    } else {
                        otherwise.0[i]
                    }
                }))
            }
            #[inline(always)]
            fn all_at_most(self, bound: Self) -> bool {
                self.0.iter().zip(&bound.0).all(|(a, b)| a <= b)
            }
            #[inline(always)]
            fn sum(self) -> $type {
                self.0.iter().fold(0.0, |sum, a| sum + a)
            }
            #[inline(always)]
            fn zip(self, other: Self) -> (Self, Self) {
                let pick = |i: usize| {
                    if i % 2 == 0 {
                        self.0[i / 2]
                    } else {
                        other.0[i / 2]
                    }
                };
                (
                    Self(std::array::from_fn(pick)),
                    Self(std::array::from_fn(|i| pick(N + i))),
                )
            }
            #[inline(always)]
            fn lanewise(self, other: Self, f: impl Fn($type, $type) -> $type) -> Self {
                self.with(other, f)
            }
        }
    };
}

lanes!(f32, u32, 127, |a, b, c| {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the one rounding of a fused operation"
    )]
    {
        (f64::from(a) * f64::from(b) + f64::from(c)) as f32
    }
});
lanes!(f64, u64, 1023, |a, b, c| a * b + c);
