//! γ(y) = 2^y

use crate::simd::{Real, Vector, exp};
use std::f64::consts::LN_2;

pub(super) const HAS_TAIL: bool = true;

/// With p = 2^y = 2^⌊y⌉ e^((y − ⌊y⌉) ln 2): [p, p ln 2, p ln² 2, p ln³ 2]; whole numbers are exact.
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let most = if V::Element::FRACTION_BITS == 23 {
        200.0
    } else {
        1100.0
    }; // the powers beyond are ∞ and 0
    let y = V::constant(most).min(V::constant(-most).max(y));
    let n = y.add(V::constant(0.5)).floor();
    let p = exp(y.sub(n).mul(V::constant(LN_2))).scale(n);
    let first = p.mul(V::constant(LN_2));
    let second = first.mul(V::constant(LN_2));
    [p, first, second, second.mul(V::constant(LN_2))]
}
