//! Cutting a simple polygon into triangles by clipping ears.
//!
//! An ear is a convex vertex whose triangle with its two neighbours holds no other vertex; every simple polygon has two
//! (G. H. Meisters, "Polygons have ears", Amer. Math. Monthly 82, 1975), and what remains after one is clipped is simple
//! again. The triangles then carry the map of the unit square into the polygon: the first number chooses a triangle
//! by its share of the area and, stretched over that share, becomes a, and
//! ```text
//! x = (1 − √a) A + √a ((1 − b) B + b C)
//! ```
//! is uniform in the triangle ABC.

use super::plane::{Point, dot, minus, turn};
use super::rule::{Rule, gauss_legendre};

/// Triangles up to which each gets Gauss points of its own, and the fewest of them along √a.
const MOST_RULED: usize = 200;
const FEWEST: usize = 8;

/// Triangles of a polygon, as indices of its vertices.
pub(super) type Triangle = [usize; 3];

/// Cuts the counterclockwise outline `ring` (indices into `points`) into triangles; fails, with the first vertex of what
/// was left, when rounding hides every ear.
pub(super) fn triangulate(points: &[Point], mut ring: Vec<usize>) -> Result<Vec<Triangle>, usize> {
    let mut triangles = Vec::with_capacity(ring.len().saturating_sub(2));
    while ring.len() > 3 {
        let count = ring.len();
        let corner = |k: usize| {
            [
                ring[(k + count - 1) % count],
                ring[k],
                ring[(k + 1) % count],
            ]
        };
        let ear = (0..count)
            .find(|&k| is_ear(points, &ring, corner(k)))
            .or_else(|| (0..count).find(|&k| is_straight(points, corner(k))))
            .ok_or(ring[0])?;
        triangles.push(corner(ear));
        ring.remove(ear);
    }
    triangles.push([ring[0], ring[1], ring[2]]);
    Ok(triangles)
}

fn is_ear(points: &[Point], ring: &[usize], triangle: Triangle) -> bool {
    let [a, b, c] = triangle.map(|k| points[k]);
    let holds = |p: Point| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    turn(a, b, c) > 0.0
        && !ring
            .iter()
            .any(|k| !triangle.contains(k) && holds(points[*k]))
}

/// Whether the middle vertex lies within the straight line between its neighbours: a triangle without area.
fn is_straight(points: &[Point], triangle: Triangle) -> bool {
    let [a, b, c] = triangle.map(|k| points[k]);
    turn(a, b, c) == 0.0 && dot(minus(a, b), minus(c, b)) < 0.0
}

/// The map of the unit square onto a set of triangles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TriangleMap {
    corners: Vec<[Point; 3]>,
    ends: Vec<f64>, // the share of the area up to and including each triangle, ends at 1
}

impl TriangleMap {
    pub(super) fn new(points: &[Point], triangles: &[Triangle]) -> Self {
        let corners: Vec<_> = triangles
            .iter()
            .map(|triangle| triangle.map(|k| points[k]))
            .collect();
        let area = |[a, b, c]: &[Point; 3]| turn(*a, *b, *c);
        let total: f64 = corners.iter().map(area).sum();
        let mut sum = 0.0;
        let mut ends: Vec<f64> = corners
            .iter()
            .map(|triangle| {
                sum += area(triangle);
                sum / total
            })
            .collect();
        // The last share ends at 1 even where rounding says less.
        ends.iter_mut()
            .rev()
            .take_while(|end| **end >= 1.0 - 1e-14)
            .for_each(|end| *end = 1.0);
        Self { corners, ends }
    }

    /// Nodes and weights for the first number: Gauss points of √a in every triangle, about `along` of them twice over. `None` for so many
    /// triangles that the points would be too many.
    pub(super) fn rule(&self, along: usize) -> Option<Rule> {
        if self.corners.len() > MOST_RULED {
            return None;
        }
        let each = gauss_legendre((2 * along / self.corners.len()).clamp(FEWEST, along));
        let begins = std::iter::once(0.0).chain(self.ends.iter().copied());
        let triangle = |(begin, end): (f64, &f64)| {
            let share = end - begin;
            let node = move |[s, w]: &[f64; 2]| [begin + share * s * s, 2.0 * s * w * share];
            each.iter().map(node).collect::<Vec<_>>()
        };
        Some(begins.zip(&self.ends).flat_map(triangle).collect())
    }

    /// The point of the polygon that belongs to a point of the open unit square.
    pub(super) fn place(&self, u: &[f64]) -> Point {
        let chosen = self
            .ends
            .partition_point(|&end| end <= u[0])
            .min(self.corners.len() - 1);
        let begin = if chosen == 0 {
            0.0
        } else {
            self.ends[chosen - 1]
        };
        let a = (u[0] - begin) / (self.ends[chosen] - begin);
        let root = a.clamp(f64::MIN_POSITIVE, 1.0 - 1e-15).sqrt();
        let weights = [1.0 - root, root * (1.0 - u[1]), root * u[1]];
        std::array::from_fn(|axis| {
            weights
                .iter()
                .zip(&self.corners[chosen])
                .map(|(w, corner)| w * corner[axis])
                .sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plane::doubled_area;

    fn cut(points: &[Point]) -> Vec<Triangle> {
        triangulate(points, (0..points.len()).collect()).expect("triangles")
    }

    /// The triangles run counterclockwise, are n − 2, and their areas add up: they cover and do not overlap.
    #[test]
    fn triangles_add_up_to_the_polygon() {
        let comb: Vec<Point> = (0..12)
            .map(|k| [f64::from(12 - k), if k % 2 == 0 { 3.0 } else { 0.1 }])
            .chain([[0.0, -1.0], [13.0, -1.0]])
            .collect();
        let ell = vec![
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let straight = vec![
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 2.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        for points in [comb, ell, straight] {
            let triangles = cut(&points);
            assert_eq!(triangles.len(), points.len() - 2);
            let areas = triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.map(|k| points[k]);
                turn(a, b, c)
            });
            assert!(areas.clone().all(|area| area >= 0.0));
            assert!((areas.sum::<f64>() - doubled_area(&points)).abs() < 1e-13);
        }
    }

    #[test]
    fn an_outline_without_ears_is_reported() {
        // Clockwise, so no vertex is convex: what rounding could make of a sliver.
        let clockwise = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
        assert_eq!(triangulate(&clockwise, vec![0, 1, 2, 3]), Err(0));
    }

    #[test]
    fn the_ends_of_the_square_stay_inside() {
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let map = TriangleMap::new(&points, &cut(&points));
        for u in [[1e-300, 0.5], [0.5, 0.5], [1.0 - f64::EPSILON, 0.5]] {
            let [x, y] = map.place(&u);
            assert!(
                (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y),
                "{x}, {y}"
            );
        }
    }
}
