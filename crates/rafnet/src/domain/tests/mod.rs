//! Properties that every domain has, checked over one catalogue.
//!
//! [`catalogue`] lists a domain of every kind with its measure known by hand; the other files walk the list. A new
//! shape enters with its line there and is checked by all of them.

mod boundary;
mod catalogue;
mod combinations;
mod exactness;
mod interior;
mod refusals;

use super::Cuboid;
use super::Shape;
use super::philox::Key;

/// Independent uniform points of a box, from a stream no sampler uses: the oracle of the statistical tests.
fn box_points(bounds: &[[f64; 2]], seed: u64, count: u64) -> Vec<Vec<f64>> {
    let cuboid = Cuboid::new(bounds.to_vec()).expect("a box");
    let key = Key::derive(seed, 0, [u32::MAX, u32::MAX]);
    let point = |index| {
        let (mut u, mut x) = (vec![0.0; bounds.len()], vec![0.0; bounds.len()]);
        key.fill(index, &mut u);
        cuboid.place(&u, &mut x);
        x
    };
    (0..count).map(point).collect()
}
