//! A cylinder over a box against the box with that interval, and what is refused.

use super::*;

fn rectangle() -> Arc<dyn Shape> {
    Arc::new(Cuboid::new(vec![[0.0, 1.0], [2.0, 4.0]]).expect("a rectangle"))
}

#[test]
fn impossible_times_are_refused() {
    let message = |axis, time| {
        TimeCylinder::new(rectangle(), axis, time)
            .expect_err("no cylinder")
            .to_string()
    };
    assert_eq!(
        message(3, [0.0, 1.0]),
        "time stands at place 4 of 3 coordinates"
    );
    for (time, text) in [
        ([1.0, 1.0], "[1, 1]"),
        ([1.0, 0.0], "[1, 0]"),
        ([f64::NAN, 0.0], "[NaN, 0]"),
    ] {
        let expected = format!(
            "the time interval is empty: it is {text}, and must be finite with start < end"
        );
        assert_eq!(message(0, time), expected);
    }
}

/// A box with time is the box with that interval inserted, wherever time stands: same points, names and lines.
#[test]
fn time_stands_where_it_was_written() {
    for (axis, names) in [
        (0, ["t", "x", "y"]),
        (1, ["x", "t", "y"]),
        (2, ["x", "y", "t"]),
    ] {
        let swept = TimeCylinder::new(rectangle(), axis, [5.0, 8.0]).expect("a cylinder");
        let mut bounds = vec![[0.0, 1.0], [2.0, 4.0]];
        bounds.insert(axis, [5.0, 8.0]);
        let plain = Cuboid::new(bounds).expect("a box");
        assert_eq!(swept.as_cuboid(), Some(plain.clone()));
        assert_eq!(swept.grid_lines(), plain.grid_lines());
        assert_eq!(swept.measure().to_bits(), plain.measure().to_bits());
        for x in [
            [0.5, 0.5, 0.5],
            [0.25, 3.0, 6.0],
            [6.0, 0.75, 2.5],
            [3.0, 7.0, 0.0],
        ] {
            assert_eq!(swept.level(&x).to_bits(), plain.level(&x).to_bits());
        }
        let named: Vec<_> = swept
            .pieces()
            .iter()
            .map(|piece| piece.name(&names))
            .collect();
        assert_eq!(named, ["x=0", "x=1", "y=2", "y=4", "t=5", "t=8"]);
        let fixed = swept.pieces()[2].face.fixed().expect("a face");
        assert_eq!(names[fixed.0], "y");
        for piece in swept.pieces() {
            let (mut x, mut normal) = ([0.0; 3], [0.0; 3]);
            swept.place_on(&piece.part, piece.face, &[0.25, 0.75], &mut x, &mut normal);
            let (at_axis, at) = piece.face.fixed().expect("a face");
            assert_eq!(x[at_axis].to_bits(), at.to_bits());
            let plane = plain.intervals()[at_axis];
            let outward = if at.to_bits() == plane[0].to_bits() {
                -1.0
            } else {
                1.0
            };
            let expected: [f64; 3] =
                std::array::from_fn(|k| if k == at_axis { outward } else { 0.0 });
            assert_eq!(normal.map(f64::to_bits), expected.map(f64::to_bits));
            let term = swept.factor_term(&piece.part, piece.face).expect("a term");
            assert_eq!(term.value(&x).to_bits(), 0f64.to_bits());
        }
        assert_eq!(
            (swept.axis(), swept.time(), swept.space().dimension()),
            (axis, [5.0, 8.0], 2)
        );
    }
}
