//! Networks: parameter counts of the experiments' specification (2.1, 2.5, 3.3), names and places, initial bounds, and the
//! order of periodic features.

use rafnet::activation::{Activation, Set, Signal, psg_rational};
use rafnet::engine::{Device, Objective, Regression, Streams};
use rafnet::expr::largest;
use rafnet::network::{Bias, Init, Inputs, Layer, Network, NetworkError, Weights};
use std::sync::Arc;

type Made = Result<Network, NetworkError>;

fn coordinate(set: Set, width: usize, d: usize, outputs: usize) -> Network {
    let layers: Vec<Activation> = (0..4)
        .map(|_| set.learnable(width, Signal::Image))
        .collect();
    Network::fully_connected(Inputs::coordinates(d), layers, outputs).expect("a network")
}

fn eigen(d: usize, width: usize, outputs: usize) -> Made {
    let layers = (0..3).map(|_| Set::Psg.shared_out(width, 0.1)).collect();
    Network::fully_connected(Inputs::periodic(d, 5), layers, outputs)
}

#[test]
fn parameter_counts() {
    let psg = |w| Set::Psg.shared_out(w, 0.1);
    let at = Inputs::coordinates;
    let table: [(Made, usize); 9] = [
        (Network::resnet(at(1), &psg(50), 1), 7801),
        (Network::resnet(at(2), &psg(50), 1), 7851),
        (Network::resnet(at(2), &psg(100), 1), 30701),
        (Network::resnet_printed(at(2), &psg(50), 1), 10350),
        (Network::resnet_printed(at(2), &psg(100), 1), 40700),
        (eigen(5, 80, 1), 17121),
        (eigen(5, 80, 5), 17445),
        (eigen(10, 200, 1), 100_801),
        (eigen(10, 200, 10), 102_610),
    ];
    for (network, expected) in table {
        let network = network.expect("a network");
        assert_eq!(network.n_parameters(), expected);
        let theta: Vec<f64> = network.init(Init::new(Weights::FanIn, 0));
        assert_eq!(theta.len(), expected);
    }
    for (width, d, outputs, linear) in [
        (256, 1, 1, 198_145),
        (256, 2, 1, 198_401),
        (400, 3, 3, 484_003),
    ] {
        for (set, each) in [
            (Set::Siren, 0),
            (Set::Sine, 2),
            (Set::SineGaussian, 4),
            (Set::PolySine, 4),
            (Set::Psg, 6),
        ] {
            let network = coordinate(set, width, d, outputs);
            assert_eq!(
                network.n_parameters(),
                linear + each * 4 * width,
                "{}",
                set.name()
            );
        }
    }
    assert_eq!(
        coordinate(Set::Psg, 256, 2, 1).n_parameters(),
        198_401 + 6144
    );
}

/// Several kinds of layers, for the tests of places and initial values.
fn networks() -> Vec<Network> {
    let made: [Made; 5] = [
        Ok(coordinate(Set::Psg, 20, 2, 3)),
        Network::resnet(Inputs::coordinates(2), &psg_rational(23, 0.1), 2),
        Network::resnet_printed(
            Inputs::coordinates(3).with_features(1),
            &Set::Rational.shared_out(9, 0.1),
            1,
        ),
        eigen(2, 12, 2),
        Network::new(Inputs::coordinates(3), vec![Layer::linear(2, Bias::No)]),
    ];
    made.into_iter().map(|n| n.expect("a network")).collect()
}

#[test]
fn named_ranges_cover_the_vector_without_gaps() {
    for network in networks() {
        let mut next = 0;
        let mut names: Vec<&str> = Vec::new();
        for block in network.layout().named() {
            assert_eq!(block.range.start, next, "{}", block.name);
            assert_eq!(
                block.range.len(),
                block.shape.iter().product::<usize>(),
                "{}",
                block.name
            );
            assert!(!block.range.is_empty() && !names.contains(&block.name.as_str()));
            assert_eq!(network.layout().get(&block.name), Some(block));
            next = block.range.end;
            names.push(&block.name);
        }
        assert_eq!(next, network.n_parameters());
        assert_eq!(network.layout().len(), next);
        assert_eq!(network.layout().get("layers.99.weight"), None);
        for (l, layer) in network.layers().iter().enumerate() {
            let weight = network
                .layout()
                .get(&format!("layers.{l}.weight"))
                .expect("weights");
            assert_eq!(weight.shape, [layer.width, network.fan_in(l)]);
            let bias = network.layout().get(&format!("layers.{l}.bias"));
            assert_eq!(bias.is_some(), layer.bias == Bias::Yes);
        }
    }
}

#[test]
fn names_of_activations() {
    let learnable = coordinate(Set::Psg, 20, 2, 3);
    let shape = |name: &str| learnable.layout().get(name).map(|b| b.shape.clone());
    assert_eq!(shape("layers.0.alpha"), Some(vec![4, 20]));
    assert_eq!(shape("layers.3.beta"), Some(vec![2, 20]));
    assert_eq!(shape("layers.4.alpha"), None);
    let shared = &networks()[1];
    let block = shared
        .layout()
        .get("layers.2.groups.4.rational")
        .expect("the rational group");
    assert_eq!(block.shape, [7]);
    let theta: Vec<f64> = shared.init(Init::new(Weights::FanIn, 0));
    assert_eq!(
        theta[block.range.clone()],
        [0.0218, 0.5, 1.5957, 1.1915, 1.0, 0.0, 2.383]
    );
}

