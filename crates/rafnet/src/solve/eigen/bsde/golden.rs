//! One step against values of an independent implementation (f64): loss, its parts, and gradients.

use super::drift::Drift;
use super::loss::{Average, Figures, Loss};
use super::paths::Paths;
use crate::activation::Set;
use crate::engine::{Device, Objective};
use crate::expr::largest;
use crate::network::{Bias, Inputs, Layer, Network};
use crate::problem::Problem;
use crate::solve::Mode;
use std::f64::consts::SQRT_2;
use std::sync::Mutex;

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
        Layer::dense(set.shared_out(4, 0.1)),
        Layer::dense(set.shared_out(4, 0.1)),
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
    let mut paths = Paths::new(2, (3, 4), 0.1);
    let dt = 0.025f64;
    for m in 0..3 {
        let of = |m: usize| f64::from(u8::try_from(m).expect("a small number"));
        for i in 0..2 {
            paths.points[m * 10 + i] = 0.5 + 1.1 * of(m) + 0.7 * of(i);
        }
        for j in 0..8 {
            let (k, i) = (j / 2, j % 2);
            let dw = dt.sqrt() * (1.0 + 0.9 * of(m) + 1.7 * of(i) + 2.3 * of(k)).sin();
            paths.increments[m * 8 + j] = dw;
            paths.points[m * 10 + 2 + j] = paths.points[m * 10 + j] + SQRT_2 * dw;
        }
    }
    paths
}

/// The loss on networks of that activation, weights and λ in one vector, and how many weights are y's and z's.
fn loss(set: &Set, mode: Mode) -> (Loss, Vec<f64>, [usize; 2]) {
    let problem = Problem::builtin("schrodinger-d2").expect("a built-in problem");
    let eigen = problem.eigen.clone().expect("an eigenvalue problem");
    let (y, z) = (network(set, 1), network(set, 2));
    let mut theta = parameters(&y, 0.0);
    let mut sizes = [y.n_parameters(), 0];
    if mode == Mode::Consistent {
        theta.extend(parameters(&z, 5.0));
        sizes[1] = z.n_parameters();
    }
    theta.push(-3.2);
    let engine = |network: &Network| {
        let objective = Objective::values(network.clone());
        Device::CPU.engine(objective, 1).expect("an engine")
    };
    let loss = Loss {
        y: engine(&y),
        z: (mode == Mode::Consistent).then(|| engine(&z)),
        drift: Drift::of(&problem, &eigen).expect("a drift"),
        sizes,
        rooms: Mutex::default(),
    };
    (loss, theta, sizes)
}

const AVERAGE: Average = Average {
    mean: 1.7,
    decay: 0.2,
};

fn step(set: &Set) -> (Figures, Vec<f64>, [usize; 2]) {
    let (mut loss, theta, sizes) = loss(set, Mode::Consistent);
    let mut gradient = vec![0.0; theta.len()];
    let figures = loss.gradient(&theta, &paths(), AVERAGE, &mut gradient);
    (figures.expect("figures"), gradient, sizes)
}

/// In both modes the gradient is that of the loss: by every weight and by λ, against difference quotients, with a network that is
/// large enough and one that is penalised for being small.
#[test]
fn both_modes_have_the_gradient_of_their_loss() {
    for (mode, size) in [
        (Mode::Consistent, 2.0),
        (Mode::Gradient, 2.0),
        (Mode::Consistent, 0.3),
        (Mode::Gradient, 0.3),
    ] {
        let (mut loss, mut theta, [n_y, _]) = loss(&Set::Tanh, mode);
        // the output layer of y: 4 weights and a bias
        theta[n_y - 5..n_y].iter_mut().for_each(|w| *w *= size);
        let average = Average {
            mean: 1.7 * size * size,
            ..AVERAGE
        };
        let paths = paths();
        let mut of = |theta: &[f64]| {
            let mut gradient = vec![0.0; theta.len()];
            let figures = loss.gradient(theta, &paths, average, &mut gradient);
            (figures.expect("figures"), gradient)
        };
        let (figures, gradient) = of(&theta);
        assert!(
            (figures.average < 2.0) == (size < 1.0),
            "{}",
            figures.average
        );
        let largest = largest(gradient.iter().map(|g| g.abs()));
        for k in 0..theta.len() {
            let step = 1e-5;
            let mut at = |offset: f64| {
                let mut moved = theta.clone();
                moved[k] += offset;
                of(&moved).0.loss
            };
            let quotient = (at(step) - at(-step)) / (2.0 * step);
            assert!(
                (gradient[k] - quotient).abs() < 1e-6 * largest,
                "{mode:?}, {k}: {} for {quotient}",
                gradient[k]
            );
        }
    }
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
