//! Spherical shells: what balls and annuli share.
//!
//! The cube goes to the shell inner < |x − c| < outer with its measure kept, by a radius and a direction:
//! ```text
//! r = R (q + u₁ (1 − q))^{1/d},     q = (inner/outer)^d,     x = c + r n(u₂, …)
//! ```
//! In one dimension the two intervals are run through by one number, from the left to the right.

use super::error::DomainError;
use super::rule::{Rule, gauss_legendre, halves};
use super::shape::Uniform;
use super::sphere::{ball_measure, direction, direction_numbers, direction_rules, sphere_measure};

/// A shell around a centre; a ball when `inner` is 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shell {
    pub(super) centre: Vec<f64>,
    pub(super) inner: f64,
    pub(super) outer: f64,
}

impl Shell {
    /// Checks the centre; the radii are the caller's to check.
    pub(super) fn new(
        shape: &'static str,
        centre: Vec<f64>,
        inner: f64,
        outer: f64,
    ) -> Result<Self, DomainError> {
        if centre.is_empty() {
            return Err(DomainError::NoCoordinates { shape });
        }
        if let Some((axis, &value)) = centre
            .iter()
            .enumerate()
            .find(|(_, value)| !value.is_finite())
        {
            return Err(DomainError::CentreNotFinite { shape, axis, value });
        }
        Ok(Self {
            centre,
            inner,
            outer,
        })
    }

    pub(super) fn dimension(&self) -> usize {
        self.centre.len()
    }

    /// |x − c|.
    pub(super) fn radius(&self, x: &[f64]) -> f64 {
        x.iter()
            .zip(&self.centre)
            .map(|(x, c)| (x - c).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    pub(super) fn bounds(&self) -> Vec<[f64; 2]> {
        self.centre
            .iter()
            .map(|c| [c - self.outer, c + self.outer])
            .collect()
    }

    pub(super) fn measure(&self) -> f64 {
        ball_measure(self.dimension())
            * (power(self.outer, self.dimension()) - power(self.inner, self.dimension()))
    }

    /// Numbers an interior point takes.
    pub(super) fn numbers(&self) -> usize {
        match self.dimension() {
            1 => 1,
            d => 1 + direction_numbers(d),
        }
    }

    pub(super) fn place(&self, u: &[f64], x: &mut [f64]) {
        let dimension = self.dimension();
        let radius = if dimension == 1 {
            x[0] = if u[0] < 0.5 { -1.0 } else { 1.0 };
            self.inner + (2.0 * u[0] - 1.0).abs() * (self.outer - self.inner)
        } else {
            direction(&u[1..], x);
            let q = power(self.inner / self.outer, dimension);
            self.outer * root(q + u[0] * (1.0 - q), dimension)
        };
        self.move_out(radius, x);
    }

    /// The same for a device, in two or three coordinates.
    pub(super) fn uniform(&self) -> Option<Uniform> {
        (2..=3).contains(&self.dimension()).then(|| Uniform::Shell {
            centre: self.centre.clone(),
            outer: self.outer,
            q: power(self.inner / self.outer, self.dimension()),
        })
    }

    /// Nodes and weights: Gauss points of the radius, then those of the direction.
    pub(super) fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        let d = self.dimension();
        if d == 1 {
            return Some(vec![halves(&gauss_legendre(along))]);
        }
        let q = power(self.inner / self.outer, d);
        let least = self.inner / self.outer;
        let node = |[s, w]: [f64; 2]| {
            let r = least + s * (1.0 - least); // u = (rᵈ − q)/(1 − q)
            let slope = d as f64 * power(r, d - 1) * (1.0 - least) / (1.0 - q);
            [(power(r, d) - q) / (1.0 - q), w * slope]
        };
        let radius = gauss_legendre(along).into_iter().map(node).collect();
        Some([vec![radius], direction_rules(d, along)?].concat())
    }

    /// The area of the sphere of a radius, and the dimension and numbers of its points.
    pub(super) fn sphere(&self, radius: f64) -> (f64, usize, usize) {
        let dimension = self.dimension();
        let area = sphere_measure(dimension) * power(radius, dimension - 1);
        (area, dimension - 1, direction_numbers(dimension))
    }

    /// A point on the sphere of a radius; `direction_out` is the direction away from the centre.
    pub(super) fn place_on(
        &self,
        radius: f64,
        u: &[f64],
        x: &mut [f64],
        direction_out: &mut [f64],
    ) {
        direction(u, direction_out);
        x.copy_from_slice(direction_out);
        self.move_out(radius, x);
    }

    /// From the direction in x to the point at this radius.
    fn move_out(&self, radius: f64, x: &mut [f64]) {
        for (x, c) in x.iter_mut().zip(&self.centre) {
            *x = c + radius * *x;
        }
    }
}

fn power(x: f64, exponent: usize) -> f64 {
    (0..exponent).map(|_| x).product()
}

fn root(x: f64, degree: usize) -> f64 {
    match degree {
        2 => x.sqrt(),
        3 => x.cbrt(),
        d => x.powf(1.0 / d as f64),
    }
}
