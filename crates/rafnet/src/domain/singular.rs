//! Singular functions of a corner, with their derivatives in closed form.
//!
//! With z = r e^{iθ} in the corner's local coordinates, s = Im z^λ (sine) or Re z^λ (cosine) is harmonic, and
//! ```text
//! sine:    ∂ₚs = λ r^{λ−1} sin((λ−1)θ)    ∂_q s = λ r^{λ−1} cos((λ−1)θ)
//!          ∂ₚₚs = −∂_qq s = λ(λ−1) r^{λ−2} sin((λ−2)θ)    ∂_pq s = λ(λ−1) r^{λ−2} cos((λ−2)θ)
//! ```
//! since dz^λ/dz = λz^{λ−1}, d/dp = d/dz and d/dq = i d/dz; the cosine has the same with (sin, cos) → (cos, −sin). The
//! results are turned back to the coordinates of the polygon. Truth: central differences, in the tests below.

use super::corner::Corner;
use super::derivatives::Derivatives;

/// Which harmonic function of the corner's angle.
///
/// ```
/// use rafnet::domain::{Polygon, Shape, Wave};
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// let even = ell.corners()[0].with_exponent(2.0, Wave::Cosine);
/// assert!((even.value([1.0, 0.0]) - 1.0).abs() < 1e-15); // r = 1, θ = π
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wave {
    /// r^λ sin(λθ).
    Sine,
    /// r^λ cos(λθ).
    Cosine,
}

/// A singular function r^λ sin(λθ) or r^λ cos(λθ) of a corner.
///
/// At the corner itself the value is 0 (for λ > 0); derivatives are not finite there for λ below their order. Samplers
/// never return a corner.
///
/// ```
/// use rafnet::domain::{Polygon, Shape};
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// let singular = ell.corners()[0].singular(1);
/// let s = singular.derivatives([0.5, 0.5]); // θ = 3π/4, the middle: sin(πθ/ω) = 1
/// assert!((s.value - 0.5f64.sqrt().powf(2.0 / 3.0)).abs() < 1e-15);
/// assert!((s.hessian[0] + s.hessian[3]).abs() < 1e-15); // harmonic
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Singular {
    corner: Corner,
    exponent: f64,
    wave: Wave,
}

impl Singular {
    pub(super) fn new(corner: Corner, exponent: f64, wave: Wave) -> Self {
        Self {
            corner,
            exponent,
            wave,
        }
    }

    /// The corner it belongs to.
    pub fn corner(&self) -> &Corner {
        &self.corner
    }

    /// The exponent λ.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// The value at a point of the polygon.
    pub fn value(&self, x: [f64; 2]) -> f64 {
        let (r, theta) = self.corner.polar(x);
        self.power(0, r, theta)[0]
    }

    /// Value, gradient and Hessian at a point of the polygon.
    pub fn derivatives(&self, x: [f64; 2]) -> Derivatives {
        let (r, theta) = self.corner.polar(x);
        let [value, _] = self.power(0, r, theta);
        let [p, q] = self.power(1, r, theta);
        let [pp, pq] = self.power(2, r, theta);
        let [c, s] = self.corner.rotation;
        let (xx, xy) = (
            pp * (c * c - s * s) - 2.0 * pq * c * s,
            2.0 * pp * c * s + pq * (c * c - s * s),
        );
        Derivatives {
            value,
            gradient: vec![c * p - s * q, s * p + c * q],
            hessian: vec![xx, xy, xy, -xx],
        }
    }

    /// The part of dᵏz^λ/dz^k that is s differentiated k times along p, and the one with one of them along q.
    fn power(&self, order: i32, r: f64, theta: f64) -> [f64; 2] {
        let factor: f64 = (0..order).map(|k| self.exponent - f64::from(k)).product();
        let exponent = self.exponent - f64::from(order);
        let size = factor * r.powf(exponent);
        let (sine, cosine) = (exponent * theta).sin_cos();
        match self.wave {
            Wave::Sine => [size * sine, size * cosine],
            Wave::Cosine => [size * cosine, -size * sine],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Polygon, Shape, derivatives::check_by_differences};
    use proptest::prelude::*;

    /// A pentagon with one re-entrant corner that no axis is parallel to.
    fn arrow() -> Corner {
        let polygon = Polygon::new(vec![
            [0.3, 0.1],
            [2.0, -1.0],
            [1.2, 0.7],
            [1.9, 2.1],
            [-0.5, 1.5],
        ])
        .expect("an arrow");
        polygon.corners()[0].clone()
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_differences(u in 0.05..0.95f64, r in 0.2..0.6f64, k in 1u32..5, odd in 0usize..2) {
            let corner = arrow();
            let wave = [Wave::Sine, Wave::Cosine][odd];
            let singular = corner.with_exponent((f64::from(k) - 0.5 * odd as f64) * corner.exponent, wave);
            let (sine, cosine) = (u * corner.angle).sin_cos();
            let [c, s] = corner.rotation;
            let x = [corner.position[0] + r * (c * cosine - s * sine), corner.position[1] + r * (s * cosine + c * sine)];
            let found = singular.derivatives(x);
            prop_assert_eq!(found.value.to_bits(), singular.value(x).to_bits());
            check_by_differences(&found, &x, r, |x| singular.derivatives([x[0], x[1]]));
        }
    }

    #[test]
    fn the_sine_vanishes_on_both_edges() {
        let corner = arrow();
        let singular = corner.singular(3);
        let [c, s] = corner.rotation;
        let along = [corner.position[0] + 0.5 * c, corner.position[1] + 0.5 * s];
        let (sine, cosine) = corner.angle.sin_cos();
        let arriving = [
            corner.position[0] + 0.5 * (c * cosine - s * sine),
            corner.position[1] + 0.5 * (s * cosine + c * sine),
        ];
        for x in [along, arriving] {
            assert!(singular.value(x).abs() < 1e-14, "{}", singular.value(x));
        }
        assert_eq!(singular.value(corner.position).to_bits(), 0f64.to_bits());
        assert_eq!(
            (singular.corner().vertex, singular.exponent().to_bits()),
            (3, (3.0 * corner.exponent).to_bits())
        );
    }
}
