//! Means over a domain: points and weights with Σ w f(x) ≈ (1/|Ω|) ∫ f.
//!
//! Where the map of the unit cube onto the shape is smooth (boxes, discs, rings in the plane, these swept through time), Gauss points of the
//! cube go through it: the map preserves measure, so their weights stay as they are. Elsewhere, and beyond three numbers a point,
//! many Sobol points with equal weights.

use super::{Domain, DomainError, Draw, Placed, Sampler};
use std::f64::consts::PI;

/// Gauss points along each axis of the cube, by its dimension.
const ALONG: [usize; 3] = [64, 48, 20];
/// Points with equal weights.
const MANY: usize = 1 << 14;

/// Points (n × d by rows) with weights that sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    /// n × d by rows.
    pub points: Vec<f64>,
    /// n
    pub weights: Vec<f64>,
}

impl Domain {
    /// Points and weights for means over the domain.
    ///
    /// ```
    /// use rafnet::domain::{Ball, Domain};
    /// use std::sync::Arc;
    /// let disc = Domain::new(Arc::new(Ball::new(vec![0.0, 0.0], 2.0)?));
    /// let q = disc.quadrature()?;
    /// let mean: f64 = q.points.chunks(2).zip(&q.weights).map(|(x, w)| w * x[0] * x[0]).sum();
    /// assert!((mean - 1.0).abs() < 1e-13); // R²/4
    /// # Ok::<(), rafnet::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Domain::interior`].
    pub fn quadrature(&self) -> Result<Quadrature, DomainError> {
        let numbers = self.shape.numbers();
        let Some(&along) = ALONG
            .get(numbers.wrapping_sub(1))
            .filter(|_| self.shape.smooth())
        else {
            let points = self.interior(MANY, &Draw::new(Sampler::Sobol, 0))?;
            let weights = vec![1.0 / MANY as f64; MANY];
            return Ok(Quadrature { points, weights });
        };
        let rule = gauss_legendre(along);
        let mut x = vec![0.0; self.dimension()];
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        for index in 0..along.pow(u32::try_from(numbers).unwrap_or(0)) {
            let digits = (0..numbers).scan(index, |rest, _| {
                let digit = *rest % along;
                *rest /= along;
                Some(digit)
            });
            let (mut u, mut weight) = (Vec::with_capacity(numbers), 1.0);
            for digit in digits {
                u.push(rule[digit][0]);
                weight *= rule[digit][1];
            }
            if self.shape.place(&u, &mut x) == Placed::Kept {
                points.extend(&x);
                weights.push(weight);
            }
        }
        Ok(Quadrature { points, weights })
    }
}

/// `[node, weight]` of the Gauss–Legendre rule on (0, 1): the roots of P_n by Newton's method from Tricomi's first guess.
pub(crate) fn gauss_legendre(n: usize) -> Vec<[f64; 2]> {
    let node = |i: usize| {
        let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut now) = (1.0, x);
            for k in 2..=n {
                let k = k as f64;
                (before, now) = (now, ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k);
            }
            slope = n as f64 * (x * now - before) / (x * x - 1.0);
            x -= now / slope;
        }
        [0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope)]
    };
    (0..n).map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Annulus, Ball, Cuboid, Polygon};
    use std::sync::Arc;

    fn mean(domain: &Domain, f: impl Fn(&[f64]) -> f64) -> f64 {
        let q = domain.quadrature().expect("points");
        let d = domain.dimension();
        q.points
            .chunks(d)
            .zip(&q.weights)
            .map(|(x, w)| w * f(x))
            .sum()
    }

    #[test]
    fn means_in_closed_form() {
        let interval = Domain::new(Arc::new(Cuboid::new(vec![[0.0, 2.0]]).expect("a box")));
        assert!((mean(&interval, |x| x[0].exp()) - (2f64.exp() - 1.0) / 2.0).abs() < 1e-13);
        let disc = Domain::new(Arc::new(Ball::new(vec![1.0, 0.0], 3.0).expect("a disc")));
        assert!((mean(&disc, |x| x[1] * x[1]) - 9.0 / 4.0).abs() < 1e-12); // R²/4
        let ring = Domain::new(Arc::new(
            Annulus::new(vec![0.0, 0.0], 1.0, 2.0).expect("a ring"),
        ));
        // the mean of ln r: ∫ r ln r dr = [r²/2 ln r − r²/4], over (R² − r²)/2
        let expected = (2.0 * 2f64.ln() - 0.75) / 1.5;
        assert!((mean(&ring, |x| x[0].hypot(x[1]).ln()) - expected).abs() < 1e-12);
        let swept = Domain::with_time(
            Arc::new(Cuboid::new(vec![[0.0, 1.0]]).expect("a box")),
            1,
            [0.0, 3.0],
        )
        .expect("a cylinder");
        assert!((mean(&swept, |x| x[0] * x[1] * x[1]) - 1.5).abs() < 1e-13);
    }

    #[test]
    fn shapes_without_a_smooth_map_get_many_points() {
        let triangle = Polygon::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).expect("a triangle");
        let domain = Domain::new(Arc::new(triangle));
        // the centroid; Sobol points are off by less than a few over their number
        assert!((mean(&domain, |x| x[0]) - 1.0 / 3.0).abs() < 4.0 / MANY as f64);
        let ball = Ball::new(vec![1.0, 0.0, 0.0], 3.0).expect("a ball");
        let found = mean(&Domain::new(Arc::new(ball)), |x| x[1] * x[1]);
        assert!(
            (found - 9.0 / 5.0).abs() < 9.0 * 4.0 / MANY as f64,
            "{found}"
        ); // R²/5
    }
}
