//! One domain of every kind, with what is known of it.

use crate::domain::{Annulus, Ball, Combined, Cuboid, Domain, Ellipse, Operation, Polygon, Shape};
use std::f64::consts::{PI, TAU};
use std::sync::{Arc, OnceLock};

/// A domain with its measure and that of its boundary (the ends of time left out), both by hand.
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) domain: Domain,
    pub(super) measure: f64,
    pub(super) boundary: f64,
}

type Part = Arc<dyn Shape>;

pub(super) fn cuboid(bounds: &[[f64; 2]]) -> Part {
    Arc::new(Cuboid::new(bounds.to_vec()).expect("a box"))
}

pub(super) fn ball(centre: &[f64], radius: f64) -> Part {
    Arc::new(Ball::new(centre.to_vec(), radius).expect("a ball"))
}

fn ellipse(centre: &[f64], axes: &[f64]) -> Part {
    Arc::new(Ellipse::new(centre.to_vec(), axes).expect("an ellipse"))
}

fn annulus(centre: &[f64], inner: f64, outer: f64) -> Part {
    Arc::new(Annulus::new(centre.to_vec(), inner, outer).expect("an annulus"))
}

pub(super) fn polygon(vertices: &[[f64; 2]]) -> Part {
    Arc::new(Polygon::new(vertices.to_vec()).expect("a polygon"))
}

pub(super) fn combined(operation: Operation, parts: &[Part]) -> Part {
    Arc::new(Combined::new(operation, parts.to_vec()).expect("a combination"))
}

fn timed(space: Part, axis: usize, time: [f64; 2]) -> Domain {
    Domain::with_time(space, axis, time).expect("a domain in time")
}

pub(super) const ELL: [[f64; 2]; 6] = [
    [0.0, 0.0],
    [2.0, 0.0],
    [2.0, 1.0],
    [1.0, 1.0],
    [1.0, 2.0],
    [0.0, 2.0],
];

/// Clockwise, no side parallel to an axis but one, one re-entrant corner.
const ARROW: [[f64; 2]; 4] = [[0.0, 0.0], [-2.0, 3.0], [4.0, 0.0], [-2.0, -3.0]];

/// A square with a round hole.
pub(super) fn plate() -> Part {
    combined(
        Operation::Difference,
        &[cuboid(&[[-1.0, 1.0], [-1.0, 1.0]]), ball(&[0.1, 0.2], 0.5)],
    )
}

fn plain() -> Vec<Entry> {
    let entry = |name, shape: Part, measure, boundary| Entry {
        name,
        domain: Domain::new(shape),
        measure,
        boundary,
    };
    vec![
        entry("interval", cuboid(&[[0.1, 0.7]]), 0.6, 2.0),
        entry("rectangle", cuboid(&[[-1.0, 2.0], [0.3, 0.8]]), 1.5, 7.0),
        entry(
            "box in 5-D",
            cuboid(&[[0.0, 1.0], [-1.0, 1.0], [0.0, 0.5], [2.0, 3.0], [0.0, 2.0]]),
            2.0,
            20.0,
        ),
        entry("ball in 1-D", ball(&[3.0], 0.5), 1.0, 2.0),
        entry("disc", ball(&[1.0, -2.0], 1.5), 2.25 * PI, 3.0 * PI),
        entry(
            "ball",
            ball(&[0.0, 0.5, 1.0], 2.0),
            32.0 * PI / 3.0,
            16.0 * PI,
        ),
        entry(
            "ball in 6-D",
            ball(&[0.0; 6], 1.0),
            PI.powi(3) / 6.0,
            PI.powi(3),
        ),
        entry(
            "ellipse",
            ellipse(&[0.5, -1.0], &[1.0, 2.0]),
            TAU,
            9.688_448_220_547_675,
        ),
        entry("annulus in 1-D", annulus(&[1.0], 0.5, 2.0), 3.0, 4.0),
        entry("ring", annulus(&[0.0, 1.0], 1.0, 2.0), 3.0 * PI, 6.0 * PI),
        entry(
            "shell",
            annulus(&[0.0; 3], 1.0, 2.0),
            28.0 * PI / 3.0,
            20.0 * PI,
        ),
        entry(
            "shell in 5-D",
            annulus(&[0.5; 5], 0.7, 1.0),
            8.0 * PI * PI / 15.0 * (1.0 - 0.7f64.powi(5)),
            8.0 * PI * PI / 3.0 * (1.0 + 0.7f64.powi(4)),
        ),
        entry(
            "triangle",
            polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]),
            6.0,
            12.0,
        ),
        entry("L", polygon(&ELL), 3.0, 8.0),
        entry(
            "arrow",
            polygon(&ARROW),
            12.0,
            2.0 * 13f64.sqrt() + 2.0 * 45f64.sqrt(),
        ),
    ]
}

