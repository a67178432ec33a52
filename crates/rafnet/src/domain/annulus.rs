//! Annuli: what lies between two concentric spheres, in any dimension.
//!
//! ```text
//! Ω = { x : r < |x − c| < R },     |Ω| = V_d (R^d − r^d),     ℓ(x) = max(r − |x − c|, |x − c| − R)
//! ```
//! The pieces of its boundary are `inner`, with the normal towards the centre, and `outer`.

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
    name: "annulus",
    plane: None,
    keys: &[
        Key {
            name: "center",
            form: Form::PointOrOrigin,
        },
        Key {
            name: "inner",
            form: Form::Number,
        },
        Key {
            name: "outer",
            form: Form::Number,
        },
    ],
    make: |mut given: Given| {
        let (centre, inner, outer) = (given.point(), given.number(), given.number());
        Ok(Arc::new(Annulus::new(centre, inner, outer)?))
    },
};

/// An annulus: a centre, an inner and an outer radius.
///
/// ```
/// use rafnet::domain::{Annulus, Shape};
/// let ring = Annulus::new(vec![0.0, 0.0], 1.0, 2.0)?;
/// assert!((ring.measure() - 3.0 * std::f64::consts::PI).abs() < 1e-14);
/// assert_eq!(ring.level(&[0.0, 0.0]), 1.0);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Annulus {
    shell: Shell,
}

impl Annulus {
    /// The annulus between these radii around this centre.
    ///
    /// # Errors
    ///
    /// When the centre has no coordinate or one that is not finite, or not 0 < inner < outer < ∞.
    pub fn new(centre: Vec<f64>, inner: f64, outer: f64) -> Result<Self, DomainError> {
        let shell = Shell::new("annulus", centre, inner, outer)?;
        let ordered = 0.0 < inner && inner < outer && outer.is_finite();
        if ordered {
            Ok(Self { shell })
        } else {
            let radii = format!("its radii are inner = {inner} and outer = {outer}");
            Err(DomainError::Empty {
                shape: "annulus",
                why: format!("{radii}, and must be finite with 0 < inner < outer"),
                write: "write `inner = 1` and `outer = 2`",
            })
        }
    }

    /// The centre.
    pub fn centre(&self) -> &[f64] {
        &self.shell.centre
    }

    /// The inner and the outer radius.
    pub fn radii(&self) -> [f64; 2] {
        [self.shell.inner, self.shell.outer]
    }
}

impl Shape for Annulus {
    fn dimension(&self) -> usize {
        self.shell.dimension()
    }

    fn level(&self, x: &[f64]) -> f64 {
        let radius = self.shell.radius(x);
        (self.shell.inner - radius).max(radius - self.shell.outer)
    }

    fn description(&self) -> serde_json::Value {
        let [inner, outer] = self.radii();
        serde_json::json!({ "kind": "annulus", "center": self.centre(), "inner": inner, "outer": outer })
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
        let faces = [
            (Face::Inner, self.shell.inner),
            (Face::Outer, self.shell.outer),
        ];
        let piece = |(face, radius)| {
            let (area, dimension, numbers) = self.shell.sphere(radius);
            Piece::plain(face, area, dimension, numbers)
        };
        faces.map(piece).to_vec()
    }

    fn place_on(
        &self,
        _: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        match face {
            Face::Outer => self.shell.place_on(self.shell.outer, u, x, normal),
            Face::Inner => {
                self.shell.place_on(self.shell.inner, u, x, normal);
                for n in normal {
                    *n = -*n;
                }
            }
            _ => return Placed::Missed,
        }
        Placed::Kept
    }

    fn factor_term(&self, _: &[usize], face: Face) -> Option<FactorTerm> {
        match face {
            Face::Outer => Some(FactorTerm::sphere(
                &self.shell.centre,
                self.shell.outer,
                Side::Inside,
            )),
            Face::Inner => Some(FactorTerm::sphere(
                &self.shell.centre,
                self.shell.inner,
                Side::Outside,
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_annulus_is_refused() {
        let message = |centre, inner, outer| {
            Annulus::new(centre, inner, outer)
                .expect_err("no annulus")
                .to_string()
        };
        assert_eq!(
            message(vec![], 1.0, 2.0),
            "the annulus has no coordinates; give at least one"
        );
        assert_eq!(
            message(vec![f64::INFINITY], 1.0, 2.0),
            "coordinate 1 of the annulus's centre is inf, and must be finite"
        );
        let nan = f64::NAN;
        for (inner, outer) in [
            (1.0, 1.0),
            (2.0, 1.0),
            (0.0, 1.0),
            (nan, 1.0),
            (1.0, nan),
            (1.0, f64::INFINITY),
        ] {
            let expected = format!(
                "the annulus is empty: its radii are inner = {inner} and outer = {outer}, \
                 and must be finite with 0 < inner < outer"
            );
            assert_eq!(message(vec![0.0], inner, outer), expected);
        }
    }

    #[test]
    fn other_faces_are_missed() {
        let ring = Annulus::new(vec![0.0], 1.0, 2.0).expect("an annulus");
        assert_eq!(
            ring.place_on(&[], Face::Surface, &[0.5], &mut [0.0], &mut [0.0]),
            Placed::Missed
        );
        assert_eq!(ring.factor_term(&[], Face::Surface), None);
    }
}
