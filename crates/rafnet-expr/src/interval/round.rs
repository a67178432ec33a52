//! Rounding outwards.
//!
//! A result of exactly 0 stays: sums and differences are 0 only if they are exactly so, and products, quotients and powers of what
//! is not 0 become 0 only below the smallest number. So a square root of a product of what is not negative stays defined.

/// How many units in the last place the value of a library function may be off: twice what the vector functions of programs are
/// tested to, so that these lie inside too.
const LIBRARY: f64 = 4.0;

/// The next number below: what a correctly rounded result is at least.
#[inline]
pub(super) fn down(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.next_down() }
}

/// The next number above.
#[inline]
pub(super) fn up(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.next_up() }
}

/// Below a value that may be off by so many units in the last place.
#[inline]
pub(super) fn below(x: f64, units: f64) -> f64 {
    if x.is_finite() {
        down(x - units * f64::EPSILON * x.abs())
    } else {
        down(x)
    }
}

/// Above it.
#[inline]
pub(super) fn above(x: f64, units: f64) -> f64 {
    -below(-x, units)
}

/// Below a library function's value.
#[inline]
pub(super) fn below_library(x: f64) -> f64 {
    below(x, LIBRARY)
}

/// Above it.
#[inline]
pub(super) fn above_library(x: f64) -> f64 {
    above(x, LIBRARY)
}
