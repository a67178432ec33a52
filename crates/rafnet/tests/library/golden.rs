//! Networks against golden values: the residual network with its operators, gradients and tangent kernels, and the
//! coordinate network (reference values 9.4 and 9.5 of the experiments' specification, computed by automatic
//! differentiation in another language). Values to 1e-10 relative or better, as printed (15 digits).

use crate::common::{Equation, Known, Pde, box_factor, close, disc_factor};
use rafnet::activation::{Set, Signal};
use rafnet::engine::{Ansatz, Batch, Device, Engine, Objective, Regression, Streams};
use rafnet::network::{Inputs, Network};
use std::sync::Arc;

/// W[i][j] = sin(1 + 0.37 l + 0.91 i + 0.53 j) · scale, b[i] = 0.5 cos(2 + 0.41 l + 0.77 i)/√n_in
fn fill(network: &Network, scale: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    let mut parameters = vec![0.0; network.n_parameters()];
    for l in 0..network.layers().len() {
        let weight = network
            .layout()
            .get(&format!("layers.{l}.weight"))
            .expect("every layer has weights");
        let n_in = weight.shape[1];
        for i in 0..weight.shape[0] {
            for j in 0..n_in {
                let phase = 1.0 + 0.37 * l as f64 + 0.91 * i as f64 + 0.53 * j as f64;
                parameters[weight.range.start + i * n_in + j] = phase.sin() * scale(l, n_in as f64);
            }
            let bias = network
                .layout()
                .get(&format!("layers.{l}.bias"))
                .expect("every layer has a bias");
            let phase = 2.0 + 0.41 * l as f64 + 0.77 * i as f64;
            parameters[bias.range.start + i] = 0.5 * phase.cos() / (n_in as f64).sqrt();
        }
    }
    parameters
}

fn resnet(set: Set) -> (Network, Vec<f64>) {
    let network = Network::resnet(Inputs::coordinates(2), &set.shared_out(12, 0.1), 1)
        .expect("a sound network");
    assert_eq!(network.n_parameters(), 517);
    let parameters = fill(&network, |_, n| 1.0 / n.sqrt());
    (network, parameters)
}

#[test]
fn residual_network_values_and_derivatives() {
    let table = [
        (
            Set::Relu3,
            [
                -5.75052437491051e-02,
                1.66850920136908e-01,
                1.97399687470820e-02,
                -9.57454288640250e-02,
            ],
        ),
        (
            Set::Poly,
            [
                4.34907154194026e-01,
                2.80509096917440e+00,
                2.17259211500724e+00,
                8.88576687134744e+00,
            ],
        ),
        (
            Set::PolyRelu,
            [
                -1.91631731801034e-01,
                1.64686698661628e-01,
                -1.85071524321158e-04,
                -2.21480340555814e-01,
            ],
        ),
        (
            Set::PolyRelu3,
            [
                -3.79658139438299e-01,
                2.13837426435528e-01,
                -2.28277360337871e-01,
                -8.98297592088024e-01,
            ],
        ),
        (
            Set::PolySine,
            [
                -3.78234063517302e-01,
                7.86154823638136e-02,
                -1.47229750617498e-01,
                -5.79049904096876e-01,
            ],
        ),
        (
            Set::Psg,
            [
                7.84332090781879e-01,
                8.48859104187029e-01,
                3.78598515120549e-01,
                -8.18865957311059e+00,
            ],
        ),
    ];
    for (set, expected) in table {
        let (network, parameters) = resnet(set);
        let mut engine = Device::CPU
            .engine(
                Objective::new(network, Arc::new(Regression { outputs: 1 })),
                1,
            )
            .expect("an engine");
        let mut found = [0.0; 4];
        engine
            .evaluate(&parameters, &[0.3, 0.6], &Streams::laplacian(), &mut found)
            .expect("a sweep");
        for (found, expected) in found.into_iter().zip(expected) {
            close(set.name(), found, expected, 1e-11);
        }
    }
}

