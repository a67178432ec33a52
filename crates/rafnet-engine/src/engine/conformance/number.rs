//! What the oracle asks of a number: [`Bounded`](super::bounded) knows its rounding error, [`Dual`](super::dual) its derivative.

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
    fn log(self) -> Self;
    fn tanh(self) -> Self;
    fn atan(self) -> Self;
    fn erf(self) -> Self;
    fn floor(self) -> Self;
    /// The larger; `other` where one is no number.
    fn max(self, other: Self) -> Self;
    /// 1 for y ≥ 0, else 0
    fn step(self) -> Self;
    /// `then` where this is not 0, else `otherwise`.
    fn choose(self, then: Self, otherwise: Self) -> Self;
}
