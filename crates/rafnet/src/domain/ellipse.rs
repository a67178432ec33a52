//! Ellipses with their axes along the coordinates.
//!
//! ```text
//! Ω = { x : (x₁ − c₁)²/a² + (x₂ − c₂)²/b² < 1 },     |Ω| = π a b,     ℓ(x) = ± the distance to the curve (− inside)
//! ```
//! The one piece of its boundary is `surface`. The nearest point of the curve to (y₁, y₂) ≥ 0 is (a² y₁/(t + a²), b² y₂/(t + b²)) with the largest
//! root t of
//! ```text
//! F(t) = (a y₁/(t + a²))² + (b y₂/(t + b²))² − 1,
//! ```
//! convex and falling to the right of its last pole, where Newton's steps from the left never pass the root. Points inside are those of a disc, stretched; points
//! on the curve are equally likely by its length, s(θ) = ∫ √(a² sin² + b² cos²).

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::FactorTerm;
use super::kind::{Form, Given, Key, Kind};
use super::piece::{Face, Piece};
use super::rule::{Rule, gauss_legendre};
use super::shape::{Placed, Shape};
use super::shell::Shell;
use super::sphere::direction_rules;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

/// In problem files.
pub(super) const KIND: Kind = Kind {
    name: "ellipse",
    plane: Some("an ellipse lies in the plane"),
    keys: &[
        Key {
            name: "center",
            form: Form::PointOrOrigin,
        },
        Key {
            name: "axes",
            form: Form::ByCoordinate,
        },
    ],
    make: |mut given: Given| {
        let (centre, axes) = (given.point(), given.point());
        Ok(Arc::new(Ellipse::new(centre, &axes)?))
    },
};

/// Stretches of a quarter of the curve between which its length is known, and nodes on each.
const STRETCHES: usize = 256;
const NODES: usize = 8;

/// An ellipse: a centre, and half of its extent along each coordinate.
///
/// ```
/// use rafnet::domain::{Ellipse, Shape};
/// let ellipse = Ellipse::new(vec![1.0, 0.0], &[2.0, 1.0])?;
/// assert!((ellipse.measure() - 2.0 * std::f64::consts::PI).abs() < 1e-14);
/// assert_eq!(ellipse.level(&[1.0, 0.0]), -1.0);
/// assert!((ellipse.pieces()[0].measure - 9.688448220547675).abs() < 1e-13);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipse {
    centre: [f64; 2],
    axes: [f64; 2],
    /// The disc that is stretched.
    disc: Shell,
    /// s(θ) at the ends of the stretches of the first quarter.
    lengths: Vec<f64>,
    rule: Rule,
}

impl Ellipse {
    /// The ellipse with these half axes around this centre.
    ///
    /// # Errors
    ///
    /// When there are not two coordinates, the centre is not finite, or a half axis is not positive and finite.
    pub fn new(centre: Vec<f64>, axes: &[f64]) -> Result<Self, DomainError> {
        let checked = Shell::new("ellipse", centre, 0.0, 1.0)?;
        let empty = |why: String| DomainError::Empty {
            shape: "ellipse",
            why,
            write: "write `axes = [2, 1]`, half of its extent along each coordinate",
        };
        let (&[x, y], &[a, b]) = (&checked.centre[..], axes) else {
            let why = format!("it has {} half axes, and needs 2", axes.len());
            return Err(empty(why));
        };
        if !(a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite()) {
            let why = format!("its half axes are {a} and {b}, and must be positive and finite");
            return Err(empty(why));
        }
        let mut ellipse = Self {
            centre: [x, y],
            axes: [a, b],
            disc: Shell::new("ellipse", vec![0.0; 2], 0.0, 1.0)?,
            lengths: vec![0.0],
            rule: gauss_legendre(NODES),
        };
        for k in 0..STRETCHES {
            let [from, to] = [k, k + 1].map(|k| FRAC_PI_2 * k as f64 / STRETCHES as f64);
            let before = ellipse.lengths[k];
            ellipse.lengths.push(before + ellipse.length(from, to));
        }
        Ok(ellipse)
    }

    /// ds/dθ.
    fn speed(&self, theta: f64) -> f64 {
        let (sin, cos) = theta.sin_cos();
        (self.axes[0] * sin).hypot(self.axes[1] * cos)
    }

