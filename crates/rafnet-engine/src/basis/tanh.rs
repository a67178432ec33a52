//! γ(y) = tanh y
//!
//! With m = e^(−2|y|) − 1 the value is −m/(2 + m), accurate for small y too, and the derivative 4(1 + m)/(2 + m)² keeps
//! its digits where tanh is close to ±1, unlike 1 − tanh².

use crate::simd::{Vector, expm1_parts};

pub(super) const HAS_TAIL: bool = true;

/// With t = tanh y, s = t′ = 1/cosh² y: [t, s, −2ts, (4 − 6s) s]
#[inline(always)]
pub(super) fn tower<V: Vector>(y: V) -> [V; 4] {
    let (n, p) = expm1_parts(y.abs().mul(V::constant(-2.0)));
    let power = V::constant(1.0).scale(n);
    let e = p.mul_add(power, power); // e^(−2|y|)
    let m = p.mul_add(power, power.sub(V::constant(1.0)));
    let inverse = V::constant(1.0).div(m.add(V::constant(2.0)));
    let magnitude = V::zero().sub(m.mul(inverse));
    let t = magnitude.xor(y.and(V::constant(-0.0)));
    let s = V::constant(4.0).mul(e).mul(inverse).mul(inverse);
    [
        t,
        s,
        V::constant(-2.0).mul(t).mul(s),
        s.mul_add(V::constant(-6.0), V::constant(4.0)).mul(s),
    ]
}