fn problem(equation: Equation, with_source: bool) -> (Box<dyn Engine<f64>>, Vec<f64>, [f64; 6]) {
    let (network, parameters) = resnet(Set::Psg);
    let low = equation == Equation::LowRegularity;
    let factor: Arc<dyn rafnet::engine::Field<f64>> = if low {
        Arc::new(Known(disc_factor))
    } else {
        Arc::new(Known(box_factor))
    };
    let ansatz = vec![Ansatz {
        factor: Some(factor),
        lift: None,
    }];
    let objective = Objective::new(
        network,
        Arc::new(Pde {
            equation,
            with_source,
        }),
    )
    .with_ansatz(ansatz);
    let points = if low {
        [0.3, 0.6, 0.2, -0.5, -0.4, 0.1]
    } else {
        [0.3, 0.6, 0.25, 0.8, 0.7, 0.15]
    };
    (
        Device::CPU.engine(objective, 2).expect("an engine"),
        parameters,
        points,
    )
}

#[test]
fn operators_losses_and_gradients() {
    use Equation::{LowRegularity, OscillationCode, OscillationPaper, Poisson};
    // D u (3), residual (3), loss; dW1[0][0], dW1[10][1], db2[3], dW3[7][2], dWout[5], dbout, squared norm
    let table = [
        (
            Poisson,
            [
                9.87428651454681e-01,
                7.58037359874015e-01,
                4.47023497003218e-01,
            ],
            [
                9.15428651454681e-01,
                6.90787359874015e-01,
                5.66648497003218e-01,
            ],
            5.45429103873951e-01,
            [
                2.95034469332994e-01,
                -1.44474740891785e-10,
                3.53811528123895e-01,
                -1.84346917471386e-02,
                1.61470582030548e-02,
                1.12431382459922e+00,
                7.85230823409487e+01,
            ],
        ),
        (
            LowRegularity,
            [
                4.10408759122085e+00,
                -2.68061465357320e+01,
                8.26604091589416e+01,
            ],
            [
                -1.31714832068242e+01,
                -1.97008942972933e+01,
                1.01888593807438e+02,
            ],
            3.64763291801265e+03,
            [
                -2.66995995863433e+04,
                5.40668790158516e+03,
                -6.54504180669335e+03,
                6.96528269974030e+02,
                -2.98027879004052e+02,
                9.20216217377613e+01,
                2.17283202169689e+11,
            ],
        ),
        (
            OscillationPaper,
            [
                5.14711264852932e+00,
                4.84867216520593e+00,
                4.52958885044303e+00,
            ],
            [
                -3.98645369662575e+02,
                4.20541291401891e+02,
                -1.29302317156020e+02,
            ],
            1.17497399249766e+05,
            [
                -1.72876686317898e+01,
                3.29785398692458e-08,
                -4.73987992192987e+02,
                6.15291535972569e+00,
                1.85772266257402e+00,
                -1.32464036841073e+02,
                5.79386210068180e+07,
            ],
        ),
        (
            OscillationCode,
            [
                6.03314780713638e+00,
                5.78258842658508e+00,
                5.46923763799948e+00,
            ],
            [
                -3.97845090710101e+02,
                4.17472302587810e+02,
                -1.28910743548433e+02,
            ],
            1.16393939810769e+05,
            [
                -1.55684710201435e+01,
                3.29128096555785e-08,
                -4.61405223076134e+02,
                6.46653075526800e+00,
                2.20184502729569e+00,
                -1.13654815606138e+02,
                5.43432269488974e+07,
            ],
        ),
    ];
    for (equation, operator, residual, loss, gradient) in table {
        let name = format!("{equation:?}");
        let mut found = [0.0; 3];
        let (mut engine, parameters, points) = problem(equation, false);
        engine
            .residuals(&parameters, &Batch::points(&points), &mut found)
            .expect("a sweep");
        (0..3).for_each(|i| close(&name, found[i], operator[i], 1e-11));
        let (mut engine, ..) = problem(equation, true);
        engine
            .residuals(&parameters, &Batch::points(&points), &mut found)
            .expect("a sweep");
        (0..3).for_each(|i| close(&name, found[i], residual[i], 1e-11));
        let mut g = vec![0.0; 517];
        let found = engine
            .loss_and_gradient(&parameters, &Batch::points(&points), &mut g)
            .expect("a sweep");
        close(&name, found, loss, 1e-11);
        let layout = engine.objective().network.layout();
        let at = |name: &str, i: usize| g[layout.get(name).expect("a parameter").range.start + i];
        let entries = [
            at("layers.0.weight", 0),
            at("layers.0.weight", 21),
            at("layers.1.bias", 3),
            at("layers.2.weight", 7 * 12 + 2),
            at("layers.4.weight", 5),
            at("layers.4.bias", 0),
            g.iter().map(|g| g * g).sum(),
        ];
        (0..7).for_each(|i| {
            close(
                &format!("{name}, gradient {i}"),
                entries[i],
                gradient[i],
                1e-10,
            )
        });
    }
}

