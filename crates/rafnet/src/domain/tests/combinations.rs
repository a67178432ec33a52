//! Combined shapes: what is refused, which pieces are left, what is measured exactly, where factors exist.

use crate::domain::{Ball, Combined, Cuboid, Face, FactorTerm, Operation, Shape};
use std::sync::Arc;

fn square(x: [f64; 2], y: [f64; 2]) -> Arc<dyn Shape> {
    Arc::new(Cuboid::new(vec![x, y]).expect("a rectangle"))
}

fn disc(x: f64, y: f64, radius: f64) -> Arc<dyn Shape> {
    Arc::new(Ball::new(vec![x, y], radius).expect("a disc"))
}

#[test]
fn impossible_combinations_are_refused() {
    let message = |operation, parts| {
        Combined::new(operation, parts)
            .expect_err("no shape")
            .to_string()
    };
    assert_eq!(
        message(Operation::Union, vec![]),
        "the union has 0 parts, and needs at least 2"
    );
    let line: Arc<dyn Shape> = Arc::new(Cuboid::new(vec![[0.0, 1.0]]).expect("an interval"));
    assert_eq!(
        message(Operation::Difference, vec![disc(0.0, 0.0, 1.0), line]),
        "part 2 of the difference has 1 coordinates, the first part has 2; all must agree"
    );
    assert_eq!(
        message(
            Operation::Intersection,
            vec![disc(0.0, 0.0, 1.0), disc(3.0, 0.0, 1.0)]
        ),
        "the intersection is empty: no point lies inside it (1 tried)"
    );
    assert_eq!(
        message(
            Operation::Intersection,
            vec![disc(0.0, 0.0, 1.0), disc(1.5, 1.5, 1.0)]
        ),
        "the intersection is empty: no point lies inside it (16384 tried)"
    );
    assert_eq!(
        message(
            Operation::Difference,
            vec![
                square([0.0, 1.0], [0.0, 1.0]),
                square([-1.0, 2.0], [0.0, 1.0])
            ]
        ),
        "the difference is empty: no point lies inside it (3 tried)"
    );
}

/// Two squares side by side are a rectangle: no wall between them, outer sides of both, measures exact.
#[test]
fn walls_between_parts_vanish() {
    let parts = vec![
        square([0.0, 1.0], [0.0, 1.0]),
        square([1.0, 3.0], [0.0, 1.0]),
    ];
    let both = Combined::new(Operation::Union, parts).expect("a rectangle");
    let names: Vec<_> = both
        .pieces()
        .iter()
        .map(|piece| (piece.name(&["x", "y"]), piece.measure))
        .collect();
    let expected = [
        ("1: x=0", 1.0),
        ("1: y=0", 1.0),
        ("1: y=1", 1.0),
        ("2: x=3", 1.0),
        ("2: y=0", 2.0),
        ("2: y=1", 2.0),
    ];
    assert_eq!(
        names,
        expected.map(|(name, measure)| (format!("part {name}"), measure))
    );
    assert_eq!(both.measure().to_bits(), 3f64.to_bits());
}

/// Overlapping parts with a side in common: the first owns it where both have it.
#[test]
fn shared_sides_are_counted_once() {
    let parts = vec![
        square([0.0, 2.0], [0.0, 1.0]),
        square([1.0, 3.0], [0.0, 1.0]),
    ];
    let both = Combined::new(Operation::Union, parts).expect("a rectangle");
    let perimeter: f64 = both.pieces().iter().map(|piece| piece.measure).sum();
    // 2048 probes on each of six pieces, the longest of length 2; each piece is cut at one place at most.
    assert!((perimeter - 8.0).abs() <= 6.0 * 2.0 / 2048.0, "{perimeter}");
}

/// What is taken away lies flush with two sides: their far halves bound nothing any more.
#[test]
fn sides_flush_with_what_is_taken_away_end_there() {
    let parts = vec![
        square([0.0, 1.0], [0.0, 1.0]),
        square([0.5, 2.0], [0.0, 1.0]),
    ];
    let half = Combined::new(Operation::Difference, parts).expect("half a square");
    let names: Vec<_> = half
        .pieces()
        .iter()
        .map(|piece| piece.name(&["x", "y"]))
        .collect();
    assert_eq!(
        names,
        ["part 1: x=0", "part 1: y=0", "part 1: y=1", "part 2: x=0.5"]
    );
    let perimeter: f64 = half.pieces().iter().map(|piece| piece.measure).sum();
    assert!((perimeter - 3.0).abs() <= 4.0 / 2048.0, "{perimeter}");
}

#[test]
fn axis_parallel_shapes_are_measured_exactly() {
    let frame = vec![
        square([0.0, 3.0], [0.0, 3.0]),
        square([1.0, 2.0], [1.0, 2.0]),
        square([2.5, 9.0], [2.5, 9.0]),
    ];
    let frame = Combined::new(Operation::Difference, frame).expect("a frame");
    assert_eq!(frame.measure().to_bits(), 7.75f64.to_bits());
    let nested: Vec<Arc<dyn Shape>> = vec![Arc::new(frame), square([0.0, 2.0], [0.0, 2.0])];
    let nested = Combined::new(Operation::Intersection, nested).expect("three quarters");
    assert_eq!(nested.measure().to_bits(), 3f64.to_bits());
    assert_eq!(
        (nested.operation(), nested.parts().len()),
        (Operation::Intersection, 2)
    );
}

#[test]
fn factors_exist_where_they_stay_positive() {
    let parts = || vec![square([-1.0, 1.0], [-1.0, 1.0]), disc(0.0, 0.0, 0.5)];
    let term = |operation, part: &[usize], face| {
        Combined::new(operation, parts())
            .expect("a shape")
            .factor_term(part, face)
    };
    let low = Face::Low { axis: 0, at: -1.0 };
    let above = Some(FactorTerm::Above { axis: 0, at: -1.0 });
    assert_eq!(term(Operation::Difference, &[0], low), above);
    assert_eq!(term(Operation::Intersection, &[0], low), above);
    assert_eq!(term(Operation::Union, &[0], low), None);
    let hole = term(Operation::Difference, &[1], Face::Surface).expect("a hole's term");
    assert_eq!(hole.value(&[1.0, 0.0]).to_bits(), 0.75f64.to_bits());
    let notch = Combined::new(
        Operation::Difference,
        vec![disc(0.0, 0.0, 2.0), square([0.0, 9.0], [0.0, 9.0])],
    );
    assert_eq!(
        notch
            .expect("a notched disc")
            .factor_term(&[1], Face::Low { axis: 0, at: 0.0 }),
        None
    );
}