    /// The length of the curve between two angles.
    fn length(&self, from: f64, to: f64) -> f64 {
        let at = |[s, w]: &[f64; 2]| w * self.speed(from + s * (to - from));
        (to - from) * self.rule.iter().map(at).sum::<f64>()
    }

    /// The angle in the first quarter at which the curve has this length.
    fn angle(&self, length: f64) -> f64 {
        let next = self.lengths.partition_point(|s| *s <= length);
        let k = next.clamp(1, STRETCHES) - 1;
        let ends = [k, k + 1].map(|k| FRAC_PI_2 * k as f64 / STRETCHES as f64);
        let mut theta = ends[0];
        for _ in 0..4 {
            let left = length - self.lengths[k] - self.length(ends[0], theta);
            theta = (theta + left / self.speed(theta)).clamp(ends[0], ends[1]);
        }
        theta
    }

    /// Whether the curve runs around a point.
    fn surrounds(&self, x: &[f64]) -> bool {
        let y = [0, 1].map(|k| (x[k] - self.centre[k]) / self.axes[k]);
        y[0].hypot(y[1]) < 1.0
    }

    /// How far from the curve a point is, given by its distances from the axes.
    fn distance(&self, y: [f64; 2]) -> f64 {
        // the longer half axis first
        let ([a, b], [y, z]) = if self.axes[0] >= self.axes[1] {
            (self.axes, y)
        } else {
            ([self.axes[1], self.axes[0]], [y[1], y[0]])
        };
        if z == 0.0 {
            let focal = a * a - b * b;
            // nearer to the middle than the centre of curvature at the end: two points are nearest, off the axis
            return if a * y < focal {
                let x = a * y / focal;
                (a * x - y).hypot(b * ((1.0 - x) * (1.0 + x)).sqrt())
            } else {
                (y - a).abs()
            };
        }
        let newton = |t: f64| {
            let (p, q) = (a * y / (t + a * a), b * z / (t + b * b));
            let f = (p - 1.0) * (p + 1.0) + q * q;
            t + 0.5 * f / (p * p / (t + a * a) + q * q / (t + b * b))
        };
        // where either term alone is 1, F is not below 0
        let mut t = (b * (z - b)).max(a * (y - a));
        let mut next = newton(t);
        while next > t {
            t = next;
            next = newton(t);
        }
        // from the nearest point: (y, z)·t/(t + a²), t/(t + b²)
        (y * (t / (t + a * a))).hypot(z * (t / (t + b * b)))
    }
}

impl Shape for Ellipse {
    fn dimension(&self) -> usize {
        2
    }

    fn level(&self, x: &[f64]) -> f64 {
        let distance = self.distance([0, 1].map(|k| (x[k] - self.centre[k]).abs()));
        if self.surrounds(x) {
            -distance
        } else {
            distance
        }
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        (tolerance >= 0.0 && self.surrounds(x)) || self.level(x) <= tolerance
    }

    fn description(&self) -> serde_json::Value {
        serde_json::json!({ "kind": "ellipse", "center": self.centre, "axes": self.axes })
    }

    fn bounds(&self) -> Cuboid {
        let side = |k: usize| {
            let (c, a) = (self.centre[k], self.axes[k]);
            [c - a, c + a]
        };
        Cuboid::around(vec![side(0), side(1)])
    }

    fn measure(&self) -> f64 {
        PI * self.axes[0] * self.axes[1]
    }

    fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        self.disc.rules(along)
    }

    fn rules_on(&self, _: Face, along: usize) -> Option<Vec<Rule>> {
        direction_rules(2, along)
    }

    fn numbers(&self) -> usize {
        self.disc.numbers()
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        self.disc.place(u, x);
        for (x, (c, a)) in x.iter_mut().zip(self.centre.iter().zip(&self.axes)) {
            *x = c + a * *x;
        }
        Placed::Kept
    }

    fn pieces(&self) -> Vec<Piece> {
        let whole = 4.0 * self.lengths[STRETCHES];
        vec![Piece::plain(Face::Surface, whole, 1, 1)]
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
        // every other quarter is run through the other way round
        let quarter = (4.0 * u[0]).floor();
        let share = 4.0 * u[0] - quarter;
        let (right, above) = (!(1.0..3.0).contains(&quarter), quarter < 2.0);
        let share = if right == above { share } else { 1.0 - share };
        let (sin, cos) = self.angle(share * self.lengths[STRETCHES]).sin_cos();
        let p = if right { cos } else { -cos };
        let q = if above { sin } else { -sin };
        let [a, b] = self.axes;
        (x[0], x[1]) = (self.centre[0] + a * p, self.centre[1] + b * q);
        let length = (p / a).hypot(q / b);
        (normal[0], normal[1]) = (p / a / length, q / b / length);
        Placed::Kept
    }

    fn factor_term(&self, _: &[usize], _: Face) -> Option<FactorTerm> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// The nearest of 200,000 points of the curve is as far as the level says, inside, outside, on the axes and in the middle.
    #[test]
    fn the_level_is_the_distance_to_the_nearest_point() {
        for axes in [[2.0, 1.0], [0.3, 1.7], [1.0, 1.0], [5.0, 0.05]] {
            let ellipse = Ellipse::new(vec![0.5, -1.0], &axes).expect("an ellipse");
            for i in 0..60 {
                let y = match i {
                    0 => [0.0, 0.0],
                    1 => [0.4 * axes[0], 0.0],
                    2 => [0.0, 0.4 * axes[1]],
                    3 => [0.999 * axes[0], 0.0],
                    4 => [1.5 * axes[0], 0.0],
                    5 => [0.0, -3.0 * axes[1]],
                    _ => {
                        let u = |a: f64| 3.0 * (a * f64::from(i)).fract() - 1.5;
                        [u(0.618_034) * axes[0], u(0.754_878) * axes[1]]
                    }
                };
                let inside = (y[0] / axes[0]).hypot(y[1] / axes[1]) < 1.0;
                let nearest = (0..200_000).map(|k| {
                    let (sin, cos) = (TAU * f64::from(k) / 200_000.0).sin_cos();
                    (axes[0] * cos - y[0]).hypot(axes[1] * sin - y[1])
                });
                let nearest = nearest.fold(f64::INFINITY, crate::expr::smaller);
                let level = ellipse.level(&[0.5 + y[0], y[1] - 1.0]);
                assert_eq!(level < 0.0, inside, "{axes:?} {y:?}");
                // between two of the points the curve is 1.6e-4 half axes away at most
                let off = (nearest * nearest - level * level).abs();
                assert!(off < 1e-7 * axes[0].max(axes[1]), "{axes:?} {y:?}: {off:e}");
            }
        }
    }

    /// Equal shares of the numbers are equal lengths of the curve, and normals are at right angles to it.
    #[test]
    fn points_on_the_curve_are_spread_by_its_length() {
        let ellipse = Ellipse::new(vec![0.0; 2], &[3.0, 0.2]).expect("an ellipse");
        let whole = ellipse.pieces()[0].measure;
        let n = 40_000;
        let (mut x, mut normal) = ([0.0; 2], [0.0; 2]);
        let mut before: Option<[f64; 2]> = None;
        for k in 0..=n {
            let u = [(f64::from(k) / f64::from(n)).min(1.0 - f64::EPSILON)];
            ellipse.place_on(&[], Face::Surface, &u, &mut x, &mut normal);
            assert!((normal[0].hypot(normal[1]) - 1.0).abs() < 1e-14);
            assert!((x[0] / 3.0).hypot(x[1] / 0.2) - 1.0 < 1e-14);
            if let Some(before) = before {
                let step = [x[0] - before[0], x[1] - before[1]];
                let long = step[0].hypot(step[1]) * f64::from(n) / whole;
                // a chord of the sharpest bend, of radius b²/a, is shorter by (whole/n · a/b²)²/24
                assert!((long - 1.0).abs() < 1e-4, "{k}: {long}");
                let along = (step[0] * normal[0] + step[1] * normal[1]) / step[0].hypot(step[1]);
                assert!(along.abs() < 2e-2, "{k}: {along}");
            }
            before = Some(x);
        }
    }

    #[test]
    fn what_is_not_an_ellipse_is_refused() {
        let message = |centre, axes: &[f64]| {
            Ellipse::new(centre, axes)
                .expect_err("no ellipse")
                .to_string()
        };
        assert_eq!(
            message(vec![0.0; 2], &[1.0, -1.0]),
            "the ellipse is empty: its half axes are 1 and -1, and must be positive and finite"
        );
        assert_eq!(
            message(vec![0.0; 3], &[1.0; 3]),
            "the ellipse is empty: it has 3 half axes, and needs 2"
        );
        assert!(message(vec![f64::NAN, 0.0], &[1.0; 2]).contains("must be finite"));
        assert!(Ellipse::new(vec![0.0; 2], &[f64::NAN, 1.0]).is_err());
    }
}
