//! γ(y) = max(0, y)

use crate::simd::Vector;

pub(super) const HAS_TAIL: bool = false;

/// [max(0, y), 1 for y > 0 else 0, 0, 0]; the derivatives are those almost everywhere.
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let zero = V::zero();
    [
        zero.max(y),
        y.select_above(zero, V::constant(1.0), zero),
        zero,
        zero,
    ]
}
