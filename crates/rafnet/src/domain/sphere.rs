//! Points uniform on the unit sphere, and the measures of spheres and balls.
//!
//! A point of the cube goes to a direction in d dimensions so that area is preserved:
//! ```text
//! d = 1   −1 or +1                                  d = 3   z = 1 − 2u₁, longitude 2πu₂   (Archimedes)
//! d = 2   angle 2πu₁                                d ≥ 4   g/|g|, g_k = Φ⁻¹(u_k)
//! ```
//! The ball of radius 1 has the volume V(0) = 1, V(1) = 2, V(d) = (2π/d) V(d−2); its sphere has the area d V(d).

use super::normal::inverse_normal;
use super::rule::{Rule, gauss_legendre};
use std::f64::consts::TAU;

/// How many numbers a direction in `dimension` coordinates takes.
pub(super) fn direction_numbers(dimension: usize) -> usize {
    match dimension {
        1 | 2 => 1,
        3 => 2,
        _ => dimension,
    }
}

/// Nodes and weights for the numbers of a direction, in up to three coordinates: equally spaced where it closes on itself.
pub(super) fn direction_rules(dimension: usize, along: usize) -> Option<Vec<Rule>> {
    let around = |n: usize| {
        let node = |k: usize| [(k as f64 + 0.5) / n as f64, 1.0 / n as f64];
        (0..n).map(node).collect::<Rule>()
    };
    match dimension {
        1 => Some(vec![around(2)]),
        2 => Some(vec![around(along)]),
        3 => Some(vec![gauss_legendre(along), around(along)]),
        _ => None,
    }
}

/// Writes the unit vector that belongs to u; `direction.len()` is the dimension.
pub(super) fn direction(u: &[f64], direction: &mut [f64]) {
    match direction {
        [x] => *x = if u[0] < 0.5 { -1.0 } else { 1.0 },
        [x, y] => (*y, *x) = (TAU * u[0]).sin_cos(),
        [x, y, z] => {
            *z = 1.0 - 2.0 * u[0];
            // (1 − z)(1 + z) keeps its digits at the poles, where 1 − z² does not.
            let radius = (4.0 * u[0] * (1.0 - u[0])).sqrt();
            let (sine, cosine) = (TAU * u[1]).sin_cos();
            (*x, *y) = (radius * cosine, radius * sine);
        }
        many => {
            for (x, &u) in many.iter_mut().zip(u) {
                *x = inverse_normal(u);
            }
            let length = many.iter().map(|x| x * x).sum::<f64>().sqrt();
            for x in many {
                *x /= length;
            }
        }
    }
}

/// The volume of the unit ball.
pub(super) fn ball_measure(dimension: usize) -> f64 {
    match dimension {
        0 => 1.0,
        1 => 2.0,
        d => TAU / d as f64 * ball_measure(d - 2),
    }
}

/// The area of the unit sphere; 2 (its two points) in one dimension.
pub(super) fn sphere_measure(dimension: usize) -> f64 {
    dimension as f64 * ball_measure(dimension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::philox::Key;
    use std::f64::consts::PI;

    #[test]
    fn measures_are_the_known_ones() {
        let known = [2.0, PI, 4.0 * PI / 3.0, PI * PI / 2.0, 8.0 * PI * PI / 15.0];
        for (dimension, volume) in (1..).zip(known) {
            assert!((ball_measure(dimension) - volume).abs() <= 4.0 * f64::EPSILON * volume);
        }
        assert!((sphere_measure(3) - 4.0 * PI).abs() < 1e-14);
    }

    /// E[nᵢnⱼ] = δᵢⱼ/d on the sphere. The mean of N terms, each within [−1, 1] and of variance ≤ 3/d², is within
    /// five standard deviations of it: 5·√(3/N)/d.
    #[test]
    fn directions_are_unit_and_isotropic() {
        let key = Key::derive(11, 0, [0, 0]);
        let count = 20_000;
        for dimension in 1..=6 {
            let mut u = vec![0.0; direction_numbers(dimension)];
            let mut n = vec![0.0; dimension];
            let mut moments = vec![0.0; dimension * dimension];
            for index in 0..count {
                key.fill(index, &mut u);
                direction(&u, &mut n);
                let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(
                    (length - 1.0).abs() < 8.0 * f64::EPSILON,
                    "{dimension}: {length}"
                );
                for (k, moment) in moments.iter_mut().enumerate() {
                    *moment += n[k / dimension] * n[k % dimension] / count as f64;
                }
            }
            let bound = 5.0 * (3.0 / count as f64).sqrt() / dimension as f64;
            for (k, moment) in moments.iter().enumerate() {
                let expected = if k / dimension == k % dimension {
                    1.0 / dimension as f64
                } else {
                    0.0
                };
                assert!(
                    (moment - expected).abs() <= bound,
                    "{dimension}, {k}: {moment}"
                );
            }
        }
    }
}
