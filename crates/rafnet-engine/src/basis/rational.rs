//! γ(y) = P(y)/Q(y), a cubic over a quadratic polynomial whose seven coefficients are parameters of a layer.
//!
//! ```text
//! P = p₀ + p₁y + p₂y² + p₃y³      Q = q₀ + q₁y + q₂y²      shape = [p₀ p₁ p₂ p₃ q₀ q₁ q₂]
//! ```
//!
//! The initial coefficients are the best (3, 2) approximation of ReLU (Boullé, Nakatsukasa, Townsend 2020).

use super::function::{Function, Sensitivities};
use crate::simd::{Real, Vector};

/// How many coefficients there are.
pub const COEFFICIENTS: usize = 7;

/// The coefficients a layer starts with.
pub fn initial<T: Real>() -> [T; COEFFICIENTS] {
    [0.0218, 0.5, 1.5957, 1.1915, 1.0, 0.0, 2.383].map(T::from_f64)
}

pub(super) const HAS_TAIL: bool = false;

#[derive(Clone, Copy)]
pub(super) struct Rational;

impl Function for Rational {
    #[inline(always)]
    fn tower<V: Vector, const ORDER: usize>(self, y: V, shape: &[V::Element]) -> [V; 4] {
        tower(y, shape)
    }
    #[inline(always)]
    fn sensitivities<V: Vector, const ORDER: usize>(
        self,
        y: V,
        shape: &[V::Element],
    ) -> Sensitivities<V> {
        sensitivities(y, shape)
    }
}

/// i = 1/Q with three derivatives: i′ = −Q′i², i″ = (2Q′²i − Q″) i², i‴ = 6Q′i³ (Q″ − Q′²i)
#[inline(always)]
fn inverse_tower<V: Vector>(y: V, shape: &[V::Element]) -> [V; 4] {
    let [q0, q1, q2] = [V::splat(shape[4]), V::splat(shape[5]), V::splat(shape[6])];
    let i = V::constant(1.0).div(q2.mul_add(y, q1).mul_add(y, q0));
    let slope = V::constant(2.0).mul(q2).mul_add(y, q1);
    let bend = q2.add(q2);
    let square = i.mul(i);
    let drop = slope.mul(slope).mul(i); // Q′² i
    [
        i,
        V::zero().sub(slope.mul(square)),
        V::constant(2.0)
            .mul_add(drop, V::zero().sub(bend))
            .mul(square),
        V::constant(6.0)
            .mul(slope)
            .mul(square.mul(i))
            .mul(bend.sub(drop)),
    ]
}

/// The first three derivatives of a product from those of its factors (Leibniz).
#[inline(always)]
fn product<V: Vector>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    let (two, three) = (V::constant(2.0), V::constant(3.0));
    [
        a[0].mul(b[0]),
        a[1].mul(b[0]).add(a[0].mul(b[1])),
        a[2].mul(b[0])
            .add(two.mul(a[1]).mul(b[1]))
            .add(a[0].mul(b[2])),
        a[3].mul(b[0])
            .add(three.mul(a[2].mul(b[1]).add(a[1].mul(b[2]))))
            .add(a[0].mul(b[3])),
    ]
}

/// [γ, γ′, γ″, γ‴]
#[inline(always)]
fn tower<V: Vector>(y: V, shape: &[V::Element]) -> [V; 4] {
    let (p0, p1) = (V::splat(shape[0]), V::splat(shape[1]));
    let (p2, p3) = (V::splat(shape[2]), V::splat(shape[3]));
    let (two, three, six) = (V::constant(2.0), V::constant(3.0), V::constant(6.0));
    let top = [
        p3.mul_add(y, p2).mul_add(y, p1).mul_add(y, p0),
        three.mul(p3).mul_add(y, two.mul(p2)).mul_add(y, p1),
        six.mul(p3).mul_add(y, two.mul(p2)),
        six.mul(p3),
    ];
    product(top, inverse_tower(y, shape))
}

/// `∂γ/∂shape[k]` for every k with two derivatives in y: yᵏ/Q for the coefficients of P, −yᵏ P/Q² for those of Q.
#[inline(always)]
fn sensitivities<V: Vector>(y: V, shape: &[V::Element]) -> Sensitivities<V> {
    let above = inverse_tower(y, shape);
    let (zero, one, two) = (V::zero(), V::constant(1.0), V::constant(2.0));
    let [a, b, c, d] = product(tower(y, shape), above);
    let below = [zero.sub(a), zero.sub(b), zero.sub(c), zero.sub(d)];
    let square = y.mul(y);
    let cubic = [
        square.mul(y),
        V::constant(3.0).mul(square),
        V::constant(6.0).mul(y),
        V::constant(6.0),
    ];
    let quadratic = [square, y.add(y), two, zero];
    let linear = [y, one, zero, zero];
    [
        short(above),
        short(product(linear, above)),
        short(product(quadratic, above)),
        short(product(cubic, above)),
        short(below),
        short(product(linear, below)),
        short(product(quadratic, below)),
    ]
}

/// Without the third derivative.
#[inline(always)]
fn short<V: Vector>(tower: [V; 4]) -> [V; 3] {
    [tower[0], tower[1], tower[2]]
}
