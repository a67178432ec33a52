//! Several unknowns.

use crate::{error, options, read, recovers, solve};
use std::f64::consts::PI;

/// Coupled and nonlinear, one unknown with zero values and one without.
#[test]
fn two_elliptic_equations() {
    // u = sin(πx), v = exp(x)
    let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n\
                [equation]\nresidual = [\"u_xx + pi^2*u + u*v - sin(pi*x)*exp(x)\", \"v_xx - v + u - sin(pi*x)\"]\n\
                [[boundary]]\nunknown = \"u\"\non = \"x=0\"\ndirichlet = 0\n\
                [[boundary]]\nunknown = \"u\"\non = \"x=1\"\nneumann = \"-pi\"\n\
                [[boundary]]\nunknown = \"v\"\non = \"x=0\"\ndirichlet = 1\n\
                [[boundary]]\nunknown = \"v\"\non = \"x=1\"\ndirichlet = \"e\"\n";
    recovers(text, 1e-10, |x| vec![(PI * x[0]).sin(), x[0].exp()]);
}

/// Predator and prey rotate: a first-order system in time alone.
#[test]
fn a_rotation() {
    let text = "unknowns = [\"p\", \"q\"]\n[domain]\nkind = \"interval\"\nt = [0, 6]\ntime = \"t\"\n\
                [equation]\nresidual = [\"p_t - q\", \"q_t + p\"]\n[[initial]]\np = 0\nq = 1\n";
    recovers(text, 1e-10, |t| vec![t[0].sin(), t[0].cos()]);
}

/// u_x = v_y, u_y = −v_x: real and imaginary part of exp(x + iy), u given on the boundary and v at one side.
#[test]
fn cauchy_and_riemann() {
    let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n\
                [equation]\nresidual = [\"u_x - v_y\", \"u_y + v_x\"]\n\
                [[boundary]]\nunknown = \"u\"\non = \"all\"\ndirichlet = \"exp(x)*cos(y)\"\n\
                [[boundary]]\nunknown = \"v\"\non = \"x=0\"\ndirichlet = \"sin(y)\"\n";
    recovers(text, 1e-9, |x| {
        vec![x[0].exp() * x[1].cos(), x[0].exp() * x[1].sin()]
    });
}

/// A condition that ties the unknowns together on the boundary.
#[test]
fn a_condition_between_unknowns() {
    let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"interval\"\nx = [0, 1]\n\
                [equation]\nresidual = [\"u_xx - u\", \"v_xx + v\"]\n\
                [[boundary]]\nunknown = \"u\"\non = \"x=0\"\ndirichlet = 1\n\
                [[boundary]]\nunknown = \"v\"\non = \"x=0\"\ndirichlet = 1\n\
                [[boundary]]\non = \"x=1\"\nresidual = \"u + v - e - cos(1)\"\n\
                [[boundary]]\non = \"x=1\"\nresidual = \"u_x - v_x - e - sin(1)\"\n";
    recovers(text, 1e-10, |x| vec![x[0].exp(), x[0].cos()]);
}

/// The report names each unknown's own error, and the worst of them is the error.
#[test]
fn each_unknown_has_its_error() {
    let text = "unknowns = [\"p\", \"q\"]\n[domain]\nkind = \"interval\"\nt = [0, 1]\ntime = \"t\"\n\
                [equation]\nresidual = [\"p_t - q\", \"q_t + p\"]\n[[initial]]\np = 0\nq = 1\n[exact]\np = \"sin(t)\"\nq = \"1.5*cos(t)\"\n";
    let problem = read(text);
    let solved = solve(&problem, &options());
    let by: Vec<f64> = solved.relative_l2_by.iter().flatten().copied().collect();
    assert!(by[0] < 1e-10, "{by:?}");
    // cos against 1.5 cos is off by a third
    assert!((by[1] - 1.0 / 3.0).abs() < 1e-9, "{by:?}");
    let ours = error(&problem, &solved, |t| vec![t[0].sin(), 1.5 * t[0].cos()]);
    assert!((ours - 1.0 / 3.0).abs() < 1e-9);
}
