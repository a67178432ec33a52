//! From regression on an interval to ten dimensions.

use crate::{options, recovers, solve};
use rafnet::problem::Problem;
use rafnet::solve::Options;

/// An equation of order 0 needs no boundary.
#[test]
fn regression() {
    let text = "[domain]\nkind = \"interval\"\nx = [-1, 1]\n[equation]\nresidual = \"u - exp(x)*cos(4*x)\"\n";
    recovers(text, 1e-12, |x| vec![x[0].exp() * (4.0 * x[0]).cos()]);
}

#[test]
fn regression_on_a_disc() {
    let text = "[domain]\nkind = \"ball\"\n[equation]\nresidual = \"u*(2 + x) - sin(3*x + y)\"\n";
    recovers(text, 1e-10, |x| {
        vec![(3.0 * x[0] + x[1]).sin() / (2.0 + x[0])]
    });
}

#[test]
fn a_box_in_three_dimensions() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\nz = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*sin(y/sqrt(2) + z/sqrt(2))\"\n";
    recovers(text, 1e-7, |x| {
        vec![x[0].exp() * ((x[1] + x[2]) / 2f64.sqrt()).sin()]
    });
}

#[test]
fn a_ball_in_three_dimensions() {
    // u = (1 − r²) cos x, zero on the sphere: Δu = −6 cos x + 4 x sin x − u
    let text = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\", \"z\"]\n[functions]\ns = \"x^2 + y^2 + z^2\"\n\
                [equation]\nresidual = \"laplacian(u) + 6*cos(x) - 4*x*sin(x) + (1 - s)*cos(x)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    recovers(text, 1e-7, |x| {
        let square: f64 = x.iter().map(|x| x * x).sum();
        vec![(1.0 - square) * x[0].cos()]
    });
}

/// Numbered coordinates, `dimension` and `each`, a sum over them.
#[test]
fn a_box_in_five_dimensions() {
    let text = "[domain]\nkind = \"box\"\ndimension = 5\neach = [0, 1]\n[equation]\nresidual = \"laplacian(u) + 0.2*u\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"cos(sum(i, 1, 5, x[i])/5)\"\n";
    recovers(text, 1e-7, |x| vec![(x.iter().sum::<f64>() / 5.0).cos()]);
}

/// A sum of functions of two coordinates each: waves in all ten at once would need millions of functions.
#[test]
#[ignore = "takes long: `.ci/long` runs it"]
fn coordinates_that_act_in_pairs() {
    let problem = Problem::builtin("poisson-10d").expect("a built-in problem");
    let wanted = Options {
        target: Some(1e-4),
        ..options()
    };
    let solved = solve(&problem, &wanted);
    let said = solved.decisions().join("\n");
    assert!(said.contains("of 2 coordinates each"), "{said}");
    let error = solved.relative_l2_by[0].expect("an exact solution");
    assert!(error < 1e-3, "{error:.1e}");
    let off = solved.error_estimate / error;
    assert!(
        (0.2..=5.0).contains(&off),
        "{error:.1e}, estimated {off:.1} of it"
    );
}
