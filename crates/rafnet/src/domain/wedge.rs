//! Corners of plane domains: where solutions of elliptic equations lose their smoothness.

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
    use crate::domain::{Combined, Cuboid, Domain, Operation, Polygon, Wedge};
    use std::sync::Arc;

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
