//! Dual numbers, one within another: the oracle's derivatives.
//!
//! ```text
//! (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε        f(a + a′ε) = f(a) + f′(a)a′ε        ε² = 0
//! ```
//!
//! `Dual<Dual<N>>` is a hyper-dual number: with ε₁ along x_i and ε₂ along x_j the coefficient of ε₁ε₂ is ∂_ij. A third
//! level along a direction in the parameters differentiates all of that by the parameters. Nothing is truncated: the
//! derivatives are exact up to rounding.

use super::number::Number;
use std::f64::consts::FRAC_2_SQRT_PI;
use std::ops::{Add, Mul, Neg, Sub};

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
    fn log(self) -> Self {
        self.function(self.value.log(), self.value.recip())
    }
    fn atan(self) -> Self {
        let below = N::exact(1.0) + self.value * self.value;
        self.function(self.value.atan(), below.recip())
    }
    fn erf(self) -> Self {
        let bell = (-(self.value * self.value)).exp();
        let slope = N::rounded(FRAC_2_SQRT_PI) * bell;
        self.function(self.value.erf(), slope)
    }
    fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }
    fn max(self, other: Self) -> Self {
        let first = (self.value - other.value).step();
        Self {
            value: self.value.max(other.value),
            slope: first.choose(self.slope, other.slope),
        }
    }
    fn step(self) -> Self {
        Self::constant(self.value.step())
    }
    fn choose(self, then: Self, otherwise: Self) -> Self {
        Self {
            value: self.value.choose(then.value, otherwise.value),
            slope: self.value.choose(then.slope, otherwise.slope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dual, FRAC_2_SQRT_PI, Number};
    use crate::engine::conformance::bounded::Bounded;

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
        near(third(Number::log, 2.0), 0.25);
        near(third(Number::atan, 1.0), 0.5);
        let bell = FRAC_2_SQRT_PI * (-0.25f64).exp(); // erf‴ = (4y² − 2) erf′
        near(third(Number::erf, 0.5), -bell);
        let positive = |y: Third| y.max(Third::exact(0.0));
        near(third(|y| positive(y) * positive(y) * positive(y), 0.5), 6.0);
        let cube = |y: Third| y.step().choose(y * y * y, Third::exact(0.0));
        near(third(cube, 0.5), 6.0);
        near(third(cube, -0.5), 0.0);
    }
}
