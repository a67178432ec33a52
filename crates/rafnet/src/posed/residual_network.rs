//! The paper's residual network.

use crate::activation::Activation;
use crate::network::{Bias, Inputs, Layer, Network, NetworkError, Skip};

/// The paper's residual network for any depth: a skip over every second layer, the first from the inputs.
pub(crate) fn residual_network(
    inputs: Inputs,
    activations: Vec<Activation>,
    outputs: usize,
) -> Result<Network, NetworkError> {
    let mut layers: Vec<Layer> = Vec::new();
    for (l, activation) in activations.into_iter().enumerate() {
        let layer = Layer::dense(activation);
        layers.push(match l {
            1 => layer.with_skip(Skip::Inputs),
            l if l % 2 == 1 => layer.with_skip(Skip::Layer(l - 2)),
            _ => layer,
        });
    }
    layers.push(Layer::linear(outputs, Bias::Yes));
    Network::new(inputs, layers)
}
