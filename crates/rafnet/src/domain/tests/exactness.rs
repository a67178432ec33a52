//! Factors over the catalogue, and angles around corners of winding polygons.

use super::catalogue;
use crate::domain::{Draw, Sampler};
use crate::expr::largest;

/// A factor is positive inside and zero on its pieces: to the bit on axis-parallel ones, to rounding on others.
#[test]
fn factors_vanish_on_the_boundary_only() {
    let mut without = Vec::new();
    for entry in catalogue::all() {
        let all: Vec<usize> = (0..entry.domain.pieces().len()).collect();
        let Some(factor) = entry.domain.factor(&all).expect("pieces that exist") else {
            without.push(entry.name);
            continue;
        };
        let draw = Draw::new(Sampler::Sobol, 8);
        let dimension = entry.domain.dimension();
        let inside = entry.domain.interior(300, &draw).expect("interior points");
        let values: Vec<f64> = inside.chunks(dimension).map(|x| factor.value(x)).collect();
        assert!(values.iter().all(|value| *value > 0.0), "{}", entry.name);
        let largest = largest(values.iter().copied());
        let points = entry
            .domain
            .boundary(&all, 100, &draw)
            .expect("boundary points");
        for (x, &index) in points.points.chunks(dimension).zip(&points.pieces) {
            let value = factor.value(x);
            let tolerance = if entry.domain.pieces()[index].face.fixed().is_some() {
                0.0
            } else {
                1e-13 * largest
            };
            assert!(
                value.abs() <= tolerance,
                "{}: {value:e} at {x:?}",
                entry.name
            );
        }
    }
    let expected = [
        "ellipse",
        "L",
        "arrow",
        "two discs",
        "keyhole",
        "L in 3-D",
        "two intervals",
        "notched L",
        "L in time, t between",
    ];
    assert_eq!(without, expected);
}

#[test]
fn a_factor_of_some_faces_leaves_the_others_free() {
    let entry = catalogue::named("disc in time, t first");
    let factor = entry
        .domain
        .factor(&[0, 1])
        .expect("pieces")
        .expect("a factor"); // the mantle and t = 1
    assert!((factor.value(&[3.0, 0.6, 0.0]) - 2.0 * 0.64).abs() < 1e-15);
    let none = entry
        .domain
        .factor(&[])
        .expect("no pieces")
        .expect("the empty product");
    assert_eq!(none.value(&[3.0, 0.6, 0.0]).to_bits(), 1f64.to_bits());
}
