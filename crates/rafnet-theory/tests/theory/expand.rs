//! Learnable networks rewritten with one basis function a neuron.

use rafnet::Model;
use rafnet::activation::{Set, Signal};
use rafnet::expr::larger;
use rafnet::model::{Output, Parts};
use rafnet::network::{Init, Inputs, Network, Weights};
use rafnet_theory::{TheoryError, expand};

fn learnable(set: Set, widths: &[usize]) -> Result<Model, Box<dyn std::error::Error>> {
    let layers = widths
        .iter()
        .map(|&w| set.learnable(w, Signal::Image))
        .collect();
    let network = Network::fully_connected(Inputs::coordinates(2), layers, 2)?;
    let theta = network.init(Init::new(Weights::Siren, 7));
    let outputs = vec![
        Output::new("u").with_factor("1 + x^2").with_scale(2.0),
        Output::new("v").with_lift("y"),
    ];
    Ok(Model::new(Parts::new(["x", "y"], outputs, network, theta))?)
}

#[test]
fn equal_outputs() -> Result<(), Box<dyn std::error::Error>> {
    let points: Vec<f64> = (0..60).map(|i| (f64::from(i) * 0.7).sin()).collect();
    for (set, terms) in [
        (Set::Psg, 4),
        (Set::SineGaussian, 2),
        (Set::Sine, 1),
        (Set::Siren, 1),
        (Set::Rational, 1),
        (Set::Relu, 1),
    ] {
        let model = learnable(set, &[5, 4])?;
        let wide = expand(&model)?;
        let widths: Vec<usize> = wide
            .parts()
            .network
            .layers()
            .iter()
            .map(|l| l.width)
            .collect();
        assert_eq!(widths, [5 * terms, 4 * terms, 2], "{}", set.name());
        for layer in wide.parts().network.layers() {
            let groups = layer.activation.iter().flat_map(|a| a.groups());
            for group in groups {
                assert_eq!(group.terms.len(), 1);
                assert!(!group.terms[0].alpha.is_trained());
            }
        }
        let (u, v) = (model.eval(&points)?, wide.eval(&points)?);
        let size = u.iter().fold(1.0, |a: f64, b| larger(a, b.abs()));
        for (u, v) in u.iter().zip(&v) {
            // β W h is rounded where β (W h) was, before a sine of slope 60 and a bump of slope 100, twice
            assert!((u - v).abs() <= 1e-10 * size, "{}: {u} and {v}", set.name());
        }
        // the rewriting is one of the network, not of what stands around it
        assert_eq!(wide.parts().outputs, model.parts().outputs);
    }
    Ok(())
}

#[test]
fn skips_are_refused() -> Result<(), Box<dyn std::error::Error>> {
    let network = Network::resnet(Inputs::coordinates(1), &Set::Psg.shared_out(8, 0.1), 1)?;
    let theta = network.init(Init::new(Weights::FanIn, 0));
    let model = Model::new(Parts::new(["x"], vec![Output::new("u")], network, theta))?;
    let refused = expand(&model).expect_err("a skip");
    assert!(
        matches!(refused, TheoryError::NotExpandable { .. }),
        "{refused}"
    );
    Ok(())
}
