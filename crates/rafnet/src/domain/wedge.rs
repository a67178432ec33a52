//! Corners of plane domains: where solutions of elliptic equations lose their smoothness.

use super::Domain;
use super::plane::{Point, angle, minus};
use std::f64::consts::{PI, TAU};

/// A corner of a plane domain.
///
/// ```
/// use rafnet::domain::{Domain, Polygon};
/// use std::sync::Arc;
/// let ell = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])?;
/// let inner = &Domain::new(Arc::new(ell)).wedges()[3];
/// assert_eq!(inner.position, [1.0, 1.0]);
/// assert!((inner.angle - 1.5 * std::f64::consts::PI).abs() < 1e-15);
/// assert!(inner.bisector[0] < 0.0 && inner.bisector[1] < 0.0); // into the domain
/// # Ok::<(), rafnet::domain::DomainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Wedge {
    /// Where it is.
    pub position: [f64; 2],
    /// The interior angle ω.
    pub angle: f64,
    /// The unit vector halfway between the edges, into the domain.
    pub bisector: [f64; 2],
}

impl Wedge {
    /// The same corner seen from the other side of its edges.
    pub(super) fn outside(self) -> Self {
        Self {
            angle: TAU - self.angle,
            bisector: self.bisector.map(|b| -b),
            ..self
        }
    }

    /// The unit vectors along its edges, the one at which the angle begins first.
    pub(crate) fn edges(&self) -> [[f64; 2]; 2] {
        let [c, s] = self.bisector;
        [-0.5, 0.5].map(|side| {
            let (sin, cos) = (side * self.angle).sin_cos();
            [c * cos - s * sin, s * cos + c * sin]
        })
    }
}

impl Domain {
    /// Whether functions of the angle around a corner are continuous in the domain within a box: the ray behind the corner, along
    /// which the angle jumps, lies outside.
    pub(crate) fn turns_around(&self, wedge: &Wedge, within: &[[f64; 2]]) -> bool {
        let middle = |[low, high]: &[f64; 2]| 0.5 * (low + high);
        let space: Vec<usize> = (0..self.dimension())
            .filter(|k| Some(*k) != self.time_axis())
            .collect();
        let length = space.iter().map(|k| within[*k][1] - within[*k][0]);
        let farthest = length.map(|l| l * l).sum::<f64>().sqrt();
        let mut x: Vec<f64> = self.bounds().iter().map(middle).collect();
        (1..=ALONG_RAY).all(|i| {
            let along = farthest * i as f64 / ALONG_RAY as f64;
            for (k, axis) in space.iter().enumerate() {
                x[*axis] = wedge.position[k] - along * wedge.bisector[k];
            }
            let held = |k: &usize| within[*k][0] <= x[*k] && x[*k] <= within[*k][1];
            !space.iter().all(held) || self.shape().level(&x) > -self.tolerance()
        })
    }
}

/// Places on the ray behind a corner where it is looked whether they lie outside.
const ALONG_RAY: usize = 400;
/// An angle this near to π is a straight line with rounding.
const STRAIGHT: f64 = 1e-9;

/// The corners of a counterclockwise outline.
pub(super) fn wedges(outline: &[Point]) -> Vec<Wedge> {
    let count = outline.len();
    let wedge = |k: usize| {
        let leaving = minus(outline[(k + 1) % count], outline[k]);
        let arriving = minus(outline[(k + count - 1) % count], outline[k]);
        let angle = angle(leaving, arriving).rem_euclid(TAU);
        let direction = leaving[1].atan2(leaving[0]) + 0.5 * angle;
        (angle - PI).abs().gt(&STRAIGHT).then(|| Wedge {
            position: outline[k],
            angle,
            bisector: [direction.cos(), direction.sin()],
        })
    };
    (0..count).filter_map(wedge).collect()
}

