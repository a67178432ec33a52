//! Axes that close on themselves: no boundary, and a solution that is periodic whatever its error.

use crate::{Random, recovers};
use rafnet::Streams;
use rafnet::expr::largest;
use rafnet::solve::Solved;
use std::f64::consts::{PI, TAU};

/// The largest jump of u and of its first derivatives from one end of an axis to the other, and the largest of them.
fn jump(solved: &Solved, low: f64, high: f64, other: [f64; 2]) -> [f64; 2] {
    let mut random = Random(5);
    let rest: Vec<f64> = (0..20)
        .map(|_| other[0] + (other[1] - other[0]) * random.unit())
        .collect();
    let jets = [low, high].map(|end| {
        let points: Vec<f64> = rest.iter().flat_map(|y| [end, *y]).collect();
        solved
            .model
            .jet(&points, Streams::laplacian())
            .expect("points on the boundary")
    });
    let column = |k: usize| {
        let mut column = jets[k].value(0).to_vec();
        column.extend_from_slice(jets[k].gradient(0, 0).expect("u_x"));
        column.extend_from_slice(jets[k].gradient(0, 1).expect("the other"));
        column
    };
    let (at_low, at_high) = (column(0), column(1));
    let off = at_low.iter().zip(&at_high).map(|(a, b)| (a - b).abs());
    let size = largest(at_low.iter().map(|a| a.abs()));
    [largest(off), size]
}

#[test]
fn a_ring_in_time() {
    let text = "[domain]\nkind = \"box\"\nx = [0, \"2*pi\"]\nt = [0, 1]\ntime = \"t\"\nperiodic = [\"x\"]\n\
                [equation]\nresidual = \"u_t + u_x - 0.5*u_xx\"\n[[initial]]\nu = \"cos(x)\"\n";
    let solved = recovers(text, 1e-10, |x| {
        vec![(-0.5 * x[1]).exp() * (x[0] - x[1]).cos()]
    });
    // the layer has whole waves alone: what is left is the rounding of 2πk in the phases
    let [jump, size] = jump(&solved, 0.0, TAU, [0.0, 1.0]);
    assert!(jump < 1e-11 * size, "a jump of {jump:.1e}");
}

/// Periodic along x, walls along y, and an axis that does not start at zero.
#[test]
fn a_channel() {
    let text = "[domain]\nkind = \"box\"\nx = [-1, 1]\ny = [0, 1]\nperiodic = [\"x\"]\n\
                [equation]\nresidual = \"-laplacian(u) - 2*pi^2*sin(pi*x)*sin(pi*y)\"\n[[boundary]]\non = \"y\"\ndirichlet = 0\n";
    let solved = recovers(text, 1e-10, |x| vec![(PI * x[0]).sin() * (PI * x[1]).sin()]);
    let [jump, size] = jump(&solved, -1.0, 1.0, [0.0, 1.0]);
    assert!(jump < 1e-11 * size, "a jump of {jump:.1e}");
}

/// A torus has no boundary at all: the mean fixes the constant.
#[test]
fn a_torus() {
    let text = "[domain]\nkind = \"box\"\nx = [0, 1]\ny = [0, 1]\nperiodic = [\"x\", \"y\"]\n\
                [equation]\nresidual = \"-laplacian(u) - 8*pi^2*sin(2*pi*x)*cos(2*pi*y)\"\n[[condition]]\nmean = \"u\"\nvalue = 1\n";
    recovers(text, 1e-10, |x| {
        vec![(TAU * x[0]).sin() * (TAU * x[1]).cos() + 1.0]
    });
}

/// An interval alone, where u itself enters the equation.
#[test]
fn a_closed_line() {
    let text = "[domain]\nkind = \"interval\"\nx = [0, 3]\nperiodic = [\"x\"]\n[parameters]\nk = \"2*pi/3\"\n\
                [equation]\nresidual = \"-u_xx + u - (1 + k^2)*cos(k*x)\"\n";
    recovers(text, 1e-12, |x| vec![(TAU / 3.0 * x[0]).cos()]);
}
