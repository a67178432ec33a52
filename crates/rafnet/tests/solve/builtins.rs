//! Every built-in problem with an exact solution (those of eigenvalues are in `eigen`), solved with nothing but its name: the error and its estimate.
//!
//! The bounds are ten to a hundred times what seed 0 gave on an AVX-512 machine: other instruction sets sum in another order, which at
//! these errors counts. The estimate's factor holds both ways. README and DESIGN say what is asserted here.

use crate::{ROUNDING, options, solve};
use rafnet::expr::largest;
use rafnet::problem::Problem;
use rafnet::run::Outcome;

/// What the estimate may be off by, in either direction.
const WITHIN: f64 = 5.0;

/// The problems, by what they take, with bounds of the relative L2 error.
const SMALL: [(&str, f64); 12] = [
    ("advection-diffusion", 1e-14),
    ("heat", 1e-13),
    ("helmholtz", 1e-13),
    ("logistic", 1e-13),
    ("low-regularity-r", 1e-12),
    ("neumann", 1e-13),
    ("nonlinear-polygon", 1e-13),
    ("oscillator", 1e-13),
    ("periodic", 1e-13),
    ("poisson-smooth", 1e-14),
    ("robin", 1e-14),
    ("wave", 1e-13),
];
const MIDDLE: [(&str, f64); 6] = [
    ("inverse-diffusivity", 1e-12),
    ("oscillation", 1e-13),
    ("poisson-5d", 1e-12),
    ("reaction-diffusion", 1e-14),
    ("system", 1e-14),
    ("variable-coefficients", 1e-13),
];
/// Those that take long, each a test of its own.
const LARGE: [(&str, f64); 4] = [
    ("annulus", 1e-13),
    ("ball-3d", 1e-11),
    ("burgers", 1e-12),
    ("super-oscillation", 1e-12),
];

/// The problems that are not asserted, and why.
const LEFT_OUT: [(&str, &str); 12] = [
    ("poisson-10d", "stands in `dimensions`"),
    ("beam", "stands in `examples`, with every seed"),
    ("kovasznay", "stands in `bench/accept`, with three seeds"),
    ("taylor-green", "stands in `bench/accept`, with three seeds"),
    ("kdv", "stands in `bench/accept`, with three seeds"),
    (
        "low-regularity",
        "a kink that no smooth feature has: its time limit ends it",
    ),
    (
        "regression-jump",
        "a jump that no smooth feature has: its time limit ends it",
    ),
    (
        "oscillation-code",
        "`oscillation` as the paper's code has it: for the trained methods",
    ),
    (
        "oscillation-scaled-first",
        "`oscillation` with another network for the trained methods",
    ),
    (
        "oscillation-scaled-first-cos",
        "`oscillation` with another network for the trained methods",
    ),
    (
        "oscillation-scaled-last",
        "`oscillation` with another network for the trained methods",
    ),
    (
        "oscillation-scaled-last-cos",
        "`oscillation` with another network for the trained methods",
    ),
];

#[test]
fn every_one_is_asserted_or_left_out_by_name() {
    let asserted = SMALL
        .iter()
        .chain(&MIDDLE)
        .chain(&LARGE)
        .map(|(name, _)| *name);
    let mut listed: Vec<&str> = asserted
        .chain(LEFT_OUT.iter().map(|(name, _)| *name))
        .collect();
    listed.sort_unstable();
    let is_known = |name: &&str| {
        let problem = Problem::builtin(name).expect("a built-in problem");
        problem.eigen.is_none() && problem.exact.iter().any(Option::is_some)
    };
    let names = Problem::builtin_names().into_iter().map(|(name, _)| name);
    let mut known: Vec<&str> = names.filter(is_known).collect();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn small_ones() {
    SMALL.iter().for_each(|(name, bound)| holds(name, *bound));
}

#[test]
fn middle_ones() {
    MIDDLE.iter().for_each(|(name, bound)| holds(name, *bound));
}

#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn annulus() {
    holds_of_large(0);
}

#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn ball_3d() {
    holds_of_large(1);
}

#[test]
fn burgers() {
    holds_of_large(2);
}

#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn super_oscillation() {
    holds_of_large(3);
}

fn holds_of_large(k: usize) {
    let (name, bound) = LARGE[k];
    holds(name, bound);
}

/// The search ends by itself, the error is below its bound, and the estimate near the error.
fn holds(name: &str, bound: f64) {
    let problem = Problem::builtin(name).expect("a built-in problem");
    let solved = solve(&problem, &options());
    let ended = [Outcome::TargetReached, Outcome::Converged].contains(&solved.outcome);
    assert!(ended, "{name}: {}", solved.outcome.name());
    let worst = |by: &[Option<f64>]| largest(by.iter().flatten().copied());
    let error = worst(&solved.relative_l2_by);
    assert!(error <= bound, "{name}: error {error:.1e}, not {bound:.0e}");
    let largest = worst(&solved.relative_linf_by);
    for (norm, error, estimate) in [
        ("L2", error, solved.error_estimate),
        ("L∞", largest, solved.linf_estimate),
    ] {
        let off = estimate.max(ROUNDING) / error.max(ROUNDING);
        assert!(
            (1.0 / WITHIN..=WITHIN).contains(&off),
            "{name}: {norm} error {error:.1e}, estimated {estimate:.1e}"
        );
    }
}