/// Uniform on ±bound: none beyond it, spread bound/√3 within 5 standard errors (√(1/5)·σ/√n for a uniform variable), mean
/// within 5 of 0.
#[track_caller]
fn uniform(what: &str, values: &[f64], bound: f64) {
    let n = values.len() as f64;
    let most = largest(values.iter().map(|v| v.abs()));
    if bound == 0.0 {
        assert!(values.iter().all(|v| v.to_bits() << 1 == 0), "{what}"); // ±0
        return;
    }
    assert!(most <= bound, "{what}: {most} is beyond {bound}");
    let deviation = bound / 3f64.sqrt();
    let spread = (values.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
    assert!(
        (spread - deviation).abs() <= 5.0 * deviation / n.sqrt(),
        "{what}: deviation {spread}, not {deviation}"
    );
    let mean = values.iter().sum::<f64>() / n;
    assert!(
        mean.abs() <= 5.0 * deviation / n.sqrt(),
        "{what}: mean {mean}"
    );
}

#[test]
fn initial_weights_and_biases() {
    for (weights, hidden_scale) in [
        (Weights::FanIn, 1.0),
        (Weights::Siren, 1.0),
        (Weights::Glorot, 1.0),
        (Weights::FanIn, 2.5),
        (Weights::Siren, 0.5),
        (Weights::Glorot, 3.0),
    ] {
        let network = coordinate(Set::Psg, 90, 2, 3);
        let init = Init {
            weights,
            hidden_scale,
            seed: 17,
        };
        let theta: Vec<f64> = network.init(init);
        let last = network.layers().len() - 1;
        for l in 0..=last {
            let (fan_in, fan_out) = (network.fan_in(l) as f64, network.layers()[l].width as f64);
            let (weight, bias) = match weights {
                Weights::FanIn => (fan_in.powf(-0.5), fan_in.powf(-0.5)),
                Weights::Siren if l == 0 => (1.0 / fan_in, fan_in.powf(-0.5)),
                Weights::Siren => ((6.0 / fan_in).sqrt() / 30.0, fan_in.powf(-0.5)),
                Weights::Glorot => ((6.0 / (fan_in + fan_out)).sqrt(), 0.0),
            };
            let hidden = l > 0 && l < last;
            let weight = if hidden {
                weight * hidden_scale
            } else {
                weight
            };
            for (what, bound) in [("weight", weight), ("bias", bias)] {
                let block = network
                    .layout()
                    .get(&format!("layers.{l}.{what}"))
                    .expect("a block");
                // the largest draw may round up to the bound
                uniform(
                    &format!("{weights:?}, {}", block.name),
                    &theta[block.range.clone()],
                    bound * (1.0 + 1e-15),
                );
            }
        }
    }
}

#[test]
fn seeds_and_precisions() {
    for network in networks() {
        let draw = |seed| -> Vec<f64> { network.init(Init::new(Weights::Siren, seed)) };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let single: Vec<f32> = network.init(Init::new(Weights::Siren, 1));
        #[allow(
            clippy::cast_possible_truncation,
            reason = "rounding is what is checked"
        )]
        let rounded: Vec<f32> = draw(1).into_iter().map(|v| v as f32).collect();
        assert_eq!(single, rounded);
    }
}

/// A linear network whose matrix is the identity shows its inputs.
fn shown(inputs: Inputs, x: &[f64]) -> Vec<f64> {
    let width = inputs.width();
    let network = Network::new(inputs, vec![Layer::linear(width, Bias::No)]).expect("a network");
    let theta: Vec<f64> = (0..width * width)
        .map(|k| if k % width == k / width { 1.0 } else { 0.0 })
        .collect();
    let objective = Objective::new(network, Arc::new(Regression { outputs: width }));
    let mut engine = Device::CPU.engine(objective, 1).expect("an engine");
    let mut out = vec![0.0; width];
    engine
        .evaluate(&theta, x, &Streams::value(), &mut out)
        .expect("values");
    out
}

#[test]
fn order_of_periodic_features() {
    let x = [0.3, -1.1, 2.0];
    assert_eq!(shown(Inputs::coordinates(3), &x), x);
    let expected: Vec<f64> = (1..=5)
        .flat_map(|k| {
            let turned = x.map(|x| f64::from(k) * x);
            [turned.map(f64::sin), turned.map(f64::cos)].concat()
        })
        .collect();
    let found = shown(Inputs::periodic(3, 5), &x);
    assert_eq!(found.len(), 30);
    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(
            (found - expected).abs() <= 2.0 * f64::EPSILON,
            "feature {k}: {found}, not {expected}"
        );
    }
}
