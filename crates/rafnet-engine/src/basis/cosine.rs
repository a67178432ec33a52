//! γ(y) = cos y

use crate::simd::{Vector, sincos};

pub(super) const HAS_TAIL: bool = false;

/// [cos y, −sin y, −cos y, sin y]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let (sin, cos) = sincos(y);
    [cos, V::zero().sub(sin), V::zero().sub(cos), sin]
}
