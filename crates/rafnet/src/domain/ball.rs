//! Balls in any dimension.
//!
//! ```text
//! Ω = { x : |x − c| < R },     |Ω| = V_d R^d,     ℓ(x) = |x − c| − R
//! ```
//! The one piece of its boundary is `surface`. In one dimension that is the two ends of an interval.

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::{FactorTerm, Side};
use super::kind::{Form, Given, Key, Kind};
use super::piece::{Face, Piece};
use super::rule::Rule;
use super::shape::{Placed, Shape, Uniform};
use super::shell::Shell;
use super::sphere::direction_rules;
use std::sync::Arc;

/// In problem files.
pub(super) const KIND: Kind = Kind {
    name: "ball",
    plane: None,
    keys: &[
        Key {
            name: "center",
            form: Form::PointOrOrigin,
        },
        Key {
            name: "radius",
            form: Form::NumberOr(1.0),
        },
    ],
    make: |mut given: Given| {
        let (centre, radius) = (given.point(), given.number());
        Ok(Arc::new(Ball::new(centre, radius)?))
    },
};

/// A ball: a centre and a radius.
///
/// ```
/// use rafnet::domain::{Ball, Shape};
/// let ball = Ball::new(vec![1.0, 0.0, 0.0], 3.0)?;
/// assert!((ball.measure() - 36.0 * std::f64::consts::PI).abs() < 1e-12);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    shell: Shell,
}

impl Ball {
    /// The ball of this radius around this centre.
    ///
    /// # Errors
    ///
    /// When the centre has no coordinate or one that is not finite, or the radius is not positive and finite.
    pub fn new(centre: Vec<f64>, radius: f64) -> Result<Self, DomainError> {
        let shell = Shell::new("ball", centre, 0.0, radius)?;
        if !radius.is_finite() || radius <= 0.0 {
            return Err(DomainError::Empty {
                shape: "ball",
                why: format!("its radius is {radius}, and must be positive and finite"),
                write: "write `radius = 1`",
            });
        }
        Ok(Self { shell })
    }

    /// The centre.
    pub fn centre(&self) -> &[f64] {
        &self.shell.centre
    }

    /// The radius.
    pub fn radius(&self) -> f64 {
        self.shell.outer
    }
}

impl Shape for Ball {
    fn dimension(&self) -> usize {
        self.shell.dimension()
    }

    fn level(&self, x: &[f64]) -> f64 {
        self.shell.radius(x) - self.shell.outer
    }

    fn description(&self) -> serde_json::Value {
        serde_json::json!({ "kind": "ball", "center": self.centre(), "radius": self.radius() })
    }

    fn bounds(&self) -> Cuboid {
        Cuboid::around(self.shell.bounds())
    }

    fn measure(&self) -> f64 {
        self.shell.measure()
    }

    fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        self.shell.rules(along)
    }

    fn rules_on(&self, _: Face, along: usize) -> Option<Vec<Rule>> {
        direction_rules(self.dimension(), along)
    }

    fn numbers(&self) -> usize {
        self.shell.numbers()
    }

    fn uniform(&self) -> Option<Uniform> {
        self.shell.uniform()
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        self.shell.place(u, x);
        Placed::Kept
    }

    fn pieces(&self) -> Vec<Piece> {
        let (area, dimension, numbers) = self.shell.sphere(self.shell.outer);
        vec![Piece::plain(Face::Surface, area, dimension, numbers)]
    }

    fn place_on(
        &self,
        _: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        if face != Face::Surface {
            return Placed::Missed;
        }
        self.shell.place_on(self.shell.outer, u, x, normal);
        Placed::Kept
    }

    fn factor_term(&self, _: &[usize], face: Face) -> Option<FactorTerm> {
        (face == Face::Surface)
            .then(|| FactorTerm::sphere(&self.shell.centre, self.shell.outer, Side::Inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_ball_is_refused() {
        let message = |centre, radius| Ball::new(centre, radius).expect_err("no ball").to_string();
        assert_eq!(
            message(vec![], 1.0),
            "the ball has no coordinates; give at least one"
        );
        assert_eq!(
            message(vec![0.0, f64::NAN], 1.0),
            "coordinate 2 of the ball's centre is NaN, and must be finite"
        );
        for (radius, text) in [
            (0.0, "0"),
            (-2.5, "-2.5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            let expected =
                format!("the ball is empty: its radius is {text}, and must be positive and finite");
            assert_eq!(message(vec![0.0], radius), expected);
        }
    }

    #[test]
    fn one_dimension_is_an_interval() {
        let ball = Ball::new(vec![2.0], 0.5).expect("a ball");
        let mut x = [0.0];
        for (u, expected) in [(0.25, 1.75), (0.5, 2.0), (0.875, 2.375)] {
            assert_eq!(ball.place(&[u], &mut x), Placed::Kept);
            assert_eq!(x[0].to_bits(), f64::to_bits(expected));
        }
    }

    #[test]
    fn other_faces_are_missed() {
        let ball = Ball::new(vec![0.0], 1.0).expect("a ball");
        assert_eq!(
            ball.place_on(&[], Face::Inner, &[0.5], &mut [0.0], &mut [0.0]),
            Placed::Missed
        );
    }
}
