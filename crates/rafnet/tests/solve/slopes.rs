//! Slopes on the boundary: Neumann, Robin, general conditions, and the mean that closes a pure Neumann problem.

use crate::recovers;
use std::f64::consts::PI;

#[test]
fn neumann_at_one_end() {
    // u = exp(x): the outward normal at 0 is −x
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - u\"\n\
                [[boundary]]\non = \"x=0\"\nneumann = -1\n[[boundary]]\non = \"x=1\"\ndirichlet = \"e\"\n";
    recovers(text, 1e-11, |x| vec![x[0].exp()]);
}

/// The outward normal of a ball varies: `n_x` and `n_y` are its components.
#[test]
fn neumann_on_a_ball() {
    let text = "[domain]\nkind = \"ball\"\nradius = 1.5\n[equation]\nresidual = \"-laplacian(u) + u - 2*sin(x)\"\n\
                [[boundary]]\non = \"all\"\nneumann = \"n_x*cos(x)\"\n";
    recovers(text, 1e-9, |x| vec![x[0].sin()]);
}

#[test]
fn robin_on_a_box() {
    // u = exp(x + y), ∂u/∂n = (n_x + n_y) u
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"-laplacian(u) + 2*u\"\n\
                [[boundary]]\non = \"all\"\nrobin = { a = \"2 + x\", b = 3, g = \"(2 + x + 3*n_x + 3*n_y)*exp(x + y)\" }\n";
    recovers(text, 1e-9, |x| vec![(x[0] + x[1]).exp()]);
}

/// Radiation: a condition that is nonlinear in u.
#[test]
fn radiation_at_one_end() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 1\n[[boundary]]\non = \"x=1\"\nresidual = \"u_n + u^4 - (e + exp(4))\"\n";
    recovers(text, 1e-11, |x| vec![x[0].exp()]);
}

#[test]
fn radiation_on_a_ball() {
    // u = 2 + eˣ cos(y)/4, harmonic
    let text = "[domain]\nkind = \"ball\"\n[functions]\nsol = \"2 + exp(x)*cos(y)/4\"\n[equation]\nresidual = \"laplacian(u)\"\n\
                [guess]\nu = 2\n[[boundary]]\non = \"all\"\nresidual = \"u_n + u^4 - n_x*sol_x - n_y*sol_y - sol^4\"\n";
    recovers(text, 1e-9, |x| vec![2.0 + x[0].exp() * x[1].cos() / 4.0]);
}

/// Several kinds on one box; where two meet, the later one wins.
#[test]
fn one_kind_a_side() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*cos(y)\"\n\
                [[boundary]]\non = \"y=1\"\nneumann = \"-exp(x)*sin(1)\"\n\
                [[boundary]]\non = \"x=1\"\nrobin = { a = 1, b = 2, g = \"3*e*cos(y)\" }\n";
    recovers(text, 1e-9, |x| vec![x[0].exp() * x[1].cos()]);
}

/// A condition on those points of the boundary where another text holds.
#[test]
fn a_part_of_the_boundary_by_a_condition() {
    let text = "[domain]\nkind = \"ball\"\n[equation]\nresidual = \"laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(x)*cos(y)\"\n\
                [[boundary]]\non = \"y > 0.5\"\nneumann = \"n_x*exp(x)*cos(y) - n_y*exp(x)*sin(y)\"\n";
    recovers(text, 1e-9, |x| vec![x[0].exp() * x[1].cos()]);
}

#[test]
fn a_mean_closes_a_neumann_problem() {
    // u = cos(πx) cos(πy) + 3 has the mean 3
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n\
                [equation]\nresidual = \"-laplacian(u) - 2*pi^2*cos(pi*x)*cos(pi*y)\"\n\
                [[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\nmean = \"u\"\nvalue = 3\n";
    recovers(text, 1e-9, |x| {
        vec![(PI * x[0]).cos() * (PI * x[1]).cos() + 3.0]
    });
}

#[test]
fn a_mean_on_an_interval() {
    // u = x² has the mean 1/3
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xx - 2\"\n\
                [[boundary]]\non = \"x=0\"\nneumann = 0\n[[boundary]]\non = \"x=1\"\nneumann = 2\n\
                [[condition]]\nmean = \"u\"\nvalue = \"1/3\"\n";
    recovers(text, 1e-11, |x| vec![x[0] * x[0]]);
}
