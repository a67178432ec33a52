//! One step against values of an independent implementation (f64): loss, its parts, and gradients.

use super::drift::Drift;
use super::loss::{Average, Figures, Loss};
use super::paths::Paths;
use crate::activation::Set;
use crate::engine::{Device, Objective, Regression};
use crate::network::{Bias, Inputs, Layer, Network};
use crate::problem::Problem;
use std::sync::Arc;

/// loss, mean h, mean C², ȳ of the batch, ȳ, δ, then derivatives: λ, y's W₀[1][2] and output bias, z's W₀[3][0] and output bias 1, and
/// the squared norms of both gradients.
type Golden = [f64; 15];

const RELU: Golden = [
    1.22209071177779e+03,
    5.87237452018616e-01,
    3.17426629879585e+01,
    1.30624845008009e+01,
    1.07899876006408e+01,
    9.11681896168326e-01,
    9.62695974558482e-01,
    -6.13590810203973e-02,
    -2.77294036314862e+02,
    -8.34489758244254e+01,
    -5.07473061847302e+01,
    5.01088832162687e+01,
    2.36745607594219e+01,
    3.19019490018746e+05,
    8.41474897430382e+06,
];
/// Large values: Y is clipped, and h a line.
const RELU3: Golden = [
    2.30002273669969e+09,
    8.45373156312576e+04,
    1.10774271053422e+08,
    2.16470889437138e+07,
    1.73176714949710e+07,
    4.30218942196385e+02,
    -9.37840641862997e+02,
    1.73441334614582e-01,
    -6.32064875673118e-01,
    3.31799034317080e+05,
    -2.67383223734248e+02,
    4.96827474017211e+09,
    1.82532511604572e+05,
    7.48578506948895e+13,
    6.68672914112194e+20,
];
const PSG: Golden = [
    2.32189282566597e+04,
    1.31719911607822e+01,
    5.02346854793878e+02,
    6.77175568719104e+01,
    5.45140454975283e+01,
    5.48426028340644e+00,
    1.98344214648185e+00,
    -2.34623525626836e+00,
    -1.66286595361230e+03,
    8.37744544210845e+00,
    -4.85127598045108e+02,
    -1.77788252928705e-04,
    1.24511834698125e+02,
    5.13855871928837e+07,
    1.81614211279141e+09,
];

fn network(set: &Set, outputs: usize) -> Network {
    let layers = vec![
        Layer::dense(set.clone().shared_out(4, 0.1)),
        Layer::dense(set.clone().shared_out(4, 0.1)),
        Layer::linear(outputs, Bias::Yes),
    ];
    Network::new(Inputs::periodic(2, 2), layers).expect("a network")
}

/// W = √(6/(n_in + n_out)) sin(o + 1 + 0.37 l + 0.91 i + 0.53 j), b = 0.1 cos(o + 2 + 0.41 l + 0.77 i)
fn parameters(network: &Network, offset: f64) -> Vec<f64> {
    let mut theta = Vec::new();
    let widths = [8, 4, 4, network.n_outputs()];
    for l in 0..3 {
        let (inputs, outputs) = (widths[l], widths[l + 1]);
        let bound = (6.0 / (inputs + outputs) as f64).sqrt();
        let o = offset + 0.37 * l as f64;
        for i in 0..outputs {
            for j in 0..inputs {
                theta.push(bound * (o + 1.0 + 0.91 * i as f64 + 0.53 * j as f64).sin());
            }
        }
        let o = offset + 0.41 * l as f64;
        theta.extend((0..outputs).map(|i| 0.1 * (o + 2.0 + 0.77 * i as f64).cos()));
    }
    theta
}

fn paths() -> Paths {
    let (m, k, dt) = (3, 4, 0.025f64);
    let mut paths = Paths {
        dimension: 2,
        steps: k,
        dt,
        start: Vec::new(),
        increments: Vec::new(),
    };
    for m in 0..m {
        for i in 0..2 {
            paths
                .start
                .push(0.5 + 1.1 * f64::from(m) + 0.7 * f64::from(i));
        }
        for k in 0..k {
            for i in 0..2 {
                let phase = 1.0 + 0.9 * f64::from(m) + 1.7 * f64::from(i) + 2.3 * k as f64;
                paths.increments.push(dt.sqrt() * phase.sin());
            }
        }
    }
    paths
}

fn step(set: &Set) -> (Figures, Vec<f64>, [usize; 2]) {
    let problem = Problem::builtin("schrodinger-d2").expect("a built-in problem");
    let eigen = problem.eigen.clone().expect("an eigenvalue problem");
    let (y, z) = (network(set, 1), network(set, 2));
    let mut theta = parameters(&y, 0.0);
    theta.extend(parameters(&z, 5.0));
    theta.push(-3.2);
    let sizes = [y.n_parameters(), z.n_parameters()];
    let engine = |network: Network, outputs: usize| {
        let objective = Objective::new(network, Arc::new(Regression { outputs }));
        Device::Cpu.engine(objective, 1).expect("an engine")
    };
    let mut loss = Loss {
        y: engine(y, 1),
        z: engine(z, 2),
        drift: Drift::of(&problem, &eigen).expect("a drift"),
        sizes,
    };
    let average = Average {
        mean: 1.7,
        decay: 0.2,
    };
    let mut gradient = vec![0.0; theta.len()];
    let figures = loss.gradient(&theta, &paths(), average, &mut gradient);
    (figures.expect("figures"), gradient, sizes)
}

#[test]
fn one_step_has_the_values_of_an_independent_implementation() {
    for (set, golden) in [(Set::Relu, RELU), (Set::Relu3, RELU3), (Set::Psg, PSG)] {
        let (figures, gradient, [n_y, n_z]) = step(&set);
        let square = |part: &[f64]| part.iter().map(|g| g * g).sum::<f64>();
        let of_z = &gradient[n_y..n_y + n_z];
        let found = [
            figures.loss,
            figures.mismatch,
            figures.consistency,
            figures.batch,
            figures.average,
            figures.deltas[0],
            figures.deltas[1],
            figures.deltas[2],
            gradient[n_y + n_z],
            gradient[8 + 2],
            gradient[n_y - 1],
            of_z[3 * 8],
            of_z[n_z - 1],
            square(&gradient[..n_y]),
            square(of_z),
        ];
        for (k, (found, golden)) in found.iter().zip(golden).enumerate() {
            let bound = if k < 8 { 1e-10 } else { 1e-8 };
            assert!(
                (found - golden).abs() <= bound * golden.abs(),
                "{set:?}, figure {k}: {found:e} for {golden:e}"
            );
        }
    }
}
