//! Re-entrant corners: where solutions of elliptic equations lose their smoothness.
//!
//! At a vertex with the interior angle ω > π a solution behaves like r^{π/ω} sin(πθ/ω), whose gradient is infinite
//! (P. Grisvard, "Elliptic problems in nonsmooth domains", 1985). The angle θ runs through the domain, from 0 on the edge
//! that leaves the vertex (with the domain on its left) to ω on the edge that arrives. It is continuous in the whole
//! polygon, also where the domain reaches around behind the corner: see [`super::cut`].

use super::cut::Cut;
use super::plane::{Point, angle, cross, dot, minus};
use super::singular::{Singular, Wave};
use std::f64::consts::{PI, TAU};

/// A re-entrant corner of a polygon.
///
/// ```
/// use rafnet::domain::{Polygon, Shape};
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// let corner = &ell.corners()[0];
/// assert_eq!((corner.vertex, corner.position), (4, [1.0, 1.0]));
/// assert_eq!(corner.edges, [4, 3]);
/// assert!((corner.exponent - 2.0 / 3.0).abs() < 1e-15);
/// assert_eq!(corner.polar([1.0, 0.0]), (1.0, std::f64::consts::PI));
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Corner {
    /// The vertex, from 1, in the order given.
    pub vertex: usize,
    /// Where it is.
    pub position: [f64; 2],
    /// The interior angle ω, between π and 2π.
    pub angle: f64,
    /// π/ω, between ½ and 1.
    pub exponent: f64,
    /// The edges, from 1: on the first θ = 0, on the second θ = ω.
    pub edges: [usize; 2],
    /// (cos φ, sin φ) of the direction θ = 0: local coordinates are those turned back by φ.
    pub rotation: [f64; 2],
    cut: Cut,
}

/// An angle this little above π is a straight line with rounding.
const STRAIGHT: f64 = 1e-9;

impl Corner {
    /// The re-entrant corners of a counterclockwise outline; `given` turns its indices into those of the user, from 0.
    pub(super) fn of_outline(outline: &[Point], given: impl Fn(usize) -> usize) -> Vec<Self> {
        let count = outline.len();
        let edge_number = |from: usize, to: usize| {
            let (from, to) = (given(from), given(to));
            if (from + 1) % count == to {
                from + 1
            } else {
                to + 1
            }
        };
        let corner = |k: usize| {
            let (before, after) = ((k + count - 1) % count, (k + 1) % count);
            let (leaving, arriving) = (
                minus(outline[after], outline[k]),
                minus(outline[before], outline[k]),
            );
            let angle = angle(leaving, arriving).rem_euclid(TAU);
            if angle <= PI + STRAIGHT {
                return None;
            }
            let length = leaving[0].hypot(leaving[1]);
            let rotation = leaving.map(|component| component / length);
            Some(Self {
                vertex: given(k) + 1,
                position: outline[k],
                angle,
                exponent: PI / angle,
                edges: [edge_number(k, after), edge_number(before, k)],
                rotation,
                cut: Cut::from_vertex(outline, k, rotation, angle)?,
            })
        };
        let mut corners: Vec<Self> = (0..count).filter_map(corner).collect();
        corners.sort_by_key(|corner| corner.vertex);
        corners
    }

    /// The distance r from the corner and the angle θ at a point of the polygon.
    pub fn polar(&self, x: [f64; 2]) -> (f64, f64) {
        let [p, q] = self.local(x);
        let principal = q.atan2(p);
        let turns = ((self.cut.angle(x) - principal) / TAU).round();
        (p.hypot(q), principal + TAU * turns)
    }

    /// The singular function r^{kπ/ω} sin(kπθ/ω), zero on both edges.
    pub fn singular(&self, k: u32) -> Singular {
        self.with_exponent(f64::from(k) * self.exponent, Wave::Sine)
    }

    /// r^λ sin(λθ) or r^λ cos(λθ), harmonic: the cosine with λ = kπ/ω has no flux through both edges, either with
    /// λ = (k − ½)π/ω suits one edge of each kind.
    pub fn with_exponent(&self, exponent: f64, wave: Wave) -> Singular {
        Singular::new(self.clone(), exponent, wave)
    }

    /// x in coordinates turned so that θ = 0 is the first axis, with the corner as the origin.
    fn local(&self, x: [f64; 2]) -> [f64; 2] {
        let from = minus(x, self.position);
        [dot(self.rotation, from), cross(self.rotation, from)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Polygon, Shape};

    #[test]
    fn corners_of_a_reversed_outline_keep_their_names() {
        let mut vertices = vec![
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        vertices.reverse();
        let ell = Polygon::new(vertices).expect("an L");
        let corners = ell.corners();
        assert_eq!(corners.len(), 1);
        // Reversed, (1, 1) is the third vertex, and the edges at it are 2, from (1, 2), and 3, to (2, 1).
        assert_eq!((corners[0].vertex, corners[0].position), (3, [1.0, 1.0]));
        assert_eq!(corners[0].edges, [2, 3]);
        let (r, theta) = corners[0].polar([1.0, 1.5]);
        assert!(
            (r - 0.5).abs() < 1e-15 && theta.abs() < 1e-15,
            "{r}, {theta}"
        );
        let (_, theta) = corners[0].polar([1.5, 1.0]);
        assert!((theta - 1.5 * PI).abs() < 1e-14, "{theta}");
    }

    #[test]
    fn convex_polygons_and_straight_vertices_have_none() {
        let square = vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(Polygon::new(square).expect("a square").corners(), []);
    }

    /// A U: behind the notch's left corner (1, 1) lies the right arm, on both sides of the diagonal. Along the middle
    /// line of the U from the top of the left arm to the top of the right one θ must not jump.
    #[test]
    fn the_angle_is_continuous_behind_the_corner() {
        let u_shape = Polygon::new(vec![
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 5.0],
            [2.0, 5.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 5.0],
            [0.0, 5.0],
        ])
        .expect("a U");
        let corners = u_shape.corners();
        assert_eq!(
            corners
                .iter()
                .map(|corner| corner.vertex)
                .collect::<Vec<_>>(),
            [5, 6]
        );
        let way = [[0.5, 4.9], [0.5, 0.5], [2.5, 0.5], [2.5, 4.9]];
        for corner in &corners {
            let mut last: Option<f64> = None;
            for leg in way.windows(2) {
                for step in 0..=200 {
                    let s = f64::from(step) / 200.0;
                    let x = [0, 1].map(|k| leg[0][k] + s * (leg[1][k] - leg[0][k]));
                    let (_, theta) = corner.polar(x);
                    if let Some(last) = last {
                        assert!(
                            (theta - last).abs() < 0.1,
                            "vertex {}: {last} → {theta} at {x:?}",
                            corner.vertex
                        );
                    }
                    last = Some(theta);
                }
            }
        }
        // From (1, 1) the leaving edge goes up: θ = 0 there; the right arm's top is seen at 2π − atan(1.5/3.9).
        let (_, theta) = corners[1].polar([2.5, 4.9]);
        assert!(
            (theta - (TAU - (1.5f64 / 3.9).atan())).abs() < 1e-14,
            "{theta}"
        );
    }
}
