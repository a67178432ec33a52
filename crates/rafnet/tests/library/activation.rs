//! Activations: exact neuron counts (table 1.5 of the experiments' specification), trained numbers (2.1), and the initial
//! distributions.

use rafnet::activation::{
    Activation, ActivationError, Group, Initial, Scale, Set, Signal, Term, psg, psg_rational,
    scaled_sines, scaled_sines_cosines, split,
};
use rafnet::basis::Basis;
use rafnet::network::{Init, Inputs, Network, Weights};
use std::f64::consts::TAU;

fn counts(activation: &Activation) -> Vec<usize> {
    activation.groups().iter().map(|g| g.neurons).collect()
}

fn bases(activation: &Activation) -> Vec<Basis> {
    let groups = activation.groups().iter();
    groups
        .map(|g| {
            assert_eq!(g.terms.len(), 1, "shared out: one basis function a neuron");
            assert_eq!(g.terms[0].alpha.initial, Initial::Constant(1.0));
            assert!(!g.terms[0].alpha.is_trained());
            g.terms[0].basis
        })
        .collect()
}

#[test]
fn shared_out_counts() {
    use Basis::{Gaussian, Identity, Relu, Relu3, Sine, Square};
    type Row = (Set, &'static [Basis], [&'static [usize]; 4]);
    // w = 50, 100, 80, 200
    let table: [Row; 7] = [
        (
            Set::Poly,
            &[Identity, Square],
            [&[25, 25], &[50, 50], &[40, 40], &[100, 100]],
        ),
        (
            Set::PolyRelu,
            &[Identity, Square, Relu],
            [&[16, 16, 18], &[33, 33, 34], &[26, 26, 28], &[66, 66, 68]],
        ),
        (
            Set::PolyRelu3,
            &[Identity, Square, Relu3],
            [&[16, 16, 18], &[33, 33, 34], &[26, 26, 28], &[66, 66, 68]],
        ),
        (
            Set::PolySine,
            &[Identity, Square, Sine],
            [&[16, 16, 18], &[33, 33, 34], &[26, 26, 28], &[66, 66, 68]],
        ),
        (
            Set::Psg,
            &[Identity, Square, Sine, Gaussian],
            [&[12, 12, 12, 14], &[25; 4], &[20; 4], &[50; 4]],
        ),
        (Set::Relu3, &[Relu3], [&[50], &[100], &[80], &[200]]),
        (
            Set::Rational,
            &[Basis::Rational],
            [&[50], &[100], &[80], &[200]],
        ),
    ];
    for (set, order, rows) in table {
        for (width, expected) in [50, 100, 80, 200].into_iter().zip(rows) {
            let activation = set.shared_out(width, 0.1);
            assert_eq!(
                counts(&activation),
                expected,
                "{} of width {width}",
                set.name()
            );
            assert_eq!(bases(&activation), order, "{}", set.name());
            assert_eq!(activation.width(), width);
        }
    }
}

#[test]
fn counts_of_the_special_layers() {
    use Basis::{Cosine, Gaussian, Identity, Sine, Square};
    let order = [Identity, Square, Sine, Gaussian];
    for (width, expected) in [(50, [12, 12, 16, 10]), (100, [25, 25, 40, 10])] {
        let activation = psg(width, 0.5, 10);
        assert_eq!(
            (counts(&activation), bases(&activation)),
            (expected.to_vec(), order.to_vec())
        );
    }
    for (width, expected) in [(50, [16, 16, 18]), (100, [33, 33, 34])] {
        let activation = scaled_sines(width);
        assert_eq!(counts(&activation), expected);
        assert_eq!(bases(&activation), [Identity, Sine, Square]);
        assert_eq!(frequencies(&activation, 1), Initial::Harmonics(TAU));
    }
    for (width, expected) in [(50, [16, 8, 8, 18]), (100, [33, 16, 17, 34])] {
        let activation = scaled_sines_cosines(width);
        assert_eq!(counts(&activation), expected);
        assert_eq!(bases(&activation), [Identity, Sine, Cosine, Square]);
        for group in [1, 2] {
            assert_eq!(frequencies(&activation, group), Initial::Harmonics(TAU));
        }
    }
    for (width, expected) in [(50, [10; 5]), (100, [20; 5])] {
        let activation = psg_rational(width, 0.1);
        assert_eq!(counts(&activation), expected);
        assert_eq!(
            bases(&activation),
            [Identity, Square, Sine, Gaussian, Basis::Rational]
        );
        assert_eq!(activation.n_trained(), 7);
    }
    // harmonics count from 1 within their group
    let expected = (1..=4).map(|k| TAU * f64::from(k)).collect();
    assert_eq!(
        Initial::Harmonics(TAU).drawn(4, 9),
        Initial::Values(expected)
    );
}

fn frequencies(activation: &Activation, group: usize) -> Initial {
    match &activation.groups()[group].terms[0].scale {
        Scale::Frequency(c) if !c.is_trained() => c.initial.clone(),
        other => panic!("a fixed frequency was expected, not {other:?}"),
    }
}

