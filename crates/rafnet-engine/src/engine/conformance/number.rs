//! The oracle's numbers: f64 with a running bound of the rounding error, and dual numbers over them.
//!
//! ```text
//! (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε        f(a + a′ε) = f(a) + f′(a)a′ε        ε² = 0
//! ```
//!
//! `Dual<Dual<N>>` is a hyper-dual number: with ε₁ along x_i and ε₂ along x_j the coefficient of ε₁ε₂ is ∂_ij. A third
//! level along a direction in the parameters differentiates all of that by the parameters. Nothing is truncated: the
//! derivatives are exact up to rounding.

use crate::simd::Real;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

/// What the formulas need of a number.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A number that the engine holds exactly: a coordinate, a parameter, a whole number.
    fn exact(value: f64) -> Self;
    /// A constant that the engine rounds to its own precision.
    fn rounded(value: f64) -> Self;
    /// Whether it is below zero.
    fn is_negative(self) -> bool;
    /// Whether it is zero, and known to be.
    fn is_zero(self) -> bool;
    fn recip(self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn exp(self) -> Self;
    fn tanh(self) -> Self;
    /// max(0, y)
    fn relu(self) -> Self;
    /// 1 for y ≥ 0, else 0
    fn step(self) -> Self;
    fn floor(self) -> Self;
}

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
    fn relu(self) -> Self {
        Self::new(self.value.max(0.0), self.error)
    }
    fn step(self) -> Self {
        let value = if self.value >= 0.0 { 1.0 } else { 0.0 };
        self.piece(value, self.value.abs())
    }
    fn floor(self) -> Self {
        let y = self.value;
        self.piece(y.floor(), (y - y.round()).abs())
    }
}

/// value + slope·ε, ε² = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dual<N> {
    pub(super) value: N,
    pub(super) slope: N,
}

impl<N: Number> Dual<N> {
    pub(super) fn constant(value: N) -> Self {
        let slope = N::exact(0.0);
        Self { value, slope }
    }
    /// f(value) with slope f′(value)·slope.
    fn function(self, value: N, derivative: N) -> Self {
        Self {
            value,
            slope: derivative * self.slope,
        }
    }
}

impl<N: Number> Add for Dual<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            slope: self.slope + other.slope,
        }
    }
}
impl<N: Number> Sub for Dual<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            slope: self.slope - other.slope,
        }
    }
}
impl<N: Number> Neg for Dual<N> {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            slope: -self.slope,
        }
    }
}
impl<N: Number> Mul for Dual<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // parameters and most coordinates have no slope: two thirds of the work would be products with zero
        let product = |a: N, b: N| {
            if a.is_zero() { N::exact(0.0) } else { a * b }
        };
        Self {
            value: self.value * other.value,
            slope: product(self.slope, other.value) + product(other.slope, self.value),
        }
    }
}

impl<N: Number> Number for Dual<N> {
    fn exact(value: f64) -> Self {
        Self::constant(N::exact(value))
    }
    fn rounded(value: f64) -> Self {
        Self::constant(N::rounded(value))
    }
    fn is_negative(self) -> bool {
        self.value.is_negative()
    }
    fn is_zero(self) -> bool {
        self.value.is_zero() && self.slope.is_zero()
    }
    fn recip(self) -> Self {
        let r = self.value.recip();
        self.function(r, -(r * r))
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.function(root, (root + root).recip())
    }
    fn sin(self) -> Self {
        self.function(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.function(self.value.cos(), -self.value.sin())
    }
    fn exp(self) -> Self {
        let e = self.value.exp();
        self.function(e, e)
    }
    fn tanh(self) -> Self {
        let t = self.value.tanh();
        self.function(t, N::exact(1.0) - t * t)
    }
    fn relu(self) -> Self {
        self.function(self.value.relu(), self.value.step())
    }
    fn step(self) -> Self {
        Self::constant(self.value.step())
    }
    fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounded, Dual, Number};

    type Third = Dual<Dual<Dual<Bounded<f64>>>>;

    /// y + ε₁ + ε₂ + ε₃; the coefficient of ε₁ε₂ε₃ of f(·) is f‴(y).
    fn variable(y: f64) -> Third {
        let first = Dual {
            value: Bounded::exact(y),
            slope: Bounded::exact(1.0),
        };
        let second = Dual {
            value: first,
            slope: Dual::exact(1.0),
        };
        Dual {
            value: second,
            slope: Dual::exact(1.0),
        }
    }

    fn third(f: impl Fn(Third) -> Third, y: f64) -> f64 {
        f(variable(y)).slope.slope.slope.value
    }

    #[test]
    fn third_derivatives_by_hand() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-13 * b.abs(), "{a} is not {b}");
        near(third(|y| y * y * y * y, 1.5), 36.0);
        near(third(Number::sin, 0.7), -0.7f64.cos());
        near(third(Number::recip, 2.0), -0.375);
        near(third(Number::sqrt, 4.0), 3.0 / 256.0);
        near(third(Number::exp, 1.0), 1f64.exp());
        let (t, s) = (0.5f64.tanh(), 1.0 - 0.5f64.tanh().powi(2));
        near(third(Number::tanh, 0.5), (6.0 * t * t - 2.0) * s);
        near(third(|y| y.relu() * y.relu() * y.relu(), 0.5), 6.0);
    }
}
