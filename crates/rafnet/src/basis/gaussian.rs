//! γ(y) = exp(−y²)
//!
//! The β form exp(−(βx)²) has y = βx; the width form exp(−x²/2s²) is the same with β = 1/(√2 s).

use crate::simd::{Vector, exp};

/// With G = exp(−y²): [G, −2y G, (4y² − 2) G, (12 − 8y²) y G]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let square = y.mul(y);
    let g = exp(V::zero().sub(square));
    let yg = y.mul(g);
    [
        g,
        V::constant(-2.0).mul(yg),
        square.mul_add(V::constant(4.0), V::constant(-2.0)).mul(g),
        square.mul_add(V::constant(-8.0), V::constant(12.0)).mul(yg),
    ]
}
