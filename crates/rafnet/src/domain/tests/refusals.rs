//! What a domain refuses, with its message; refusals of single shapes are tested beside them.

use super::catalogue::{ball, combined, cuboid};
use crate::domain::{Domain, Draw, Operation, Sampler};

#[test]
fn pieces_that_do_not_exist() {
    let domain = Domain::new(ball(&[0.0, 0.0], 1.0));
    let draw = Draw::new(Sampler::Sobol, 0);
    let expected = "boundary piece 1 does not exist; the domain has 1, counted from 0";
    assert_eq!(
        domain
            .boundary(&[0, 1], 10, &draw)
            .expect_err("no piece")
            .to_string(),
        expected
    );
    assert_eq!(
        domain.factor(&[1]).expect_err("no piece").to_string(),
        expected
    );
}

#[test]
fn domains_too_thin_for_rejection() {
    // A strip of 2e-4 left of a square: 220 of 1.1 million tries are expected to hit it.
    let strip = [
        cuboid(&[[0.0, 1.0], [0.0, 1.0]]),
        cuboid(&[[0.0002, 2.0], [-1.0, 2.0]]),
    ];
    let domain = Domain::new(combined(Operation::Difference, &strip));
    let message = domain
        .interior(1_000, &Draw::new(Sampler::Lattice, 0))
        .expect_err("too thin")
        .to_string();
    let (found, rest) = message
        .strip_prefix("only ")
        .and_then(|text| text.split_once(' '))
        .expect("a count");
    let found: usize = found.parse().expect("a number");
    assert!((200..240).contains(&found), "{found}");
    assert_eq!(
        rest,
        "of 1000 points were found in 1100000 tries; the domain is too thin a part of what surrounds it, \
         describe it more directly"
    );
}

#[test]
fn dimensions_beyond_the_tables() {
    let domain = Domain::new(ball(&[0.0; 40], 1.0));
    for (sampler, name) in [(Sampler::Sobol, "Sobol"), (Sampler::Lattice, "lattice")] {
        let message = domain
            .interior(1, &Draw::new(sampler, 0))
            .expect_err("too many numbers")
            .to_string();
        let rest = "sampler is tabulated to 40 numbers a point, 41 are needed here; use the random sampler";
        assert_eq!(message, format!("the {name} {rest}"));
    }
    assert_eq!(
        domain
            .interior(3, &Draw::new(Sampler::Random, 0))
            .expect("random points")
            .len(),
        120
    );
}

#[test]
fn points_of_another_kind_are_not_contained() {
    let domain = Domain::new(cuboid(&[[0.0, 1.0], [0.0, 1.0]]));
    assert!(domain.contains(&[1.0, 0.0]) && domain.contains(&[1.0 + 1e-13, 0.5]));
    for x in [
        &[0.5][..],
        &[0.5, 0.5, 0.5],
        &[0.5, f64::NAN],
        &[1.0 + 1e-9, 0.5],
    ] {
        assert!(!domain.contains(x), "{x:?}");
    }
    assert!(domain.tolerance() < 1e-11);
}
