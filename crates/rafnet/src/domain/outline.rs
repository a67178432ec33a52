//! Whether a list of vertices is the outline of a polygon.
//!
//! An outline is simple: at least three finite vertices, neighbours differ, edges meet only at the vertex they share,
//! and the area is not zero. An edge that folds back over its neighbour then meets the one after it, too. What is wrong is said of the first vertex or pair of edges where it is seen.

use super::error::DomainError;
use super::plane::{Point, distance, doubled_area, segments_meet};
use crate::expr::largest;

/// Checks an outline and returns its doubled area, positive when it runs counterclockwise.
pub(super) fn check(vertices: &[Point]) -> Result<f64, DomainError> {
    let count = vertices.len();
    if count < 3 {
        return Err(DomainError::TooFewVertices { found: count });
    }
    for (k, &[x, y]) in vertices.iter().enumerate() {
        if !(x.is_finite() && y.is_finite()) {
            return Err(DomainError::VertexNotFinite {
                vertex: k + 1,
                x,
                y,
            });
        }
    }
    let next = |k: usize| (k + 1) % count;
    if let Some(k) = (0..count).find(|&k| distance(vertices[k], vertices[next(k)]) == 0.0) {
        return Err(DomainError::RepeatedVertex {
            vertex: k + 1,
            next: next(k) + 1,
        });
    }
    let edge = |k: usize| [vertices[k], vertices[next(k)]];
    for first in 0..count {
        for second in first + 2..count {
            if next(second) != first && segments_meet(edge(first), edge(second)) {
                return Err(DomainError::EdgesMeet {
                    first: first + 1,
                    second: second + 1,
                });
            }
        }
    }
    let doubled = doubled_area(vertices);
    // Below the rounding of the sum of products of lengths, an area is no area.
    let reach = largest(vertices.iter().map(|&v| distance(v, vertices[0]).powi(2)));
    if doubled.abs() <= 8.0 * f64::EPSILON * reach {
        return Err(DomainError::FlatPolygon {
            area: 0.5 * doubled.abs(),
        });
    }
    Ok(doubled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(vertices: &[Point]) -> String {
        check(vertices).expect_err("no outline").to_string()
    }

    #[test]
    fn what_is_not_an_outline_is_refused() {
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, 0.0]]),
            "the polygon has 2 vertices, and needs at least 3"
        );
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]]),
            "vertex 2 of the polygon is (1, NaN), and must be finite"
        );
        let repeated = "are the same point; give each vertex once, the polygon closes itself";
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
            format!("vertices 2 and 3 of the polygon {repeated}")
        );
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
            format!("vertices 4 and 1 of the polygon {repeated}")
        );
    }

    #[test]
    fn edges_that_meet_are_named() {
        let order =
            "of the polygon cross or touch; list the vertices in order around a simple outline";
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(message(&bow_tie), format!("edges 1 and 3 {order}"));
        let touching = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]];
        assert_eq!(message(&touching), format!("edges 1 and 3 {order}"));
        let spike = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 1.0], [0.0, 2.0]];
        assert_eq!(message(&spike), format!("edges 2 and 4 {order}"));
    }

    #[test]
    fn flat_polygons_are_refused() {
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]),
            "the polygon is empty: its area is 0, all its vertices lie on one line"
        );
    }

    #[test]
    fn vertices_within_an_edge_are_welcome() {
        let doubled = check(&[[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0], [1.0, 0.0]])
            .expect("an outline");
        assert_eq!(doubled.to_bits(), f64::to_bits(-8.0));
    }
}