/// Θ = J Jᵀ, upper triangle row by row.
fn kernel(engine: &mut dyn Engine<f64>, parameters: &[f64], batch: &Batch<'_, f64>) -> [f64; 6] {
    let columns = parameters.len();
    let (mut r, mut j) = (vec![0.0; 3], vec![0.0; 3 * columns]);
    engine
        .residuals_and_jacobian(parameters, batch, &mut r, &mut j)
        .expect("a sweep");
    let dot = |a: usize, b: usize| -> f64 {
        (0..columns)
            .map(|k| j[a * columns + k] * j[b * columns + k])
            .sum()
    };
    [
        dot(0, 0),
        dot(0, 1),
        dot(0, 2),
        dot(1, 1),
        dot(1, 2),
        dot(2, 2),
    ]
}

#[test]
fn tangent_kernels() {
    use Equation::{LowRegularity, OscillationCode, OscillationPaper, Poisson};
    let table = [
        (
            Poisson,
            [
                3.91468709958446e+02,
                -1.56927300843864e+02,
                -8.64128973545761e+01,
                1.11234816069351e+02,
                6.62086505778378e+01,
                9.91321996031626e+01,
            ],
        ),
        (
            LowRegularity,
            [
                7.40057521657355e+03,
                -3.74274909787364e+03,
                -1.65898207042653e+05,
                1.74223757639436e+06,
                -2.17717516137356e+06,
                4.61432164905223e+07,
            ],
        ),
        (
            OscillationPaper,
            [
                4.29982100405671e+02,
                -1.59365941431207e+02,
                -7.25486653524272e+01,
                1.23920080702336e+02,
                6.96838317357875e+01,
                1.03906016476494e+02,
            ],
        ),
        (
            OscillationCode,
            [
                4.03308109145472e+02,
                -1.57997712657313e+02,
                -8.25353014469845e+01,
                1.14643367925391e+02,
                6.71682003972754e+01,
                1.00369042467230e+02,
            ],
        ),
    ];
    for (equation, expected) in table {
        let (mut engine, parameters, points) = problem(equation, true);
        let found = kernel(&mut *engine, &parameters, &Batch::points(&points));
        (0..6).for_each(|i| close(&format!("{equation:?} {i}"), found[i], expected[i], 1e-11));
    }
    let (network, parameters) = resnet(Set::Psg);
    let mut engine = Device::CPU
        .engine(
            Objective::new(network, Arc::new(Regression { outputs: 1 })),
            1,
        )
        .expect("an engine");
    let expected = [
        5.89957221717436e+01,
        5.58700172733282e+01,
        4.16374248008131e+01,
        9.46908473908811e+01,
        2.31259530269428e+01,
        5.71184943812297e+01,
    ];
    let found = kernel(
        &mut *engine,
        &parameters,
        &Batch::points(&[0.3, 0.6, 0.25, 0.8, 0.7, 0.15]).with_data(&[0.0; 3]),
    );
    (0..6).for_each(|i| close(&format!("regression {i}"), found[i], expected[i], 1e-11));
}

