//! A polygon against measuring every edge, either way round, and what it refuses.

use super::*;
use crate::expr::smaller;

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
            let nearest = distances.fold(f64::INFINITY, smaller);
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
