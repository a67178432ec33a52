//! γ(y) = √(y² + 1), a smooth |y|
//!
//! √(x² + ε²) is ε·γ(x/ε): a coefficient α = ε and a frequency β = 1/ε.

use crate::simd::Vector;

pub(super) const HAS_TAIL: bool = false;

/// With h = γ(y): [h, y/h, 1/h³, −3y/h⁵]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let one = V::constant(1.0);
    let h = y.mul_add(y, one).sqrt();
    let inverse = one.div(h);
    let square = inverse.mul(inverse);
    let cube = square.mul(inverse);
    [
        h,
        y.mul(inverse),
        cube,
        V::constant(-3.0).mul(y).mul(cube).mul(square),
    ]
}
