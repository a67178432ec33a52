//! γ(y) = max(0, y)³

use crate::simd::Vector;

pub(super) const HAS_TAIL: bool = false;

/// With p = max(0, y): p³, 3p², 6p, and 6 for y > 0 else 0
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let zero = V::zero();
    let p = zero.max(y);
    let square = p.mul(p);
    [
        square.mul(p),
        square.mul(V::constant(3.0)),
        p.mul(V::constant(6.0)),
        y.select_above(zero, V::constant(6.0), zero),
    ]
}