#[test]
fn coordinate_network() {
    let activations = vec![Set::Psg.learnable(5, Signal::Image); 3];
    let network =
        Network::fully_connected(Inputs::coordinates(2), activations, 1).expect("a sound network");
    let mut parameters = fill(
        &network,
        |l, n| if l == 0 { 0.5 } else { (6.0 / n).sqrt() / 30.0 },
    );
    let place = |name: String, row: usize, k: usize| {
        network
            .layout()
            .get(&name)
            .expect("a parameter")
            .range
            .start
            + row * 5
            + k
    };
    // rows of alpha: x, x², sin, Gaussian; rows of beta: sin, Gaussian
    for l in 0..3 {
        for k in 0..5 {
            let (a, b) = (k as f64, f64::from(l));
            let alpha = [
                0.1 * (3.0 * a + b).cos(),
                1.0 + 0.1 * (a - b).cos(),
                2.0 + 0.1 * (a + b).sin(),
                1.0 + 0.1 * (2.0 * a + b).sin(),
            ];
            let beta = [
                30.0 + 0.001 * (a + b).cos(),
                0.01 + 0.04 * (a + 1.0 + b) / 8.0,
            ];
            (0..4).for_each(|row| {
                parameters[place(format!("layers.{l}.alpha"), row, k)] = alpha[row]
            });
            (0..2)
                .for_each(|row| parameters[place(format!("layers.{l}.beta"), row, k)] = beta[row]);
        }
    }
    let points = [0.1, -0.2, 0.5, 0.25, -0.75, 0.9];
    let targets = [0.3, -0.1, 0.8];
    let mut engine = Device::CPU
        .engine(
            Objective::new(network.clone(), Arc::new(Regression { outputs: 1 })),
            1,
        )
        .expect("an engine");
    let mut outputs = [0.0; 3];
    engine
        .evaluate(&parameters, &points, &Streams::value(), &mut outputs)
        .expect("a sweep");
    let expected = [
        -2.01188021352541e-01,
        -3.58612510826427e-01,
        -2.60960495261853e-01,
    ];
    (0..3).for_each(|i| close("output", outputs[i], expected[i], 1e-11));
    let mut g = vec![0.0; network.n_parameters()];
    let loss = engine
        .loss_and_gradient(
            &parameters,
            &Batch::points(&points).with_data(&targets),
            &mut g,
        )
        .expect("a sweep");
    close("loss", loss, 4.81235678669834e-01, 1e-11);
    let alpha = |l: usize, row: usize, k: usize| g[place(format!("layers.{l}.alpha"), row, k)];
    let beta = |l: usize, row: usize, k: usize| g[place(format!("layers.{l}.beta"), row, k)];
    let table = [
        (alpha(0, 2, 1), 8.33122490084323e-03),
        (beta(1, 0, 2), 3.49684497980884e-03),
        (beta(1, 1, 3), -7.30694415648100e-03),
        (alpha(0, 0, 4), 1.63393709661828e-02),
        (alpha(2, 1, 2), 6.54081828232125e-06),
        (g[3 * 2 + 1], -6.84866683599450e-01),
        (
            g[network
                .layout()
                .get("layers.3.bias")
                .expect("a parameter")
                .range
                .start],
            -1.21384068496055e+00,
        ),
        (alpha(1, 3, 0), -2.79983968288867e-06),
        (alpha(1, 3, 1), 6.61015738954030e-05),
        (alpha(1, 3, 2), -2.01181623900397e-03),
        (alpha(1, 3, 3), -2.93519226714753e-02),
        (alpha(1, 3, 4), -2.45468564788123e-02),
        (beta(0, 1, 0), 2.59463459790301e+00),
        (beta(0, 1, 1), 6.50692376819562e-01),
        (beta(0, 1, 3), 4.14513035877541e-01),
        (beta(0, 1, 4), -8.92362581431479e-02),
    ];
    for (i, (found, expected)) in table.into_iter().enumerate() {
        close(&format!("gradient {i}"), found, expected, 1e-10);
    }
}
