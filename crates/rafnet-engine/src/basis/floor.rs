//! γ(y) = ⌊y⌋

use crate::simd::Vector;

pub(super) const HAS_TAIL: bool = false;

/// [⌊y⌋, 0, 0, 0]; the derivatives are those almost everywhere.
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    [y.floor(), V::zero(), V::zero(), V::zero()]
}