/// The corners of a union of cells between grid lines: one cell of the four around a crossing, or all but one.
pub(super) fn wedges_of_cells(lines: &[Vec<f64>], inside: &dyn Fn(Point) -> bool) -> Vec<Wedge> {
    let [x, y] = lines else {
        return Vec::new();
    };
    // halfway to the neighbouring line, or a little beyond the last
    let beside = |lines: &[f64], k: usize, step: usize| match (
        (k + step).checked_sub(1),
        lines.get(k + step),
    ) {
        (Some(low), Some(high)) => 0.5 * (lines[low] + high),
        (None, _) => lines[0] - 1.0,
        _ => lines[k] + 1.0,
    };
    let mut found = Vec::new();
    for (i, px) in x.iter().enumerate() {
        for (j, py) in y.iter().enumerate() {
            let quarters = [[1, 1], [0, 1], [0, 0], [1, 0]];
            let within = quarters.map(|[a, b]| inside([beside(x, i, a), beside(y, j, b)]));
            let count = within.iter().filter(|w| **w).count();
            let lone = within.iter().position(|w| *w == (count == 1));
            let (Some(lone), 1 | 3) = (lone, count) else {
                continue;
            };
            let side = if count == 1 { 1.0 } else { -1.0 };
            let along = |step: usize| {
                side * if step == 1 {
                    0.5f64.sqrt()
                } else {
                    -(0.5f64.sqrt())
                }
            };
            found.push(Wedge {
                position: [*px, *py],
                angle: 0.5 * PI * count as f64,
                bisector: quarters[lone].map(along),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::domain::{Ball, Combined, Cuboid, Domain, Operation, Polygon, Wedge};
    use std::sync::Arc;

    /// A square in a disc has its corners turned outwards; behind each of them lies the opposite one, and beyond it the domain again.
    #[test]
    fn a_square_in_a_disc() {
        let disc = Arc::new(Ball::new(vec![0.0; 2], 2.0).expect("a disc"));
        let square = Arc::new(Cuboid::new(vec![[-0.5, 0.5]; 2]).expect("a square"));
        let shape = Combined::new(Operation::Difference, vec![disc, square]);
        let domain = Domain::new(Arc::new(shape.expect("a disc without a square")));
        let wedges = domain.wedges();
        assert_eq!(wedges.len(), 4);
        for wedge in &wedges {
            let [x, y] = wedge.position;
            assert!((wedge.angle - 1.5 * std::f64::consts::PI).abs() < 1e-14);
            assert!(wedge.bisector[0] * x > 0.0 && wedge.bisector[1] * y > 0.0);
            for edge in wedge.edges() {
                let along = [x + 0.1 * edge[0], y + 0.1 * edge[1]];
                assert!(domain.shape().level(&along).abs() < 1e-14, "{along:?}");
            }
            let near = [[x - 0.3, x + 0.3], [y - 0.3, y + 0.3]];
            assert!(domain.turns_around(wedge, &near));
            assert!(!domain.turns_around(wedge, domain.bounds()));
        }
    }

    /// An L of two boxes has the corners of the polygon.
    #[test]
    fn an_ell_of_two_boxes() {
        let corners = [
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let polygon = Polygon::new(corners.to_vec()).expect("a polygon");
        let cuboid = |x, y| Arc::new(Cuboid::new(vec![x, y]).expect("a box"));
        let parts = vec![
            cuboid([0.0, 2.0], [0.0, 1.0]) as Arc<_>,
            cuboid([0.0, 1.0], [0.0, 2.0]) as Arc<_>,
        ];
        let union = Combined::new(Operation::Union, parts).expect("a union");
        let sorted = |domain: Domain| {
            let mut wedges: Vec<Wedge> = domain.wedges();
            wedges.sort_by(|a, b| a.position.partial_cmp(&b.position).expect("numbers"));
            wedges
        };
        let (found, expected) = (
            sorted(Domain::new(Arc::new(union))),
            sorted(Domain::new(Arc::new(polygon))),
        );
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found.angle - expected.angle).abs() < 1e-14);
            for k in 0..2 {
                assert!((found.position[k] - expected.position[k]).abs() < 1e-14);
                assert!((found.bisector[k] - expected.bisector[k]).abs() < 1e-14);
            }
        }
    }
}
