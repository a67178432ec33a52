//! f64 with a running bound of the rounding error.

use super::number::Number;
use crate::expr::{Unary, larger};
use crate::simd::Real;
use std::f64::consts::FRAC_2_SQRT_PI;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

/// A number and a bound of what rounding to the precision of `T` may have done to it, to first order:
///
/// ```text
/// E(a + b) = E(a) + E(b) + υ(|a| + |b|)     E(ab) = |a|E(b) + |b|E(a) + υ|ab|     E(f(a)) = |f′(a)|E(a) + 8υ|f(a)|
/// ```
///
/// with the unit roundoff υ = ε/2.
/// A forward and a reverse sweep are sums of the same products along paths through the network, so the absolute
/// contributions, which E adds up, bound the rounding error of either; |a| + |b| instead of |a + b| makes E independent of
/// cancellation in a lucky order, and 8υ is above the error of every function (`tests/library/accuracy.rs`).
/// At a jump that rounding could cross, E is infinite: nothing is known there.
#[derive(Debug)]
pub(super) struct Bounded<T> {
    pub(super) value: f64,
    pub(super) error: f64,
    precision: PhantomData<T>,
}

impl<T> Clone for Bounded<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Bounded<T> {}

impl<T: Real> Bounded<T> {
    /// υ
    const ROUNDOFF: f64 = T::EPSILON / 2.0;
    /// Results below this may be flushed to zero.
    const TINY: f64 = if T::FRACTION_BITS == 23 {
        1e-15
    } else {
        1e-120
    };

    pub(super) fn new(value: f64, error: f64) -> Self {
        Self {
            value,
            error,
            precision: PhantomData,
        }
    }
    /// f(a) with its slope.
    fn function(self, value: f64, slope: f64) -> Self {
        let carried = if slope == 0.0 {
            0.0
        } else {
            slope.abs() * self.error
        };
        Self::new(
            value,
            carried + 8.0 * Self::ROUNDOFF * value.abs() + Self::TINY,
        )
    }
    /// A piecewise constant function with its next jumps at a distance.
    fn piece(self, value: f64, distance: f64) -> Self {
        let safe = distance > 4.0 * self.error;
        Self::new(value, if safe { 0.0 } else { f64::INFINITY })
    }
}

impl<T: Real> Add for Bounded<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let size = self.value.abs() + other.value.abs();
        Self::new(
            self.value + other.value,
            self.error + other.error + Self::ROUNDOFF * size,
        )
    }
}
impl<T: Real> Neg for Bounded<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, self.error)
    }
}
impl<T: Real> Sub for Bounded<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}
impl<T: Real> Mul for Bounded<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // an exact zero stays one, whatever the other's error
        let felt = |by: f64, error: f64| if by == 0.0 { 0.0 } else { by.abs() * error };
        let value = self.value * other.value;
        let known_zero = self.is_zero() || other.is_zero();
        let error = felt(self.value, other.error)
            + felt(other.value, self.error)
            + Self::ROUNDOFF * value.abs()
            + Self::TINY;
        Self::new(value, if known_zero { 0.0 } else { error })
    }
}

impl<T: Real> Number for Bounded<T> {
    fn exact(value: f64) -> Self {
        Self::new(value, 0.0)
    }
    fn rounded(value: f64) -> Self {
        Self::new(value, Self::ROUNDOFF * value.abs())
    }
    fn is_negative(self) -> bool {
        self.value < 0.0
    }
    fn is_zero(self) -> bool {
        self.value == 0.0 && self.error == 0.0
    }
    fn recip(self) -> Self {
        let r = 1.0 / self.value;
        self.function(r, r * r)
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.function(root, 0.5 / root)
    }
    fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.function(sin, cos)
    }
    fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.function(cos, sin)
    }
    fn exp(self) -> Self {
        let e = self.value.exp();
        self.function(e, e)
    }
    fn tanh(self) -> Self {
        let t = self.value.tanh();
        self.function(t, 1.0 - t * t)
    }
    fn log(self) -> Self {
        self.function(self.value.ln(), 1.0 / self.value)
    }
    fn atan(self) -> Self {
        let y = self.value;
        self.function(y.atan(), 1.0 / (1.0 + y * y))
    }
    fn erf(self) -> Self {
        let y = self.value;
        let slope = FRAC_2_SQRT_PI * (-y * y).exp();
        self.function(Unary::Erf.value(y), slope)
    }
    fn floor(self) -> Self {
        let y = self.value;
        self.piece(y.floor(), (y - y.round()).abs())
    }
    fn max(self, other: Self) -> Self {
        let value = if self.value > other.value {
            self.value
        } else {
            other.value
        };
        Self::new(value, larger(self.error, other.error))
    }
    fn step(self) -> Self {
        let value = if self.value >= 0.0 { 1.0 } else { 0.0 };
        self.piece(value, self.value.abs())
    }
    #[expect(clippy::float_cmp, reason = "whether it is the very same number")]
    fn choose(self, then: Self, otherwise: Self) -> Self {
        let chosen = if self.value == 0.0 { otherwise } else { then };
        let same = then.value == otherwise.value && then.error == otherwise.error;
        // near a jump of the condition either may be meant
        Self::new(
            chosen.value,
            if same || self.error == 0.0 {
                chosen.error
            } else {
                f64::INFINITY
            },
        )
    }
}
