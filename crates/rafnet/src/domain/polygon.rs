//! Simple polygons in the plane.
//!
//! Vertices come in order, either way round; edge k joins vertices k and k + 1, and the last edge closes the outline.
//! ```text
//! |Ω| = ½ |Σ v_k × v_{k+1}|,     ℓ(x) = ± the distance to the nearest edge (− inside, by crossings of a ray)
//! ```
//! Points on an axis-parallel edge carry its coordinate exactly, and its normal is an exact unit vector. Points are drawn
//! by [`super::triangulation`].

mod bands;
#[cfg(test)]
mod tests;

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::FactorTerm;
use super::kind::{Form, Given, Key, Kind};
use super::outline;
use super::piece::{Face, Piece};
use super::plane::{Point, distance_to_segment, minus, squared_distance, turn};
use super::rule::{Rule, gauss_legendre};
use super::shape::{Placed, Shape};
use super::triangulation::{TriangleMap, triangulate};
use super::wedge::{Wedge, wedges};
use crate::expr::{larger, smaller};
use bands::Bands;
use std::sync::Arc;

/// In problem files.
pub(super) const KIND: Kind = Kind {
    name: "polygon",
    plane: Some("a polygon lies in the plane"),
    keys: &[Key {
        name: "vertices",
        form: Form::Points,
    }],
    make: |mut given: Given| Ok(Arc::new(Polygon::new(given.points())?)),
};

/// A simple polygon.
///
/// ```
/// use rafnet::domain::{Polygon, Shape};
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// assert_eq!(ell.measure(), 3.0);
/// assert_eq!(ell.pieces()[3].name(&["x", "y"]), "edge 4");
/// assert_eq!(ell.wedges()[3].angle, 1.5 * std::f64::consts::PI);
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    vertices: Vec<Point>,
    doubled_area: f64, // positive when the vertices run counterclockwise
    map: TriangleMap,
    bands: Bands,
}

impl Polygon {
    /// The polygon with these vertices.
    ///
    /// # Errors
    ///
    /// When there are fewer than three, one is not finite or repeats its neighbour, two edges cross or touch, or the area
    /// is zero.
    pub fn new(vertices: Vec<[f64; 2]>) -> Result<Self, DomainError> {
        let doubled_area = outline::check(&vertices)?;
        let mut ring: Vec<usize> = (0..vertices.len()).collect();
        if doubled_area < 0.0 {
            ring.reverse();
        }
        let triangles = triangulate(&vertices, ring)
            .map_err(|vertex| DomainError::ThinPolygon { vertex: vertex + 1 })?;
        let map = TriangleMap::new(&vertices, &triangles);
        let bands = Bands::new(&vertices);
        Ok(Self {
            vertices,
            doubled_area,
            map,
            bands,
        })
    }

    /// The vertices, as given.
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Whether no interior angle exceeds π.
    pub fn is_convex(&self) -> bool {
        let count = self.vertices.len();
        (0..count).all(|k| {
            let [a, b, c] = [k, k + 1, k + 2].map(|k| self.vertices[k % count]);
            turn(a, b, c) * self.doubled_area >= 0.0
        })
    }

    /// The ends of edge k, counted from 1.
    fn edge(&self, number: usize) -> [Point; 2] {
        let count = self.vertices.len();
        [
            self.vertices[(number - 1) % count],
            self.vertices[number % count],
        ]
    }

    fn edges(&self) -> impl Iterator<Item = [Point; 2]> {
        (1..=self.vertices.len()).map(|number| self.edge(number))
    }

    /// The outward unit normal of edge k.
    fn normal(&self, number: usize) -> Point {
        let [from, to] = self.edge(number);
        let [dx, dy] = minus(to, from);
        let length = dx.hypot(dy).copysign(self.doubled_area);
        // Adding zero turns −0 into 0.
        [dy / length + 0.0, -dx / length + 0.0]
    }

    fn holds(&self, [x, y]: Point) -> bool {
        let crosses = |[from, to]: &[Point; 2]| {
            (from[1] > y) != (to[1] > y)
                && x < from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0])
        };
        let edges = self.bands.between(y, y).map(|number| self.edge(number));
        edges.filter(crosses).count() % 2 == 1
    }
}

impl Shape for Polygon {
    fn dimension(&self) -> usize {
        2
    }

