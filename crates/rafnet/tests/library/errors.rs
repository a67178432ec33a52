//! Callers' mistakes: each has a typed error whose message says what was found and what was expected, and nothing panics.

use crate::common::{Known, box_factor};
use rafnet::activation::{
    Activation, ActivationError, Coefficient, Group, Initial, Scale, Set, Term, UnknownSet,
};
use rafnet::basis::{Basis, UnknownBasis};
use rafnet::engine::{
    Ansatz, Batch, Device, Engine, EngineError, Gradient, Objective, Regression, Second, Streams,
};
use rafnet::network::{Bias, Inputs, Layer, Network, NetworkError, Skip};
use std::sync::Arc;

#[track_caller]
fn says<V, E: std::fmt::Display>(result: Result<V, E>, expected: &str) {
    match result {
        Ok(_) => panic!("accepted; expected: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

fn network(outputs: usize) -> Network {
    let layer = Set::Sine.shared_out(3, 1.0);
    Network::fully_connected(Inputs::coordinates(2), vec![layer], outputs).expect("a network")
}

fn engine(outputs: usize) -> (Box<dyn Engine<f64>>, Vec<f64>) {
    let network = network(outputs);
    let theta = vec![0.1; network.n_parameters()];
    let objective = Objective::new(network, Arc::new(Regression { outputs }));
    (Device::CPU.engine(objective, 1).expect("an engine"), theta)
}

#[test]
fn unknown_names() {
    let basis: Result<Basis, UnknownBasis> = "gausian".parse();
    says(
        basis,
        &format!(
            "unknown basis `gausian`; known: {}, or a text in x such as a*sin(b*x)",
            Basis::ALL.map(Basis::name).join(", ")
        ),
    );
    let set: Result<Set, UnknownSet> = "Sine".parse();
    says(
        set,
        "unknown activation `Sine`; known: siren, sine, sine-gaussian, poly-sine, psg, relu, relu3, poly, poly-relu, \
         poly-relu3, tanh, rational, gaussian, scaled-sine, scaled-sine-cosine, or a text in x such as a*sin(b*x); of psg, \
         poly-sine and sine-gaussian every neuron learns a mix of its own",
    );
    // the lists in the messages are the whole truth
    for basis in Basis::ALL {
        assert_eq!(basis.name().parse(), Ok(basis));
        let alone = basis.name().parse().map(Set::bases);
        assert_eq!(alone, Ok(&[basis][..]));
    }
    for set in Set::ALL {
        assert_eq!(set.name().parse(), Ok(set));
        let message = UnknownSet::Name {
            name: String::new(),
        }
        .to_string();
        assert!(message.contains(&format!(" {}", set.name())));
    }
    says(
        "".parse::<Basis>(),
        &UnknownBasis::Name {
            name: String::new(),
        }
        .to_string(),
    );
}

#[test]
fn texts_that_are_no_basis() {
    let read = |text: &str| text.parse::<Basis>();
    says(
        read("a*sinn(b*x)"),
        "unknown function `sinn`\n  a*sinn(b*x)\n    ^^^^\ndid you mean `sin`?",
    );
    says(
        read("a*sin(b*x"),
        "`(` is never closed\n  a*sin(b*x\n       ^\nadd `)`",
    );
    says(
        read("2*a + b"),
        "`2*a + b` does not depend on x; write a function of x, for example a*sin(b*x)",
    );
    says(
        read("a*x^2; b = 3"),
        "`b = 3` says nothing of a name in the text; write its names and where they start, for example a = 30",
    );
    says(
        read("a*x^2; a = zwei"),
        "`a = zwei` says nothing of a name in the text; write its names and where they start, for example a = 30",
    );
    says(
        read("a + b + c + d + f + g + h + i*x"),
        "`a + b + c + d + f + g + h + i*x` has 8 trained names; at most 7 are taken",
    );
    let long = read("prod(i, 1, 60, sin(i*x))");
    let why = long.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(why.ends_with("steps of arithmetic with its derivatives; at most 512 are taken"));
    let both: [Basis; 2] = ["rational", "a*x + x^2"].map(|b| b.parse().expect("a basis"));
    let terms = both.map(Term::plain).to_vec();
    let group = Group { neurons: 2, terms };
    says(
        Activation::new(vec![group]),
        "group 0 of the activation mixes `rational` and `a*x + x^2; a = 1`, which both have coefficients of their own; join them in \
         one text, or give each a group",
    );
}

#[test]
fn activations_that_make_no_sense() {
    let new = |neurons, terms| Activation::new(vec![Group { neurons, terms }]);
    says(
        new(3, vec![]),
        "group 0 of the activation has no basis function; give each group at least one",
    );
    says(
        new(3, vec![Term::plain(Basis::Sine); 17]),
        "group 0 of the activation mixes 17 basis functions; at most 16 are taken",
    );
    let random = Initial::Uniform {
        low: 0.0,
        high: 1.0,
    };
    says(
        new(3, vec![Term::with_frequency(Basis::Cosine, random)]),
        "the frequency of `cos` is held fixed but drawn at random; draw it first (`Initial::drawn`) so that the \
         description of the network holds its values",
    );
    says(
        new(
            3,
            vec![Term::with_frequency(
                Basis::Sine,
                Initial::Values(vec![1.0; 2]),
            )],
        ),
        "`sin` has 2 values for a group of 3 neurons",
    );
    says(
        new(3, vec![Term::gaussian(0.0)]),
        "the width of `gauss` has the value 0; a finite number is needed, and a width other than 0",
    );
    let alpha = Term {
        alpha: Coefficient::fixed(f64::NAN),
        ..Term::plain(Basis::Tanh)
    };
    says(
        new(3, vec![alpha]),
        "the coefficient of `tanh` has the value NaN; a finite number is needed, and a width other than 0",
    );
    let width = Term {
        scale: Scale::Width(Coefficient::trained(Initial::Constant(f64::INFINITY))),
        ..Term::plain(Basis::Gaussian)
    };
    says(
        new(3, vec![width]),
        "the width of `gauss` has the value inf; a finite number is needed, and a width other than 0",
    );
    // groups of no neurons are dropped, and an empty activation is refused by the network
    let empty = new(0, vec![Term::plain(Basis::Sine)]).expect("dropped");
    assert_eq!(empty.width(), 0);
    let made: Result<Activation, ActivationError> = Activation::new(vec![]);
    assert_eq!(made.map(|a| a.width()), Ok(0));
}

#[test]
fn networks_that_cannot_be() {
    let sine = |n| Set::Sine.shared_out(n, 1.0);
    let fnn = |inputs, width, outputs| Network::fully_connected(inputs, vec![sine(width)], outputs);
    let size =
        |what: &str, found: usize| format!("{what} is {found}; expected a number from 1 to 65536");
    says(fnn(Inputs::coordinates(0), 3, 1), &size("the dimension", 0));
    says(
        fnn(Inputs::coordinates(70_000), 3, 1),
        &size("the dimension", 70_000),
    );
    says(
        fnn(Inputs::periodic(2, 0), 3, 1),
        &size("the number of inputs", 0),
    );
    says(
        fnn(Inputs::periodic(2, usize::MAX), 3, 1),
        &size("the number of inputs", usize::MAX),
    );
    says(
        fnn(Inputs::coordinates(2).with_features(usize::MAX), 3, 1),
        &size("the number of inputs", usize::MAX),
    );
    says(
        fnn(Inputs::coordinates(2), 0, 1),
        &size("the width of a layer", 0),
    );
    says(
        fnn(Inputs::coordinates(2), 70_000, 1),
        &size("the width of a layer", 70_000),
    );
    says(
        fnn(Inputs::coordinates(2), 3, 0),
        &size("the number of outputs", 0),
    );
    says(
        Network::new(Inputs::coordinates(2), vec![]),
        &size("the number of layers", 0),
    );
    says(
        Network::fully_connected(Inputs::coordinates(2), vec![sine(65_536); 3], 1),
        &format!(
            "the number of parameters is {}; expected a number from 1 to {}",
            3 * 65_536 + 2 * (65_536usize.pow(2) + 65_536) + 65_537,
            1 << 30
        ),
    );
}

#[test]
fn layers_and_skips_that_do_not_fit() {
    let sine = |n| Set::Sine.shared_out(n, 1.0);
    let new = |layers| Network::new(Inputs::coordinates(2), layers);
    let output = || Layer::linear(1, Bias::Yes);
    let wide = Layer {
        width: 4,
        ..Layer::dense(sine(3))
    };
    says(
        new(vec![wide, output()]),
        "layer 0 has 4 neurons but an activation for 3",
    );
    let skip =
        |layer: usize, reason: &str| format!("the skip into layer {layer} does not fit: {reason}");
    says(
        new(vec![
            Layer::dense(sine(3)),
            output().with_skip(Skip::Inputs),
        ]),
        &skip(1, "the output layer takes no skip"),
    );
    says(
        new(vec![
            Layer::dense(sine(1)).with_skip(Skip::Inputs),
            output(),
        ]),
        &skip(0, "there are more inputs than neurons"),
    );
    for from in [0, 1, usize::MAX] {
        says(
            new(vec![
                Layer::dense(sine(3)).with_skip(Skip::Layer(from)),
                output(),
            ]),
            &skip(0, "it must come from an earlier layer"),
        );
    }
    says(
        new(vec![
            Layer::dense(sine(3)),
            Layer::dense(sine(4)).with_skip(Skip::Layer(0)),
            output(),
        ]),
        &skip(1, "the two layers differ in width"),
    );
    says(
        new(vec![
            Layer::dense(sine(3)),
            Layer::dense(sine(3)),
            Layer::dense(sine(3)).with_skip(Skip::Layer(0)),
            Layer::dense(sine(3)).with_skip(Skip::Layer(1)),
            output(),
        ]),
        &skip(3, "skips must not overlap"),
    );
    says(
        Network::resnet(Inputs::coordinates(3), &sine(2), 1),
        &skip(1, "there are more inputs than neurons"),
    );
    let linear_only: Result<Network, NetworkError> = new(vec![output()]);
    assert_eq!(linear_only.map(|n| n.n_parameters()), Ok(3));
}

#[test]
fn an_output_layer_with_an_activation() {
    let layers = vec![Layer::dense(Set::Sine.shared_out(3, 1.0))];
    let error = Network::new(Inputs::coordinates(2), layers).expect_err("refused");
    assert!(
        error
            .to_string()
            .contains("the output layer must be linear"),
        "{error}"
    );
}

#[test]
fn objectives_whose_parts_do_not_fit() {
    let make = |objective: Objective<f64>| Device::CPU.engine(objective, 1);
    let regression = |outputs| Arc::new(Regression { outputs });
    says(
        make(Objective::new(network(2), regression(1))),
        "the residual reads 1 outputs, but the network has 2",
    );
    let none = Ansatz {
        factor: None,
        lift: None,
    };
    says(
        make(Objective::new(network(2), regression(2)).with_ansatz(vec![none])),
        "1 boundary ansätze were given for 2 outputs; give one for each output, or none",
    );
    says(
        make(
            Objective::new(network(1), regression(1))
                .with_features(vec![Arc::new(Known(box_factor))]),
        ),
        "the network takes 0 extra input features, but 1 were given",
    );
    let featured = Network::fully_connected(
        Inputs::coordinates(2).with_features(2),
        vec![Set::Sine.shared_out(3, 1.0)],
        1,
    )
    .expect("a network");
    says(
        make(Objective::new(featured, regression(1))),
        "the network takes 2 extra input features, but 0 were given",
    );
    for threads in [0, 1025, usize::MAX] {
        says(
            Device::CPU.engine::<f64>(Objective::new(network(1), regression(1)), threads),
            &format!("{threads} threads were asked for; expected a number from 1 to 1024"),
        );
    }
}

#[test]
fn streams_that_cannot_be_carried() {
    let (mut engine, theta) = engine(1);
    let mut ask = |gradient, second| {
        let streams = Streams { gradient, second };
        engine.evaluate(&theta, &[0.1, 0.2], &streams, &mut [0.0; 4])
    };
    says(
        ask(Gradient::Along(vec![2]), vec![]),
        "a derivative along coordinate 2 was asked for, but points have 2 coordinates (from 0)",
    );
    says(
        ask(Gradient::None, vec![Second::Mixed(0, 7)]),
        "a derivative along coordinate 7 was asked for, but points have 2 coordinates (from 0)",
    );
    let matrix = "the matrix of a second-order stream must be 2 × 2, symmetric and finite";
    for bad in [
        vec![1.0; 3],
        vec![1.0, 2.0, 3.0, 1.0],
        vec![1.0, f64::NAN, f64::NAN, 1.0],
        vec![f64::INFINITY, 0.0, 0.0, 1.0],
        vec![],
    ] {
        says(ask(Gradient::None, vec![Second::Matrix(bad)]), matrix);
    }
}

#[test]
fn lengths_that_do_not_fit() {
    let (mut engine, theta) = engine(1); // 13 parameters, d = 2, one data column
    let points = [0.1, 0.2, 0.3, 0.4];
    let batch = Batch::points(&points).with_data(&[0.0, 0.0]);
    let mut gradient = [0.0; 13];
    assert!(
        engine
            .loss_and_gradient(&theta, &batch, &mut gradient)
            .is_ok()
    );
    says(
        engine.loss_and_gradient(&theta[1..], &batch, &mut gradient),
        "the parameter vector has 12 numbers; expected 13",
    );
    says(
        engine.loss_and_gradient(&theta, &batch, &mut gradient[1..]),
        "the gradient has 12 numbers; expected 13",
    );
    says(
        engine.loss_and_gradient(&theta, &Batch::points(&points[1..]), &mut gradient),
        "the list of points has 3 numbers; expected a multiple of the dimension 2",
    );
    says(
        engine.loss_and_gradient(&theta, &Batch::points(&points), &mut gradient),
        "the data has 0 numbers; expected 2",
    );
    says(
        engine.loss_and_gradient(&theta, &batch.with_weights(&[1.0]), &mut gradient),
        "the list of weights has 1 numbers; expected 2",
    );
    says(
        engine.evaluate(&theta, &points, &Streams::laplacian(), &mut [0.0; 7]),
        "the output has 7 numbers; expected 8",
    );
    says(
        engine.residuals(&theta, &batch, &mut [0.0; 3]),
        "the residual has 3 numbers; expected 2",
    );
    says(
        engine.residuals_and_jacobian(&theta, &batch, &mut [0.0; 2], &mut [0.0; 25]),
        "the Jacobian has 25 numbers; expected 26",
    );
    says(
        engine.residuals(&theta, &batch.of_term(1), &mut [0.0; 2]),
        "the batch is for term 1, but the objective has 1",
    );
}

#[test]
fn numbers_that_are_not_finite() {
    let (mut engine, theta) = engine(1);
    let points = [0.1, 0.2, 0.3, 0.4];
    let data = [0.0, 0.0];
    let mut gradient = [0.0; 13];
    for (bad, shown) in [
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        let with = |list: &[f64], at: usize| {
            let mut list = list.to_vec();
            list[at] = bad;
            list
        };
        let message = |what: &str, at: usize| {
            format!("{what} number {at} is {shown}; every input must be finite")
        };
        let mut loss = |theta: &[f64], points: &[f64], data: &[f64], weights: &[f64]| {
            let batch = Batch::points(points).with_data(data).with_weights(weights);
            engine.loss_and_gradient(theta, &batch, &mut gradient)
        };
        says(
            loss(&with(&theta, 12), &points, &data, &[]),
            &message("parameter", 12),
        );
        says(
            loss(&theta, &with(&points, 3), &data, &[]),
            &message("coordinate", 3),
        );
        says(
            loss(&theta, &points, &with(&data, 1), &[]),
            &message("data", 1),
        );
        says(
            loss(&theta, &points, &data, &with(&[1.0, 1.0], 0)),
            &message("weight", 0),
        );
    }
    let batch = Batch::points(&points).with_data(&data);
    says(
        engine.loss_and_gradient(&theta, &batch.with_weights(&[1.0, -0.5]), &mut gradient),
        "weight 1 is -0.5; weights must not be negative",
    );
    says(
        engine.evaluate(&theta, &[0.0, f64::NAN], &Streams::value(), &mut [0.0]),
        "coordinate number 1 is NaN; every input must be finite",
    );
}

#[test]
fn no_points() {
    let (mut engine, theta) = engine(1);
    let batch = Batch::points(&[]);
    assert_eq!(
        engine.loss_and_gradient(&theta, &batch, &mut [0.0; 13]),
        Err(EngineError::NoPoints)
    );
    assert_eq!(
        EngineError::NoPoints.to_string(),
        "the batch has no points; a loss needs at least one"
    );
    assert_eq!(
        engine.evaluate(&theta, &[], &Streams::laplacian(), &mut []),
        Ok(())
    );
    assert_eq!(engine.residuals(&theta, &batch, &mut []), Ok(()));
    let none = engine.residuals_and_jacobian(&theta, &batch, &mut [], &mut []);
    assert_eq!(none, Ok(()));
}

/// After a refusal the engine still works and gives the same bits.
#[test]
fn a_refusal_leaves_the_engine_as_it_was() {
    let (mut engine, theta) = engine(1);
    let points = [0.1, 0.2];
    let mut value = |points: &[f64]| {
        let mut out = [0.0];
        let refused = engine.evaluate(&theta, points, &Streams::value(), &mut out);
        refused.map(|()| out[0].to_bits())
    };
    let before = value(&points);
    assert!(before.is_ok() && value(&[f64::NAN, 0.0]).is_err() && value(&[0.0; 3]).is_err());
    assert_eq!(value(&points), before);
}
