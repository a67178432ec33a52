//! Differential operators and coefficients: manufactured and hand-made solutions are recovered.

use crate::recovers;
use std::f64::consts::PI;

/// The operator on a square, its source derived from u = sin(x + 2y) + x y, whose values stand on the boundary.
fn manufactured(rest: &str, residual: &str) {
    let text = format!(
        "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n{rest}\n[equation]\nresidual = \"{residual} - f\"\nsource = \"manufactured\"\n\
         [[boundary]]\non = \"all\"\ndirichlet = \"sin(x + 2*y) + x*y\"\n[exact]\nu = \"sin(x + 2*y) + x*y\"\n"
    );
    let solved = recovers(&text, 1e-9, |x| {
        vec![(x[0] + 2.0 * x[1]).sin() + x[0] * x[1]]
    });
    // the library's own report agrees
    assert!(solved.relative_l2_by[0].is_some_and(|error| error < 1e-9));
}

#[test]
fn divergence_of_a_flux() {
    let functions = "[functions]\na = \"2 + cos(x)*y\"";
    manufactured(functions, "-div(a*grad(u)) + u");
}

#[test]
fn gradients_in_products() {
    let parameters = "[parameters]\nb = [3, -1]\n[functions]\nw = \"x^2 + y\"";
    manufactured(
        parameters,
        "-laplacian(u) + dot(b, grad(u)) + dot(grad(w), grad(u))",
    );
}

#[test]
fn mixed_derivatives() {
    // elliptic: 2·1 > 0.5²
    manufactured("", "-(2*u_xx + u_xy + u_yy)");
}

#[test]
fn nonlinear_in_first_derivatives() {
    manufactured("", "-laplacian(u) + u_x^2 + sin(u)*u_y");
}

#[test]
fn nonlinear_in_second_derivatives() {
    manufactured("[guess]\nu = \"x + 2*y\"", "-laplacian(u) - 0.1*u_xx*u");
}

/// The same operator spelled in three ways.
#[test]
fn spellings_of_one_operator() {
    for residual in ["d(u, x, x) + d(u, y, y)", "div(grad(u))", "u_xx + u_yy"] {
        let text = format!(
            "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"{residual}\"\n\
             [[boundary]]\non = \"all\"\ndirichlet = \"x^2 - y^2 + 1\"\n"
        );
        recovers(&text, 1e-11, |x| vec![x[0] * x[0] - x[1] * x[1] + 1.0]);
    }
}

/// Euler's equation, whose coefficients vary: x² u″ + x u′ − u = 0 has x and 1/x.
#[test]
fn variable_coefficients() {
    let text = "[domain]\nkind = \"interval\"\nx = [1, 2]\n[equation]\nresidual = \"x^2*u_xx + x*u_x - u\"\n\
                [[boundary]]\non = \"x=1\"\ndirichlet = 2\n[[boundary]]\non = \"x=2\"\ndirichlet = 2.5\n";
    recovers(text, 1e-11, |x| vec![x[0] + 1.0 / x[0]]);
}

/// A coefficient that jumps, on a residual that is zero on both sides of the jump.
#[test]
fn coefficients_by_cases() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\n\
                residual = \"where(x < 0.5, 1, 2)*(u_xx + pi^2*sin(pi*x))\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n";
    recovers(text, 1e-11, |x| vec![(PI * x[0]).sin()]);
}
