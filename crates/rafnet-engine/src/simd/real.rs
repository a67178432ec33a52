//! The two numbers the library computes with: f32 and f64.

use super::{Isa, Vector};
use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// f32 or f64.
///
/// ```
/// use rafnet::simd::Real;
/// assert_eq!(f32::from_f64(0.5).to_f64(), 0.5);
/// assert_eq!(<f64 as Real>::NAME, "f64");
/// ```
pub trait Real:
    sealed::Sealed
    + Copy
    + Send
    + Sync
    + 'static
    + Debug
    + Display
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
{
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// Bits of the fraction: 23 or 52.
    const FRACTION_BITS: u32;
    /// The register of these numbers in an instruction set.
    type Register<I: Isa>: Vector<Element = Self>;

    /// The nearest number to an f64.
    fn from_f64(value: f64) -> Self;
    /// The same number as an f64.
    fn to_f64(self) -> f64;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// √self
    fn sqrt(self) -> Self;
    /// Sine and cosine by the standard library, for arguments beyond the vector code's range.
    fn sincos_std(self) -> (Self, Self);
}

macro_rules! real {
    ($type:ident, $fraction:literal, $register:ident) => {
        impl Real for $type {
            const NAME: &'static str = stringify!($type);
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $type::EPSILON as f64;
            const FRACTION_BITS: u32 = $fraction;
            type Register<I: Isa> = I::$register;

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation,
                reason = "rounding to the nearest f32 is what is asked for"
            )]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            #[allow(
                clippy::cast_lossless,
                clippy::unnecessary_cast,
                reason = "one macro for both types"
            )]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $type::sqrt(self)
            }
            fn sincos_std(self) -> (Self, Self) {
                self.sin_cos()
            }
        }
    };
}

real!(f32, 23, F32);
real!(f64, 52, F64);
