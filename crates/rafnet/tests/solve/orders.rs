//! Third and fourth derivatives, written as they are.

use crate::{options, read, recovers, solve};
use std::f64::consts::PI;

/// Clamped, hinged and free ends: every condition that a beam has.
#[test]
fn beams() {
    let beam = |ends: &str| {
        format!(
            "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xxxx - 24\"\n{ends}"
        )
    };
    let on = |end: &str, what: &str| format!("[[boundary]]\non = \"{end}\"\n{what}\n");
    let clamped = on("all", "dirichlet = 0") + &on("all", "neumann = 0");
    recovers(&beam(&clamped), 1e-11, |x| {
        vec![(x[0] * (1.0 - x[0])).powi(2)]
    });
    let hinged = on("all", "dirichlet = 0") + &on("all", "residual = \"u_xx\"");
    recovers(&beam(&hinged), 1e-11, |x| {
        vec![x[0].powi(4) - 2.0 * x[0].powi(3) + x[0]]
    });
    let free = on("x=0", "dirichlet = 0")
        + &on("x=0", "neumann = 0")
        + &on("x=1", "residual = \"u_xx\"")
        + &on("x=1", "residual = \"u_xxx\"");
    recovers(&beam(&free), 1e-11, |x| {
        vec![x[0].powi(4) - 4.0 * x[0].powi(3) + 6.0 * x[0].powi(2)]
    });
}

/// A helper is no output, has no error of its own and does not count as an unknown.
#[test]
fn helpers_are_not_shown() {
    let problem = rafnet::Problem::builtin("beam").expect("a problem");
    let solved = solve(&problem, &options());
    assert_eq!(solved.relative_l2_by.len(), 1);
    let names: Vec<&str> = solved
        .model
        .parts()
        .outputs
        .iter()
        .map(|o| o.name.as_str())
        .collect();
    assert_eq!(names, ["u"]);
    assert_eq!(solved.model.eval(&[0.3, 0.6]).expect("two points").len(), 2);
}

/// Plates: the biharmonic operator in a rectangle, hinged, and on a disc, clamped.
#[test]
fn plates() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 2]\n\
                [equation]\nresidual = \"laplacian(laplacian(u)) - 25*pi^4/16*sin(pi*x)*sin(pi*y/2)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n[[boundary]]\non = \"all\"\nresidual = \"laplacian(u)\"\n";
    recovers(text, 1e-10, |x| {
        vec![(PI * x[0]).sin() * (PI * x[1] / 2.0).sin()]
    });
    let text = "[domain]\nkind = \"ball\"\n[equation]\nresidual = \"laplacian(laplacian(u)) - 64\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = 0\n[[boundary]]\non = \"all\"\nneumann = 0\n";
    recovers(text, 1e-10, |x| {
        vec![(1.0 - x[0] * x[0] - x[1] * x[1]).powi(2)]
    });
}

/// A third derivative in time is three initial values; one in space and time has its own on each side.
#[test]
fn third_order() {
    let text = "[domain]\nkind = \"interval\"\nt = [0, 2]\ntime = \"t\"\n[equation]\nresidual = \"u_ttt + u_t\"\n\
                [[initial]]\nu = 0\nu_t = 1\nu_tt = 0\n";
    recovers(text, 1e-10, |t| vec![t[0].sin()]);
    // u = sin(x + t) solves u_t + u_xxx = 0
    let text = "[domain]\nkind = \"box\"\nx = [0, 2]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t + u_xxx\"\n\
                [[initial]]\nu = \"sin(x)\"\n[[boundary]]\non = \"x\"\ndirichlet = \"sin(x + t)\"\n\
                [[boundary]]\non = \"x=2\"\nresidual = \"u_x - cos(x + t)\"\n";
    recovers(text, 1e-8, |x| vec![(x[0] + x[1]).sin()]);
}

/// Kuramoto and Sivashinsky's operator on a ring, where nothing has an edge.
#[test]
fn fourth_order_on_a_ring() {
    // sin(x) grows with λ = 1 − 1/4: u_t + u_xx + u_xxxx/4 = 0
    let text = "[domain]\nkind = \"box\"\nx = [0, \"2*pi\"]\nt = [0, 1]\ntime = \"t\"\nperiodic = [\"x\"]\n\
                [equation]\nresidual = \"u_t + u_xx + u_xxxx/4\"\n[[initial]]\nu = \"sin(x)\"\n";
    recovers(text, 1e-9, |x| vec![(0.75 * x[1]).exp() * x[0].sin()]);
}

/// Figures of derivatives that the equation has: the shear force at the clamped end of a beam is what holds up its load.
#[test]
fn figures_of_high_derivatives() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 1]\n[equation]\nresidual = \"u_xxxx - 24\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = 0\n[[boundary]]\non = \"x=0\"\nneumann = 0\n\
                [[boundary]]\non = \"x=1\"\nresidual = \"u_xx\"\n[[boundary]]\non = \"x=1\"\nresidual = \"u_xxx\"\n\
                [[report]]\nname = \"shear\"\nvalue = \"u_xxx\"\nat = [0]\n";
    let solved = solve(&read(text), &options());
    let shear = &solved.reports[0];
    assert!((shear.value + 24.0).abs() < 1e-9, "{shear:?}");
    assert!((shear.value + 24.0).abs() < 50.0 * shear.error_estimate.max(1e-14));
}
