//! Periodic axes for trained networks: the sine and cosine of the axis as inputs, and the axis itself as none.
//!
//! ```text
//! u(x) = φ( sin(2π (x − a)/L), cos(2π (x − a)/L), the other coordinates )
//! ```
//!
//! A network always has its coordinates as inputs; the weights of a periodic one are zero and stay it.

use crate::expr::{Expr, Leaf, Unary};
use crate::network::{Encoding, Network};
use crate::problem::Problem;
use std::f64::consts::TAU;

/// The problem with a sine and a cosine of each periodic axis among its features.
pub(crate) fn with_waves(problem: &Problem) -> Problem {
    let mut changed = problem.clone();
    for &axis in &problem.periodic {
        let [low, high] = problem.domain.bounds()[axis];
        let x = Expr::leaf(Leaf::Coordinate(axis));
        let phase = (x - Expr::number(low)).scaled(TAU / (high - low));
        for function in [Unary::Sin, Unary::Cos] {
            let name = fresh_name(
                &changed,
                &format!("{}_{}", function.name(), problem.coordinates[axis]),
            );
            changed.features.push((name, phase.clone().apply(function)));
        }
    }
    changed
}

/// A name that nothing else has.
fn fresh_name(problem: &Problem, wanted: &str) -> String {
    let names = problem.coordinates.iter().chain(&problem.unknowns);
    let features = problem.features.iter().map(|f| &f.0);
    let taken: Vec<&String> = names.chain(features).collect();
    let mut name = wanted.to_owned();
    while taken.iter().any(|t| **t == name) {
        name.push('_');
    }
    name
}

/// The places of the weights that read a periodic axis as it is; a network with waves of its own has none.
pub(super) fn closed_weights(problem: &Problem, network: &Network) -> Vec<usize> {
    if network.inputs().encoding != Encoding::Raw {
        return Vec::new();
    }
    let (first, width) = (network.layout().layers[0].weight, network.inputs().width());
    let rows = 0..network.layers()[0].width;
    rows.flat_map(|row| {
        problem
            .periodic
            .iter()
            .map(move |axis| first + row * width + axis)
    })
    .collect()
}
