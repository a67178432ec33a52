//! Linear equations with constant coefficients whose waves solve them by themselves.

use crate::{recovers, recovers_with};
use rafnet::solve::{Method, Options};
use std::f64::consts::PI;

fn lsq() -> Options {
    Options {
        method: Method::Lsq,
        ..crate::options()
    }
}

/// Fifty times around a circle: blind waves would have to resolve 50 periods in time.
#[test]
fn transport_fifty_times_around() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 1]\ntime = \"t\"\nperiodic = [\"x\"]\n\
                [equation]\nresidual = \"u_t + 50*u_x\"\n[[initial]]\nu = \"exp(sin(2*pi*x))\"\n";
    let solved = recovers(text, 1e-12, |p| {
        vec![(2.0 * PI * (p[0] - 50.0 * p[1])).sin().exp()]
    });
    let said = &solved.decisions()[0];
    assert!(said.contains("waves of the equation"), "{said}");
}

/// Two unknowns that carry each other, as pressure and velocity do: the determinant has the speeds ±2.
#[test]
fn a_pair_of_first_order() {
    let text = "unknowns = [\"u\", \"v\"]\n[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 3]\ntime = \"t\"\nperiodic = [\"x\"]\n\
                [equation]\nresidual = [\"u_t + 4*v_x\", \"v_t + u_x\"]\n[[initial]]\nu = \"cos(2*pi*x)\"\nv = 0\n";
    recovers_with(&lsq(), text, 1e-12, |p| {
        let (x, t) = (2.0 * PI * p[0], 4.0 * PI * p[1]);
        vec![x.cos() * t.cos(), 0.5 * x.sin() * t.sin()]
    });
}

/// Six wavelengths across a disc, and a source: half of the sines are waves of the equation, the others make what the source makes.
#[test]
fn helmholtz_on_a_disc_with_a_source() {
    let text = "[domain]\nkind = \"ball\"\ncoordinates = [\"x\", \"y\"]\ncenter = [0, 0]\nradius = 1\n\
                [equation]\nresidual = \"laplacian(u) + 400*u - 401*exp(y)\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"sin(12*x + 16*y) + exp(y)\"\n";
    recovers_with(&lsq(), text, 1e-10, |p| {
        vec![(12.0 * p[0] + 16.0 * p[1]).sin() + p[1].exp()]
    });
}

/// A pulse that comes back from two walls twenty times: u = ½ (F(x − t) + F(x + t)) with F odd about both.
#[test]
fn a_pulse_between_walls() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\nt = [0, 20]\ntime = \"t\"\n\
                [equation]\nresidual = \"u_tt - u_xx\"\n[[boundary]]\non = \"x\"\ndirichlet = 0\n\
                [[initial]]\nu = \"exp(-(x-0.45)^2/0.005)\"\nu_t = 0\n";
    let odd = |x: f64| {
        let x = x - 2.0 * (0.5 * (x + 1.0)).floor();
        let pulse = |x: f64| (-(x - 0.45).powi(2) / 0.005).exp();
        if x < 0.0 { -pulse(-x) } else { pulse(x) }
    };
    let solved = recovers_with(&lsq(), text, 1e-11, |p| {
        vec![0.5 * (odd(p[0] - p[1]) + odd(p[0] + p[1]))]
    });
    let said = solved.decisions().join("\n");
    assert!(said.contains("between walls"), "{said}");
}

/// Around a hole one layer of them is not complete, on pieces of many wavelengths it is: nine wavelengths across take a few dozen of these.
#[test]
fn helmholtz_around_a_hole_in_pieces() {
    let text = "[domain]\nkind = \"annulus\"\ncoordinates = [\"x\", \"y\"]\ncenter = [0, 0]\ninner = 0.4\nouter = 1.4\n\
                [equation]\nresidual = \"laplacian(u) + 400*u\"\n\
                [[boundary]]\non = \"all\"\ndirichlet = \"sin(12*x + 16*y) + cos(20*y)\"\n";
    let options = Options {
        method: Method::Pieces,
        target: Some(1e-7),
        ..crate::options()
    };
    let solved = recovers_with(&options, text, 1e-6, |p| {
        vec![(12.0 * p[0] + 16.0 * p[1]).sin() + (20.0 * p[1]).cos()]
    });
    let parts = solved.model.parts();
    let has_waves = parts.features.iter().any(|f| f.name == "wave1");
    assert!(has_waves, "{:?}", solved.decisions());
    assert!(parts.pieces.len() < 60, "{}", parts.pieces.len());
}
