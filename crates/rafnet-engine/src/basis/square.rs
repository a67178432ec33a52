//! γ(y) = y²

use crate::simd::Vector;

pub(super) const HAS_TAIL: bool = false;

/// [y², 2y, 2, 0]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    [y.mul(y), y.add(y), V::constant(2.0), V::zero()]
}
