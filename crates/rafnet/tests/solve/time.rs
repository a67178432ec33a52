//! Time: initial data of first and second order, ordinary equations, transport with data on the inflow alone.

use crate::{options, read, recovers, recovers_with};
use rafnet::solve::Options;
use std::f64::consts::PI;

#[test]
fn first_order_in_time() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 0.5]\ntime = \"t\"\n[equation]\nresidual = \"u_t - 0.2*u_xx\"\n\
                [[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"sin(pi*x)\"\n";
    recovers(text, 1e-9, |x| {
        vec![(PI * x[0]).sin() * (-0.2 * PI * PI * x[1]).exp()]
    });
}

#[test]
fn second_order_in_time() {
    // sin(πx) (cos πt + sin πt)
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_tt - u_xx\"\n\
                [[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"sin(pi*x)\"\nu_t = \"pi*sin(pi*x)\"\n";
    recovers(text, 1e-9, |x| {
        let t = PI * x[1];
        vec![(PI * x[0]).sin() * (t.cos() + t.sin())]
    });
}

/// Time need not start at zero.
#[test]
fn an_ordinary_equation_of_first_order() {
    let text = "[domain]\nkind = \"interval\"\nt = [1, 3]\ntime = \"t\"\n[equation]\nresidual = \"u_t + u^2\"\n[[initial]]\nu = 1\n";
    recovers(text, 1e-11, |t| vec![1.0 / t[0]]);
}

#[test]
fn an_ordinary_equation_of_second_order() {
    let text = "[domain]\nkind = \"interval\"\nt = [0, 3]\ntime = \"t\"\n[equation]\nresidual = \"u_tt + 2*u_t + 5*u\"\n[[initial]]\nu = 0\nu_t = 2\n";
    recovers(text, 1e-10, |t| vec![(-t[0]).exp() * (2.0 * t[0]).sin()]);
}

/// Characteristics enter at x = 0 and at t = 0, and leave elsewhere: no data there.
#[test]
fn transport_with_inflow_alone() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[equation]\nresidual = \"u_t + 2*u_x\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = \"sin(-2*t)\"\n[[initial]]\nu = \"sin(x)\"\n";
    recovers(text, 1e-9, |x| vec![(x[0] - 2.0 * x[1]).sin()]);
}

/// Narrow pulses that grow on their way cross the box four times as fast as it is wide: functions drawn blindly would need far more of them,
/// and with a coefficient that varies no waves solve the equation by themselves.
#[test]
fn fast_transport_turns_the_axes() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\n[functions]\np = \"exp(-50*(x - 4*t + 2)^2 + x^2/8)\"\n\
                [equation]\nresidual = \"u_t + 4*u_x - x*u\"\n[[boundary]]\non = \"x=0\"\ndirichlet = \"p\"\n[[initial]]\nu = \"p\"\n";
    let options = Options {
        target: Some(1e-5),
        ..options()
    };
    let solved = recovers_with(&options, text, 1e-5, |x| {
        vec![(-50.0 * (x[0] - 4.0 * x[1] + 2.0).powi(2) + x[0].powi(2) / 8.0).exp()]
    });
    let said = solved.decisions().join("\n");
    assert!(said.contains("turned"), "{said}");
}

/// Steady transport on a box in space, with a reaction.
#[test]
fn steady_transport() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\n[equation]\nresidual = \"u_x + u_y + u\"\n\
                [[boundary]]\non = \"x=0\"\ndirichlet = \"exp(-2*y)\"\n[[boundary]]\non = \"y=0\"\ndirichlet = \"exp(x)\"\n";
    recovers(text, 1e-9, |x| vec![(x[0] - 2.0 * x[1]).exp()]);
}

/// Columns are those of the file, whichever comes first.
#[test]
fn columns_follow_the_file() {
    let heat = |domain: &str| {
        format!(
            "[domain]\nkind = \"box\"\n{domain}\ntime = \"t\"\n[equation]\nresidual = \"u_t - u_xx\"\n\
             [[boundary]]\non = \"x\"\ndirichlet = \"exp(t)*cosh(x)\"\n[[initial]]\nu = \"cosh(x)\"\n"
        )
    };
    let (x_first, t_first) = (
        heat("x = [0, 1]\nt = [0, 0.5]"),
        heat("t = [0, 0.5]\nx = [0, 1]"),
    );
    assert_eq!(read(&x_first).coordinates, ["x", "t"]);
    assert_eq!(read(&t_first).coordinates, ["t", "x"]);
    let exact = |x: f64, t: f64| t.exp() * x.cosh();
    let first = recovers(&x_first, 1e-9, |p| vec![exact(p[0], p[1])]);
    let second = recovers(&t_first, 1e-9, |p| vec![exact(p[1], p[0])]);
    let at = |values: Vec<f64>| (values[0] - exact(0.9, 0.1)).abs();
    assert!(at(first.model.eval(&[0.9, 0.1]).expect("a point inside")) < 1e-8);
    assert!(at(second.model.eval(&[0.1, 0.9]).expect("a point inside")) < 1e-8);
}

/// A disc in space with time: all at once.
#[test]
fn a_disc_in_time() {
    let text = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\"]\ntime = \"t\"\nt = [0, 0.5]\n[equation]\nresidual = \"u_t - laplacian(u)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"exp(-t)*cos(x)\"\n[[initial]]\nu = \"cos(x)\"\n";
    recovers(text, 1e-8, |x| vec![(-x[2]).exp() * x[0].cos()]);
}
