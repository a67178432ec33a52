//! γ(y) = sin y

use crate::simd::{Vector, sincos};

pub(super) const HAS_TAIL: bool = false;

/// [sin y, cos y, −sin y, −cos y]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let (sin, cos) = sincos(y);
    [sin, cos, V::zero().sub(sin), V::zero().sub(cos)]
}
