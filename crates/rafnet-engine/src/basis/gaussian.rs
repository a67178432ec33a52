//! γ(y) = exp(−y²)
//!
//! The β form exp(−(βx)²) has y = βx; the width form exp(−x²/2s²) is the same with β = 1/(√2 s).
//!
//! The tail below e⁻⁸⁷ (f32) or e⁻⁷⁰⁸ (f64) is zero: narrow bumps live there most of the time, and arithmetic with the
//! subnormal numbers that would follow is a hundred times slower on many processors.

use crate::simd::{Real, Vector, exp};

pub(super) const HAS_TAIL: bool = true;

/// With G = exp(−y²): [G, −2y G, (4y² − 2) G, (12 − 8y²) y G]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let square = V::constant(1e3).min(y.mul(y)); // beyond the tail and finite, so that 4y²·0 is no NaN
    let limit = V::constant(if V::Element::FRACTION_BITS == 23 {
        87.0
    } else {
        708.0
    });
    let tail = exp(V::zero().sub(limit.min(square))); // `min` keeps a NaN of its argument
    let g = square.select_above(limit, V::zero(), tail);
    let yg = y.mul(g);
    [
        g,
        V::constant(-2.0).mul(yg),
        square.mul_add(V::constant(4.0), V::constant(-2.0)).mul(g),
        square.mul_add(V::constant(-8.0), V::constant(12.0)).mul(yg),
    ]
}