    fn level(&self, x: &[f64]) -> f64 {
        let p = [x[0], x[1]];
        // roots are slow: only the edges that may be the nearest are measured exactly
        let squares = self.edges().map(|edge| squared_distance(p, edge));
        let least = squares.fold(f64::INFINITY, smaller);
        let near = |edge: &[Point; 2]| squared_distance(p, *edge) <= least * (1.0 + 1e-9);
        let distance = self
            .edges()
            .filter(near)
            .map(|edge| distance_to_segment(p, edge))
            .fold(f64::INFINITY, smaller);
        if self.holds(p) { -distance } else { distance }
    }

    fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let p = [x[0], x[1]];
        let beside = |[a, b]: &[Point; 2]| {
            let off = |k: usize| (a[k].min(b[k]) - p[k]).max(p[k] - a[k].max(b[k]));
            off(0) <= tolerance && off(1) <= tolerance
        };
        let near = |edge| distance_to_segment(p, edge) <= tolerance;
        let reach = 2.0 * tolerance.abs();
        let (low, high) = (p[1] - reach, p[1] + reach);
        let mut edges = self
            .bands
            .between(low, high)
            .map(|number| self.edge(number));
        self.holds(p) || edges.any(|edge| beside(&edge) && near(edge))
    }

    fn description(&self) -> serde_json::Value {
        serde_json::json!({ "kind": "polygon", "vertices": self.vertices })
    }

    fn bounds(&self) -> Cuboid {
        let ends = |axis: usize| {
            let column = self.vertices.iter().map(|v| v[axis]);
            [
                column.clone().fold(f64::INFINITY, smaller),
                column.fold(f64::NEG_INFINITY, larger),
            ]
        };
        Cuboid::around(vec![ends(0), ends(1)])
    }

    fn measure(&self) -> f64 {
        0.5 * self.doubled_area.abs()
    }

    fn numbers(&self) -> usize {
        2
    }

    fn rules(&self, along: usize) -> Option<Vec<Rule>> {
        Some(vec![self.map.rule(along)?, gauss_legendre(along)])
    }

    fn rules_on(&self, _: Face, along: usize) -> Option<Vec<Rule>> {
        Some(vec![gauss_legendre(along)])
    }

    fn place(&self, u: &[f64], x: &mut [f64]) -> Placed {
        x.copy_from_slice(&self.map.place(u));
        Placed::Kept
    }

    fn pieces(&self) -> Vec<Piece> {
        let piece = |(number, [from, to]): (usize, [Point; 2])| {
            let [dx, dy] = minus(to, from);
            let fixed = if dx == 0.0 {
                Some((0, from[0]))
            } else if dy == 0.0 {
                Some((1, from[1]))
            } else {
                None
            };
            Piece::plain(Face::Edge { number, fixed }, dx.hypot(dy), 1, 1)
        };
        (1..).zip(self.edges()).map(piece).collect()
    }

    fn place_on(
        &self,
        _: &[usize],
        face: Face,
        u: &[f64],
        x: &mut [f64],
        normal: &mut [f64],
    ) -> Placed {
        let Face::Edge { number, .. } = face else {
            return Placed::Missed;
        };
        let [from, to] = self.edge(number);
        let along = minus(to, from);
        // A coordinate that does not change along the edge is kept to the bit: from + u·0.
        x.copy_from_slice(&[from[0] + u[0] * along[0], from[1] + u[0] * along[1]]);
        normal.copy_from_slice(&self.normal(number));
        Placed::Kept
    }

    fn factor_term(&self, _: &[usize], face: Face) -> Option<FactorTerm> {
        let Face::Edge { number, fixed } = face else {
            return None;
        };
        if !self.is_convex() {
            return None;
        }
        let normal = self.normal(number);
        Some(match fixed {
            Some((axis, at)) if normal[axis] < 0.0 => FactorTerm::Above { axis, at },
            Some((axis, at)) => FactorTerm::Below { axis, at },
            None => FactorTerm::HalfPlane {
                axes: [0, 1],
                through: self.edge(number)[0],
                inward: normal.map(|n| -n),
            },
        })
    }

    fn wedges(&self) -> Vec<Wedge> {
        if self.doubled_area > 0.0 {
            return wedges(&self.vertices);
        }
        let reversed: Vec<Point> = self.vertices.iter().rev().copied().collect();
        wedges(&reversed)
    }
}