#[test]
fn fixed_widths_and_frequencies() {
    let psg = Set::Psg.shared_out(50, 0.05);
    let Scale::Width(width) = &psg.groups()[3].terms[0].scale else {
        panic!("a Gaussian has a width");
    };
    assert_eq!(width.initial, Initial::Constant(0.05));
    for siren in [
        Set::Siren.shared_out(8, 0.1),
        Set::Siren.learnable(8, Signal::Image),
    ] {
        assert_eq!(frequencies(&siren, 0), Initial::Constant(30.0));
        assert_eq!(siren.n_trained(), 0);
    }
    assert_eq!(
        Set::Sine.shared_out(8, 0.1).groups()[0].terms[0].scale,
        Scale::One
    );
}

#[test]
fn any_width_is_shared_out_whole() {
    for width in 0..40 {
        for groups in 1..7 {
            let parts = split(width, groups);
            assert_eq!(parts.iter().sum::<usize>(), width);
            let most = width / groups;
            assert!(parts[..groups - 1].iter().all(|&p| p == most));
        }
        for activation in [
            psg(width, 0.5, 10),
            scaled_sines(width),
            scaled_sines_cosines(width),
            psg_rational(width, 0.1),
        ] {
            assert_eq!(activation.width(), width);
            assert!(activation.groups().iter().all(|g| g.neurons > 0));
        }
    }
    assert!(split(5, 0).is_empty());
}

#[test]
fn trained_numbers_a_neuron() {
    let extra = [
        (Set::Siren, 0),
        (Set::Sine, 2),
        (Set::SineGaussian, 4),
        (Set::PolySine, 4),
        (Set::Psg, 6),
    ];
    for (set, each) in extra {
        for width in [256, 400] {
            assert_eq!(
                set.learnable(width, Signal::Image).n_trained(),
                each * width
            );
        }
        assert_eq!(set.shared_out(256, 0.1).n_trained(), 0);
    }
    assert_eq!(Set::Rational.shared_out(256, 0.1).n_trained(), 7);
}

/// Mean within 5 standard errors, deviation within 5 of its own (σ/√2n for a normal, √(4/5)·σ/√4n for a uniform variable,
/// taken as σ/√2n): a fair draw fails once in a million.
#[track_caller]
fn distributed(what: &str, values: &[f64], mean: f64, deviation: f64) {
    let n = values.len() as f64;
    let found = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|v| (v - found).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    assert!(
        (found - mean).abs() <= 5.0 * deviation / n.sqrt(),
        "{what}: mean {found}, not {mean}"
    );
    assert!(
        (spread - deviation).abs() <= 5.0 * deviation / (2.0 * n).sqrt(),
        "{what}: deviation {spread}, not {deviation}"
    );
}

#[test]
fn initial_distributions() {
    for (signal, sine, low, high) in [
        (Signal::Image, 2.0, 0.01, 0.05),
        (Signal::Audio, 2.0, 0.01, 0.05),
        (Signal::Video, 1.0, 0.002, 0.01),
    ] {
        let layer = Set::Psg.learnable(2000, signal);
        let network =
            Network::fully_connected(Inputs::coordinates(1), vec![layer], 1).expect("a network");
        let theta: Vec<f64> = network.init(Init::new(Weights::Siren, 11));
        let rows = |name: &str| -> Vec<&[f64]> {
            let block = network.layout().get(name).expect("a block");
            assert_eq!(block.shape[1], 2000);
            theta[block.range.clone()].chunks_exact(2000).collect()
        };
        // rows in the order x, x², sin, Gaussian
        let alpha = rows("layers.0.alpha");
        assert_eq!(alpha.len(), 4);
        for (row, mean) in alpha.into_iter().zip([0.0, 1.0, sine, 1.0]) {
            distributed(&format!("{signal:?}, α"), row, mean, 0.1);
        }
        let beta = rows("layers.0.beta");
        assert_eq!(beta.len(), 2);
        distributed("frequency", beta[0], 30.0, 0.001);
        distributed(
            "width",
            beta[1],
            f64::midpoint(low, high),
            (high - low) / 12f64.sqrt(),
        );
        assert!(beta[1].iter().all(|w| (low..high).contains(w)));
    }
}

#[test]
fn drawn_values_can_be_held_fixed() {
    let uniform = Initial::Uniform {
        low: -2.0,
        high: 3.0,
    };
    assert!(uniform.is_random());
    let Initial::Values(values) = uniform.drawn(5000, 4) else {
        panic!("values were drawn");
    };
    distributed("uniform", &values, 0.5, 5.0 / 12f64.sqrt());
    assert!(values.iter().all(|v| (-2.0..3.0).contains(v)));
    assert_eq!(uniform.drawn(5000, 4), Initial::Values(values.clone()));
    assert_ne!(uniform.drawn(5000, 5), Initial::Values(values));
    assert!(!Initial::Harmonics(1.0).is_random());
}

#[test]
fn neurons_that_wrap_around_are_refused() {
    let group = |neurons: usize| Group {
        neurons,
        terms: vec![Term::plain(Basis::Sine)],
    };
    // 2^63 + 2^63 + 2 is 2 in 64 bits, and a layer of two neurons would take it
    let half = usize::MAX / 2 + 1;
    let error = Activation::new(vec![group(half), group(half), group(2)]);
    assert_eq!(error, Err(ActivationError::TooManyNeurons));
    assert_eq!(
        counts(&Activation::new(vec![group(1), group(2)]).expect("three")),
        [1, 2]
    );
}