fn combinations() -> Vec<Entry> {
    let entry = |name, shape: Part, measure, boundary| Entry {
        name,
        domain: Domain::new(shape),
        measure,
        boundary,
    };
    let unit = cuboid(&[[0.0, 1.0], [0.0, 1.0]]);
    // Two unit circles, one apart: the lens between them, each arc a third of its circle.
    let circles = [ball(&[0.0, 0.0], 1.0), ball(&[1.0, 0.0], 1.0)];
    let lens = TAU / 3.0 - 3f64.sqrt() / 2.0;
    let brick = cuboid(&[[0.0, 2.0], [0.0, 1.0], [0.0, 1.0]]);
    let tower = cuboid(&[[0.0, 1.0], [0.0, 1.0], [0.0, 3.0]]);
    vec![
        entry("plate", plate(), 4.0 - PI / 4.0, 8.0 + PI),
        entry(
            "lens",
            combined(Operation::Intersection, &circles),
            lens,
            2.0 * TAU / 3.0,
        ),
        entry(
            "two discs",
            combined(Operation::Union, &circles),
            TAU - lens,
            4.0 * TAU / 3.0,
        ),
        entry(
            "keyhole",
            combined(Operation::Union, &[unit.clone(), ball(&[1.0, 1.0], 0.5)]),
            1.0 + 3.0 * PI / 16.0,
            3.0 + 0.75 * PI,
        ),
        entry(
            "L in 3-D",
            combined(Operation::Union, &[brick, tower]),
            4.0,
            18.0,
        ),
        entry(
            "two intervals",
            combined(
                Operation::Union,
                &[cuboid(&[[0.0, 1.0]]), cuboid(&[[3.0, 5.0]])],
            ),
            3.0,
            4.0,
        ),
        entry(
            "notched L",
            combined(
                Operation::Difference,
                &[polygon(&ELL), ball(&[0.0, 0.0], 0.5)],
            ),
            3.0 - PI / 16.0,
            7.0 + PI / 4.0,
        ),
        entry(
            "nested",
            combined(
                Operation::Intersection,
                &[plate(), cuboid(&[[-2.0, 2.0], [0.2, 3.0]])],
            ),
            1.6 - PI / 8.0,
            4.6 + PI / 2.0,
        ),
    ]
}

fn in_time() -> Vec<Entry> {
    let entry = |name, domain, measure, boundary| Entry {
        name,
        domain,
        measure,
        boundary,
    };
    vec![
        entry(
            "interval in time",
            timed(cuboid(&[[-1.0, 1.0]]), 1, [0.0, 0.5]),
            1.0,
            1.0,
        ),
        entry(
            "disc in time, t first",
            timed(ball(&[0.0, 0.0], 1.0), 0, [1.0, 3.0]),
            TAU,
            2.0 * TAU,
        ),
        entry(
            "L in time, t between",
            timed(polygon(&ELL), 1, [0.0, 2.0]),
            6.0,
            16.0,
        ),
        entry(
            "plate in time",
            timed(plate(), 2, [0.0, 1.0]),
            4.0 - PI / 4.0,
            8.0 + PI,
        ),
        entry(
            "1-D ball in time",
            timed(ball(&[0.0], 1.0), 0, [0.0, 1.0]),
            2.0,
            2.0,
        ),
    ]
}

/// The catalogue, made once.
pub(super) fn all() -> &'static [Entry] {
    static ALL: OnceLock<Vec<Entry>> = OnceLock::new();
    ALL.get_or_init(|| {
        plain()
            .into_iter()
            .chain(combinations())
            .chain(in_time())
            .collect()
    })
}

/// The entry of that name.
pub(super) fn named(name: &str) -> &'static Entry {
    all()
        .iter()
        .find(|entry| entry.name == name)
        .unwrap_or_else(|| panic!("no domain is called {name}"))
}
