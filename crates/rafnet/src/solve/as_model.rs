//! From layers and coefficients to models.

use super::{Options, SolveError};
use crate::activation::{Activation, Group, Term};
use crate::engine::ridges;
use crate::expr::{Expr, Scope};
use crate::frozen::State;
use crate::model::{Model, Output, Parts, Region};
use crate::network::{Bias, Inputs, Layer, Network};
use crate::problem::Problem;

/// The frozen layer and the weights of the first outputs, flat.
pub(super) fn parameters(state: &State, outputs: usize) -> Vec<f64> {
    [
        &state.layer.weights[..],
        &state.layer.biases,
        &state.coefficients[..outputs * state.layer.len()],
    ]
    .concat()
}

/// The frozen layer as a network.
pub(super) fn network(
    problem: &Problem,
    layer: &ridges::Layer,
    outputs: usize,
) -> Result<Network, SolveError> {
    let mut groups: Vec<Group> = Vec::new();
    for &basis in &layer.bases {
        match groups.last_mut() {
            Some(group) if group.terms[0].basis == basis => group.neurons += 1,
            _ => groups.push(Group {
                neurons: 1,
                terms: vec![Term::plain(basis)],
            }),
        }
    }
    let inputs =
        Inputs::coordinates(problem.coordinates.len()).with_features(problem.features.len());
    let hidden = Layer::dense(Activation::new(groups)?);
    let layers = vec![hidden, Layer::linear(outputs, Bias::No)];
    Ok(Network::new(inputs, layers)?)
}

/// A trained model with the file's own unknowns alone: the last layer without the rows of helpers.
pub(super) fn without_helpers(
    problem: &Problem,
    whole: Model,
    options: &Options,
) -> Result<Model, SolveError> {
    let outputs = problem.n_own();
    if problem.helpers == 0 {
        return Ok(whole);
    }
    let Parts {
        network,
        parameters,
        ..
    } = whole.parts();
    let mut layers = network.layers().to_vec();
    let last = layers.len() - 1;
    let places = &network.layout().layers[last];
    let weights = places.weight..places.weight + outputs * network.fan_in(last);
    let mut kept = parameters[..weights.end].to_vec();
    if let Some(bias) = places.bias {
        kept.extend_from_slice(&parameters[bias..bias + outputs]);
    }
    layers[last] = Layer::linear(outputs, layers[last].bias);
    let narrower = Network::new(*network.inputs(), layers)?;
    model(problem, narrower, kept, options)
}

/// The whole function of as many unknowns as the network has outputs.
pub(super) fn model(
    problem: &Problem,
    network: Network,
    parameters: Vec<f64>,
    options: &Options,
) -> Result<Model, SolveError> {
    made(parts(problem, network, parameters), options)
}

/// A model of these parts, computed where and by as many threads as is asked for.
pub(super) fn made(parts: Parts, options: &Options) -> Result<Model, SolveError> {
    let model = Model::new(parts)?.with_device(options.device);
    Ok(model.with_threads(options.threads()))
}

/// The same as parts, to be added to.
pub(super) fn parts(problem: &Problem, network: Network, parameters: Vec<f64>) -> Parts {
    let scope = Scope::new(problem.coordinates.iter().map(String::as_str));
    let text = |e: &Expr| e.display(&scope).to_string();
    let outputs = problem.unknowns.iter().zip(&problem.ansatz);
    let outputs = outputs
        .take(network.n_outputs())
        .map(|(name, ansatz)| match ansatz {
            Some((factor, lift)) => Output::new(name)
                .with_factor(text(factor))
                .with_lift(text(lift)),
            None => Output::new(name),
        });
    let mut parts = Parts::new(
        problem.coordinates.iter().map(String::as_str),
        outputs.collect(),
        network,
        parameters,
    )
    .with_region(region(problem));
    if let Some(axis) = problem.time {
        parts = parts.with_time(axis);
    }
    for (name, expression) in &problem.features {
        parts = parts.with_feature(name, text(expression));
    }
    parts
}

/// Where the answer means something: a box, and in it the shape of any other domain.
fn region(problem: &Problem) -> Region {
    let domain = &problem.domain;
    let region = Region::new(domain.bounds().to_vec());
    match domain.as_cuboid() {
        Some(_) => region,
        None => region.with_description(domain.shape().description().to_string()),
    }
}
