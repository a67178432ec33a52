//! Simple polygons in the plane.
//!
//! Vertices come in order, either way round; edge k joins vertices k and k + 1, and the last edge closes the outline.
//! ```text
//! |Ω| = ½ |Σ v_k × v_{k+1}|,     ℓ(x) = ± the distance to the nearest edge (− inside, by crossings of a ray)
//! ```
//! Points on an axis-parallel edge carry its coordinate exactly, and its normal is an exact unit vector. Points are drawn
//! by [`super::triangulation`].

use super::cuboid::Cuboid;
use super::error::DomainError;
use super::factor::FactorTerm;
use super::outline;
use super::piece::{Face, Piece};
use super::plane::{Point, distance_to_segment, minus, squared_distance, turn};
use super::quadrature::{Rule, gauss_legendre};
use super::shape::{Placed, Shape};
use super::triangulation::{TriangleMap, triangulate};
use super::wedge::{Wedge, wedges};

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

/// The edges by their second coordinate: whether a point is inside depends on those at its height only.
#[derive(Debug, Clone, PartialEq)]
struct Bands {
    low: f64,
    per_length: f64,
    edges: Vec<Vec<usize>>, // the numbers of the edges that reach into each band, from 1
}

impl Bands {
    const MOST: usize = 64;

    fn new(vertices: &[Point]) -> Self {
        let heights = vertices.iter().map(|v| v[1]);
        let low = heights.clone().fold(f64::INFINITY, f64::min);
        let high = heights.fold(f64::NEG_INFINITY, f64::max);
        let count = vertices.len().div_ceil(8).min(Self::MOST);
        let mut bands = Self {
            low,
            per_length: count as f64 / (high - low),
            edges: vec![Vec::new(); count],
        };
        for (k, from) in vertices.iter().enumerate() {
            let to = vertices[(k + 1) % vertices.len()];
            let reach = bands.place(from[1].min(to[1]))..=bands.place(from[1].max(to[1]));
            bands.edges[reach].iter_mut().for_each(|e| e.push(k + 1));
        }
        bands
    }

    /// The band of a height, the nearest one beyond the ends; never less for a greater height, rounded or not.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded from above, and what is below zero is taken for zero"
    )]
    fn place(&self, height: f64) -> usize {
        (((height - self.low) * self.per_length) as usize).min(self.edges.len() - 1)
    }

    /// The edges that may reach between two heights, some of them several times.
    fn between(&self, low: f64, high: f64) -> impl Iterator<Item = usize> {
        self.edges[self.place(low)..=self.place(high)]
            .iter()
            .flatten()
            .copied()
    }
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
        let least = squares.fold(f64::INFINITY, f64::min);
        let near = |edge: &[Point; 2]| squared_distance(p, *edge) <= least * (1.0 + 1e-9);
        let distance = self
            .edges()
            .filter(near)
            .map(|edge| distance_to_segment(p, edge))
            .fold(f64::INFINITY, f64::min);
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
                column.clone().fold(f64::INFINITY, f64::min),
                column.fold(f64::NEG_INFINITY, f64::max),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest edge is found by squares; its distance is that of measuring every edge, to the bit.
    #[test]
    fn levels_are_those_of_the_nearest_edge() {
        let radius = |k: i32| 1.0 + 0.3 * f64::from(k % 3);
        let angle = |k: i32| f64::from(k) * std::f64::consts::TAU / 60.0;
        let vertex = |k| [radius(k) * angle(k).cos(), radius(k) * angle(k).sin()];
        let star = Polygon::new((0..60).map(vertex).collect()).expect("a star");
        for i in -20..=20 {
            for j in -20..=20 {
                let p = [0.1 * f64::from(i), 0.1 * f64::from(j)];
                let distances = star.edges().map(|edge| distance_to_segment(p, edge));
                let nearest = distances.fold(f64::INFINITY, f64::min);
                let level = star.level(&p);
                assert_eq!(level.abs().to_bits(), nearest.to_bits(), "{p:?}");
                for tolerance in [0.0, 1e-12, 0.05] {
                    assert_eq!(star.contains(&p, tolerance), level <= tolerance, "{p:?}");
                }
            }
        }
    }

    #[test]
    fn either_orientation_is_the_same_polygon() {
        let vertices = vec![
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let mut backward = vertices.clone();
        backward.reverse();
        let (one, other) = (
            Polygon::new(vertices).expect("L"),
            Polygon::new(backward).expect("L, reversed"),
        );
        assert_eq!(one.measure().to_bits(), other.measure().to_bits());
        for x in [[0.5, 0.5], [1.5, 1.5], [0.5, 1.75], [3.0, 0.2]] {
            assert_eq!(one.level(&x).to_bits(), other.level(&x).to_bits());
        }
        // Edge 1 of the one, from (0, 0) to (2, 0), is edge 5 of the other.
        for normal in [one.normal(1), other.normal(5)] {
            assert_eq!(normal.map(f64::to_bits), [0.0, -1.0].map(f64::to_bits));
        }
    }

    #[test]
    fn a_sliver_without_ears_is_refused() {
        assert_eq!(
            DomainError::ThinPolygon { vertex: 3 }.to_string(),
            "the polygon is too thin to be cut into triangles in double precision, near vertex 3"
        );
    }

    #[test]
    fn other_faces_are_missed() {
        let triangle = Polygon::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).expect("a triangle");
        assert_eq!(
            triangle.place_on(&[], Face::Surface, &[0.5], &mut [0.0; 2], &mut [0.0; 2]),
            Placed::Missed
        );
        assert_eq!(triangle.factor_term(&[], Face::Surface), None);
    }
}
